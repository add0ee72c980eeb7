// The names that a function binds. In each round of inference a local's type is the join of what was assigned
// so far and the round before; in the last round that type is final and values convert to it.
#include <algorithm>
#include <map>

#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

static Value store_converted(Checker& checker, Local& local, const Value& value, Span span, bool consume);

static Type current_type(Checker& checker, const Local& local) {
  if (checker.final || local.pinned || local.now.joined == types::unknown) return local.type;
  if (local.type == types::unknown) return local.now.joined;
  return join_assigned(checker, local.type, local.now.joined).value_or(local.now.joined);
}

static bool is_slot_type(Type type) { return type != types::unknown && type != types::none; }

std::string part_name(std::string_view whole, Type type, std::size_t index) {
  return type->record ? fmt::format("{}.{}", whole, type->record->fields[index].name)
                      : fmt::format("{}.{}", whole, index);
}

// Makes the slots of a value of a type, a tuple's elements named `t.0`, `t.1`.
static void make_slots(Checker& checker, std::string name, Type type, Span span,
                       std::vector<ir::SlotId>& slots) {
  if (!is_tuple(type)) {
    slots.push_back(checker.new_slot(std::move(name), type, ir::Slot::Kind::Variable, span));
    return;
  }
  for (std::size_t i = 0; i < type->elements.size(); ++i)
    make_slots(checker, part_name(name, type, i), type->elements[i], span, slots);
}

// Within a round the type may still grow; what was written with the old slots is thrown away with the round.
Value slots_value(Checker& checker, Local& local, Type type, Span span) {
  if (local.now.slots_type != type) {
    local.now.slots.clear();
    make_slots(checker, std::string(local.name), type, local.span, local.now.slots);
    local.now.slots_type = type;
  }
  auto slot = local.now.slots.begin();
  return value_of_leaves(type, span, [&](Type leaf) { return ir::Operand{leaf, *slot++}; });
}

static void report_without_type(Checker& checker, const Local& local, Span span) {
  Report error = checker.report(span, diag::local_without_type, local.name);
  if (const std::optional<Span> outside = bound_outside(checker, local.name))
    error.note(*outside, "this `{}` is another: a name that a function assigns is its own", local.name);
}

// Outside of loops only what was assigned before in this round can be there. Numbers of 0 or more, of which
// nothing else is known, are still numbers of their type.
static std::uint64_t most_of_local(const Local& local, Type type, bool in_loop) {
  std::uint64_t most = in_loop ? std::max(local.most, local.now.most) : local.now.most;
  bool nonnegative = most <= greatest_bits(types::i64) && is_scalar(type) && is_integer(type);
  return nonnegative ? std::min(most, greatest_bits(type)) : most;
}

ir::Body conditional_body(Checker& checker, const std::function<void()>& write) {
  ir::Body inner;
  checker.paths.branch([&] { inner = checker.body_of(write); });
  return inner;
}

// Reads a local whether or not it is deleted.
static Value read_slots(Checker& checker, Local& local, Span span) {
  if (local.now.known) {
    Value known = read_at(*local.now.known, span);
    if (known.reading != 0) {
      checker.literal_readings.push_back({&local});
      known.reading = static_cast<std::uint32_t>(checker.literal_readings.size());
    }
    return known;
  }
  Type type = current_type(checker, local);
  if (!is_slot_type(type)) {
    if (checker.final && checker.is_heard() && !checker.context.diagnostics.has_errors())
      report_without_type(checker, local, span);
    return checker.final ? error_value(span) : unknown_value(span);
  }
  Value value = slots_value(checker, local, type, span);
  if (value.kind == ValueKind::Runtime) {
    value.most = most_of_local(local, value.type, !checker.loops.empty());
    value.is_made = !local.annotated && value.type == types::i64 && local.is_made && !local.is_plain;
  }
  mark_read(checker, value, local);
  return value;
}

Value read_local(Checker& checker, Local& local, Span span) {
  if (local.now.is_wrong) return error_value(span);
  if (const std::optional<Span> removed = checker.paths.removed(local)) {
    checker.report(span, diag::deleted_local, local.name).note(*removed, "it is deleted here");
    return error_value(span);
  }
  Value value = read_slots(checker, local, span);
  // A `:=` later in the expression does not change what was read before it, so the value is copied.
  if (local.is_named) copy_leaves(checker, value);
  return value;
}

