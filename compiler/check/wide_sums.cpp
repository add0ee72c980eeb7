// Sums of 32 bits that are used as wider ones: of what threads hold, by shuffles, by a tree in shared memory or by atomics; and
// of two elements, or one that is negated.
#include <algorithm>

#include "compiler/check/narrow.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

// The most threads of a block, of whose values one sum is made.
static constexpr WideInt most_threads = 1024;

static bool is_word(Type type) {
  return is_scalar(type) && is_integer(type) && bit_width(type->scalar) == 32;
}

// Returns where a value lies if it has not wrapped.
static Interval usual_of(const Value& value) {
  if (value.facts.is_small) return {0, 0};
  return value.facts.held.value_or(exact_of(value));
}

// ---- What threads hold ----

void note_addends(IntegerFacts& facts, ast::BinaryOp op, const Value& left, const Value& right) {
  if (op != ast::BinaryOp::Add && op != ast::BinaryOp::Subtract) return;
  facts.of_threads = left.facts.of_threads || right.facts.of_threads;
  for (const Value* operand : {&left, &right}) {
    const std::vector<Addend>& parts = operand->facts.addends;
    if (is_constant_number(*operand) || facts.addends.size() + parts.size() >= most_leaves) continue;
    if (parts.empty())
      facts.addends.push_back({operand->span, operand->facts.element_of, usual_of(*operand)});
    else
      facts.addends.insert(facts.addends.end(), parts.begin(), parts.end());
  }
}

void note_addends(IntegerFacts& facts, const Value& operand) {
  facts.addends = operand.facts.addends;
  if (facts.addends.empty())
    facts.addends.push_back({operand.span, operand.facts.element_of, usual_of(operand)});
}

void note_shuffled(Value& result, const Value& value) {
  if (!is_word(result.type)) return;
  result.facts.origin = value.facts.origin;
  result.facts.xors = value.facts.xors;
  result.facts.is_small = value.facts.is_small;
  result.facts.of_threads = true;
}

static void take_given(Local& local, const Interval& interval) {
  local.given = local.given ? hull(*local.given, interval) : interval;
}

void note_given(const Checker& checker, Local& local, const Value& value) {
  bool is_sum = checker.stored_sum || value.span == local.summed;
  // A local that another thread's number is assigned to carries it to a sum.
  if (value.facts.of_threads && !is_sum && !local.given && !local.adds_threads)
    local.adds_threads = value.span;
  if (!is_number(value) || is_float(value.type) || value.facts.of_threads) return;
  if (!is_sum || checker.loops.empty()) take_given(local, usual_of(value));
}

static bool fits_block(const Interval& given, Type type) {
  return holds(interval_of(type), {given.least * most_threads, given.greatest * most_threads});
}

bool adds_threads_up(const Local& local) {
  bool adds = local.adds_threads && (local.elements || local.summed != Span{});
  return adds && local.given && is_word(local.type) && !fits_block(*local.given, local.type);
}

bool holds_little(const Local& local) {
  return local.given && is_word(local.type) && !local.adds_up && fits_block(*local.given, local.type);
}

// Returns what is known of the elements of an array of 32 bits; null of another one.
static Local* elements_of(Checker& checker, const ir::Operand& array) {
  if (!checker.final || !array.slot || !is_array(array.type) || !is_word(element_type(array.type)))
    return nullptr;
  Local& elements = checker.held_elements[*array.slot];
  if (elements.elements) return &elements;
  for (const auto& [name, local] : checker.instance->locals)
    if (std::ranges::find(local.slots, *array.slot) != local.slots.end() ||
        (local.known && local.known->operand == array))
      elements.name = local.name, elements.span = local.span;
  elements.type = element_type(array.type);
  elements.elements = array.type->space;
  elements.slots_type = array.type;
  return &elements;
}

void note_element_sum(Checker& checker, const ir::Operand& array, const Value& value) {
  AddressSpace space = array.type->space;
  bool is_own = space == AddressSpace::Shared || space == AddressSpace::Local;
  Local* elements = is_own && is_number(value) ? elements_of(checker, array) : nullptr;
  if (!elements) return;
  elements->xors = elements->xors || value.facts.xors;
  std::optional<Interval> others;
  std::ptrdiff_t own = 0;
  for (const Addend& addend : value.facts.addends) {
    if (addend.array == array.slot)
      ++own;
    else
      others = others ? hull(*others, addend.interval) : addend.interval;
  }
  bool is_tree = own > 1 && !value.facts.is_turned, loops = own == 1 && !checker.loops.empty();
  // A sum of nothing but elements of the array keeps their origin.
  if (!is_tree || others) elements->origin = std::max(elements->origin, value.facts.origin);
  if (!is_tree && !loops) return take_given(*elements, usual_of(value));
  if (others && loops) others = added_up(checker, *others);
  if (others && (is_tree || !fits_block(*others, elements->type))) take_given(*elements, *others);
  bool grows = is_tree || (others && !fits_block(*others, elements->type));
  if (grows && !elements->adds_threads) elements->adds_threads = value.span;
}