// Replaces the operands of a value, a tuple's elements and what waits for its type included.
template <class Replace> static void replace_operands(Value& value, const Replace& replace) {
  if (value.operand.slot) value.operand = replace(value.operand);
  std::vector<ir::Operand> indices = value.indices;
  for (ir::Operand& index : indices)
    if (index.slot) index = replace(index);
  value.indices = std::move(indices);
  for (Value& element : value.elements) replace_operands(element, replace);
}

void copy_leaves(Checker& checker, Value& value) {
  replace_operands(value, [&](ir::Operand operand) {
    bool is_variable = checker.slot(*operand.slot).kind == ir::Slot::Kind::Variable;
    return is_variable ? checker.temp(operand.type, ir::Copy{operand}, value.span) : operand;
  });
}

// Copies what a value reads to variables: it is known beyond the body that it is assigned in.
static void keep_operands(Checker& checker, Value& value) {
  replace_operands(value, [&](ir::Operand operand) {
    const ir::Slot& slot = checker.slot(*operand.slot);
    if (slot.kind == ir::Slot::Kind::Param) return operand;
    ir::Operand kept = checker.variable(operand.type, value.span);
    checker.assign(*kept.slot, operand, value.span);
    return kept;
  });
}

static void report_none_or_value(Checker& checker, const Local& local, std::string_view now,
                                 std::string_view before, Span span) {
  checker.report(span, diag::none_or_value, local.name, now, before)
      .note(local.type_span, "`{}` is {} from here", local.name, before);
}

// Says whether a variable with values of both types would change one of them: two kinds of numbers, or things that are no
// one type at all. Integers stay what they are in a wider integer type, arrays in a more general layout.
static bool is_mixture(Checker& checker, Type a, Type b) {
  if (a == types::unknown || a == b) return false;
  std::optional<Type> joined = join_assigned(checker, a, b);
  if (!joined || !is_scalar(a) || !is_scalar(b)) return !joined;
  return !is_integer(a) || !is_integer(b) || !is_integer(*joined);
}

static void note_mixture(Checker& checker, const Local& local) {
  if (checker.instance && checker.rules.splits_names && !local.is_result)
    checker.instance->mixed.insert(local.name);
}

// A local of this round that is assigned at two places is none of the things that cannot be kept in a slot.
static void assign_unstorable(Checker& checker, Local& local, const Value& value, Span span) {
  bool same = local.now.known && same_constant(*local.now.known, value);
  bool first = local.now.sites.size() == 1;
  if (!same && !first && local.sites > 1) {
    note_mixture(checker, local);
    Type type = current_type(checker, local);
    if (value.kind == ValueKind::None && is_slot_type(type))
      return report_none_or_value(checker, local, describe(checker, value), to_string(type), span);
    checker.report(span, diag::not_storable, local.name, describe(checker, value))
        .note(local.type_span, "`{}` is assigned here too", local.name);
    return;
  }
  local.now.known = std::make_unique<Value>(value);
  keep_operands(checker, *local.now.known);
  local.now.known_depth = 0;
  local.type_span = span;
}

// Lets a local that is something no slot holds become a value of the running program. On some paths only it
// would be both.
static bool replace_unstorable(Checker& checker, Local& local, const Value& value, Span span) {
  if (!local.now.known || is_storable(*local.now.known)) return true;
  Value before = *std::exchange(local.now.known, nullptr);
  if (!checker.paths.is_conditional()) return true;
  local.now.known = std::make_unique<Value>(error_value(span));
  note_mixture(checker, local);
  if (is_error(before) || is_unknown(value)) return false;
  std::string is = describe(checker, before);
  if (before.kind == ValueKind::None)
    report_none_or_value(checker, local, describe(checker, value), is, span);
  else
    checker.report(local.type_span, diag::not_storable, local.name, is)
        .note(span, "`{}` is assigned here too", local.name);
  return false;
}

// Assigns slots at once: a leaf that reads a slot assigned before it is copied first.
static void store_leaves(Checker& checker, const std::vector<ir::SlotId>& slots,
                         std::vector<ir::Operand> leaves, Span span, bool consume) {
  if (slots.size() == 1 && consume) return checker.retarget(slots[0], leaves[0], span);
  std::map<ir::SlotId, std::size_t> last_readers;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].slot) last_readers[*leaves[i].slot] = i;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto reader = last_readers.find(slots[i]);
    if (reader != last_readers.end() && reader->second > i) {
      const ir::Operand& read = leaves[reader->second];
      ir::Operand copy = checker.temp(read.type, ir::Copy{read}, span);
      for (ir::Operand& leaf : leaves)
        if (leaf.slot == slots[i]) leaf = copy;
    }
    checker.assign(slots[i], leaves[i], span);
  }
}

// Returns `value` with its run-time parts read from the local's slots.
static Value in_slots(const Value& value, const Value& slots) {
  if (is_constant(value)) return value;
  if (!is_tuple(value)) {
    Value result = slots;
    result.extents = value.extents;
    result.most = most_bits_as(value, slots.type);
    result.positive = value.positive;
    return result;
  }
  Value result = tuple_like(value.type, value.span);
  for (std::size_t i = 0; i < value.elements.size(); ++i)
    result.elements.push_back(in_slots(value.elements[i], slots.elements[i]));
  return result;
}

// The nodes of a source lie one behind the other, so that a new one is nearly always the last: the list is
// sorted.
static void note_site(Local& local, const ast::Node& site) {
  auto place = std::ranges::lower_bound(local.now.sites, &site, std::less<>());
  if (place == local.now.sites.end() || *place != &site) local.now.sites.insert(place, &site);
}

// Returns the assignment that first gave a local this type. In a later round others, which read the local, have the
// type as well.
static Span first_span(Local& local, Type type, Span span) {
  auto found = std::ranges::find(local.type_spans, type, &std::pair<Type, Span>::first);
  if (found != local.type_spans.end()) return found->second;
  local.type_spans.emplace_back(type, span);
  return span;
}

void note_assignment(Checker& checker, Local& local, const Value& value, const ast::Node& site, Span span) {
  note_site(local, site);
  std::optional<Type> type = type_of(checker, value);
  note_literals_of(local, value);
  // A value without a type yet says nothing in this round.
  if (!has_unknown(value)) local.now.most = std::max(local.now.most, most_bits(value));
  if (local.pinned || !type) return;
  if (checker.rules.types_literals) type = default_deep(checker, *type);
  if (is_mixture(checker, local.now.joined, *type)) note_mixture(checker, local);
  if (is_number(value) && value.type == types::i64) (value.is_made ? local.is_made : local.is_plain) = true;
  std::optional<Type> joined = join_assigned(checker, local.now.joined, *type);
  if (joined && has_exact_integers(checker)) joined = holding_literals(local, *joined);
  bool are_integers =
      is_scalar(*type) && is_integer(*type) && is_scalar(local.now.joined) && is_integer(local.now.joined);
  if (!joined && checker.final && are_integers)
    report_local_mixes(checker, local, value, local.now.joined, span);
  if (joined && *joined != local.now.joined) local.type_span = first_span(local, *joined, span);
  if (joined) local.now.joined = *joined;
}

// Says whether a slot of the local's type can hold a value, as far as the type is known.
bool fits_slot(Checker& checker, const Local& local, const Value& value) {
  std::optional<Type> own = type_of(checker, value);
  Type type = current_type(checker, local);
  if (!own || checker.final) return !own || is_slot_type(type);
  return join_types(checker, type, *own).has_value();
}

// Lets a name stand for a value, without a slot: the target of an unrolled loop.
void bind(Checker& checker, Local& local, const Value& value, const ast::Node& site) {
  note_assignment(checker, local, value, site, value.span);
  checker.paths.restore(local);
  if (is_error(value)) return;
  local.now.known = std::make_unique<Value>(value);
  checker.paths.keep(local);
}