void note_atomic_sum(Checker& checker, const ir::Operand& array, Builtin builtin, const Value& value) {
  bool adds = builtin == Builtin::AtomicAdd || builtin == Builtin::AtomicSub;
  bool is_great = value.facts.origin == Origin::Data && !value.facts.is_small && adds_up_beyond(value);
  Local* elements = adds && is_great && is_number(value) ? elements_of(checker, array) : nullptr;
  if (!elements) return;
  elements->origin = Origin::Data;
  take_given(*elements, added_up(checker, interval_of(value), array.type->space == AddressSpace::Global));
  if (!elements->adds_threads) elements->adds_threads = value.span;
}

void read_element_sum(const Checker& checker, const ir::Operand& array, Value& element) {
  auto found = array.slot ? checker.held_elements.find(*array.slot) : checker.held_elements.end();
  if (found == checker.held_elements.end() || !found->second.elements || !is_typed_integer(element)) return;
  const Local& elements = found->second;
  element.facts.is_small = holds_little(elements);
  if (elements.name.empty() || !sums_up(elements)) return;
  element.facts.wrapped_in = &elements;
  element.facts.by_count = true;
}

std::string wide_declaration(const Local& local, Type wide) {
  if (!local.elements)
    return fmt::format("{}: {}{}", local.name, to_string(wide), local.is_unpacked ? "" : " = ...");
  switch (*local.elements) {
  case AddressSpace::Shared: return fmt::format("{} = shared.array(..., {})", local.name, to_string(wide));
  case AddressSpace::Local: return fmt::format("{} = local.array(..., {})", local.name, to_string(wide));
  case AddressSpace::Global:
  case AddressSpace::Constant: break;
  }
  std::string axes = ":";
  for (int axis = 1; axis < local.slots_type->rank; ++axis) axes += ", :";
  return fmt::format("{}: {}[{}]", local.name, to_string(wide), axes);
}

// ---- Elements that are added, subtracted or negated at once ----

// Says whether a value is one element of 32 bits, negated or its size, which for the least number of its type is none of it.
static bool is_word_size(const Value& value) {
  Interval own = interval_of(value.type), exact = exact_of(value);
  return value.facts.is_turned && is_signed(value.type) && (exact == negated(own) || exact == absolute(own));
}

// Says whether a value is made of elements of 32 bits and may pass them: the sum of two, or their difference, or what
// `is_word_size` says.
static bool is_word_sum(const Value& value) {
  const std::vector<Addend>& parts = value.facts.addends;
  if (!is_typed_integer(value) || !is_word(value.type)) return false;
  bool are_two = parts.size() == 2 && parts[0].array && parts[1].array;
  bool is_one = parts.size() == 1 && parts[0].array && is_word_size(value);
  return (are_two || is_one) && value.facts.saturates && !value.facts.multiplies && !value.facts.xors &&
         !holds(interval_of(value.type), exact_of(value));
}

static void report_sum(Checker& checker, const Value& value, std::string_view use, const std::string& text) {
  bool fresh = checker.final && checker.context.diagnostics.enabled() && checker.indexing == 0 &&
               checker.context.reported.insert({"wrapped", value.span.file, value.span.begin}).second;
  if (fresh)
    checker.report(value.span, diag::word_sum, short_text(checker.context.source(value.span)),
                   to_string(value.type), use, text);
}

// Returns a sum as one of which the first part is what keeps it from wrapping.
static Value with_first_part(const Value& value) {
  Value sum = value;
  sum.facts.wrapped = {value.facts.addends.front().span};
  sum.facts.by_product = false;
  return sum;
}

void warn_sum_widened(Checker& checker, const Value& value, Type type) {
  bool widens = is_scalar(type) && is_integer(type) && bit_width(type->scalar) == 64;
  if (!(widens || type == types::f64) || !keeps_intervals(checker) || !is_word_sum(value)) return;
  report_sum(checker, value, fmt::format("{} {}", widens ? "widened to" : "made", to_string(type)),
             unwrapped_text(checker, with_first_part(value).facts, value.span, type));
}

void warn_sum_halved(Checker& checker, ast::BinaryOp op, const Value& sum, const Value& by) {
  bool divides = op == ast::BinaryOp::FloorDivide, shifts = op == ast::BinaryOp::ShiftRight;
  bool halves = (divides && constant_integer(by) == 2) || (shifts && constant_integer(by) == 1);
  if (!halves || !keeps_intervals(checker) || !is_word_sum(sum)) return;
  report_sum(checker, sum, divides ? "divided" : "shifted right",
             completed_text(checker, with_first_part(sum)));
}

void warn_sum_compared(Checker& checker, const Value& sum, const Value& by) {
  bool is_sign = is_int_literal(by) && by.integer == 0;
  if (is_sign && keeps_intervals(checker) && is_word_sum(sum))
    report_sum(checker, sum, "compared", unwrapped_text(checker, with_first_part(sum)));
}

} // namespace kern::checker