void assign_local(Checker& checker, Local& local, const Value& value, const ast::Node& site, Span span,
                  bool consume) {
  note_site(local, site);
  checker.paths.restore(local);
  if (is_error(value)) {
    // The error was reported with the value; nothing that follows from it is reported again.
    local.now.is_wrong = local.now.is_wrong || (checker.final && !local.annotated);
    return;
  }
  std::optional<Type> type = type_of(checker, value);
  if (!is_storable(value) || !type) return assign_unstorable(checker, local, value, span);
  if (!replace_unstorable(checker, local, value, span)) return;
  bool is_known = local.sites <= 1 &&
                  (is_constant(value) || !is_number(value) || !value.extents.empty() || value.positive);
  note_assignment(checker, local, value, site, span);
  // A constant needs no slot where nothing can pass it by.
  bool needs_slot = local.annotated || checker.context.options.keeps_constants ||
                    !(is_known && is_constant(value) && !checker.paths.is_conditional());
  if (needs_slot) {
    Type to = current_type(checker, local);
    if (to == types::unknown) return;
    Value slots = slots_value(checker, local, to, span);
    std::size_t errors_before = checker.errors();
    Value converted = store_converted(checker, local, value, span, consume);
    bool is_reported = checker.final && checker.errors() != errors_before;
    bool adds_words =
        checker.final && !local.annotated && local.starts_with != Span{} && is_word(local.now.slots_type);
    if (adds_words && value.type == local.now.slots_type && value.is_made)
      report_word_start(checker, local, value);
    if (is_reported && !local.annotated && is_error(converted)) local.now.is_wrong = true;
    if (is_known && !has_unknown(value))
      local.now.known = std::make_unique<Value>(in_slots(local.annotated ? converted : value, slots));
  } else {
    local.now.known = std::make_unique<Value>(value);
  }
  if (local.now.known) {
    checker.paths.keep(local);
  }
}

static bool fits_shape(const Value& value, Type type) {
  if (!is_tuple(type)) return !is_tuple(value);
  if (!is_tuple(value) || value.elements.size() != type->elements.size()) return is_unknown(value);
  for (std::size_t i = 0; i < value.elements.size(); ++i)
    if (!fits_shape(value.elements[i], type->elements[i])) return false;
  return true;
}

// Stores a value in the type of the local.
static Value store_converted(Checker& checker, Local& local, const Value& value, Span span, bool consume) {
  if (is_unknown(value)) return value;
  const Type type = local.now.slots_type;
  bool joins = fits_shape(value, type) && (local.annotated || converts_deep(checker, value, type, false));
  if (!joins) {
    if (has_unknown(value)) return error_value(span);
    Report error =
        checker.report(span, diag::local_types_differ, local.name, describe(checker, value), to_string(type));
    if (!(local.type_span == span))
      error.note(local.type_span, "`{}` is {} from here", local.name, to_string(type));
    std::string_view text = source_of(checker, value);
    // A value that a loop, a tuple or a `:=` assigns has no text of its own to convert.
    if (!consume) error.note("give one of the two another name");
    // A cast back to the integer would cut a fraction off at each turn of a loop.
    bool is_real = is_number(value) && is_float(value.type);
    if (is_real && consume && is_scalar(type) && is_integer(type)) {
      Type real = default_type(value.type);
      error.note("declare it where it starts: `{}: {} = ...`", local.name, to_string(real));
      return error_value(span);
    }
    bool is_expression = consume && text != local.name && text.find('=') == text.npos;
    if (is_expression && is_number(value) && is_scalar(type) && (is_complex(type) || !is_complex(value.type)))
      error.note("convert the value: `{}({})`", to_string(type), text);
    return error_value(span);
  }
  // Another local of literals that found its type is as good as a declared one.
  if (local.annotated || local.literal.is_decided) note_meeting(checker, value, type, span);
  Value converted = convert_value(checker, value, type, {Purpose::Assignment, local.span});
  if (is_error(converted)) return converted;
  std::vector<ir::Operand> leaves;
  flatten(checker, converted, leaves);
  store_leaves(checker, local.now.slots, std::move(leaves), span, consume);
  return converted;
}

bool converts_deep(Checker& checker, const Value& value, Type type, bool rounds) {
  if (is_record(type)) return value.type == type;
  if (is_record_array(value)) return value.type == type;
  if (is_tuple(value) && is_tuple(type)) {
    if (value.elements.size() != type->elements.size()) return false;
    for (std::size_t i = 0; i < value.elements.size(); ++i)
      if (!converts_deep(checker, value.elements[i], type->elements[i], rounds)) return false;
    return true;
  }
  if (is_literal(value) || is_literal(type)) return true; // convert() says whether it fits
  if (!is_number(value) && !is_array(value)) return false;
  if (is_number(value) && is_scalar(type) && checker.rules.casts_numbers) return true;
  if (converts(value.type, type)) return true;
  if (!has_exact_integers(checker)) return false;
  return rounds ? goes_into(value, type) || goes_by_check(checker, value, type) : fits_by_type(value, type);
}

} // namespace kern::checker
