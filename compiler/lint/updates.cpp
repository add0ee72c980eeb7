// Values are followed through variables that are assigned once, so that `a = m[0]; b = a + x; m[0] = b` is
// the atomic that it looks like. The atomic is written in the words of the source, and only if all of it can
// be written on one line. Searches look at each value once, and give up past a bound.
#include "compiler/lint/updates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/advice/advice.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/support/overloaded.h"
#include "compiler/types/convert.h"

namespace kern {

// A bound on conditions that are looked into.
static constexpr int most_fixed = 32;
static constexpr std::size_t longest = 80;

// Says whether arithmetic of integers of a type is exact: u32 and u64 wrap.
static bool is_number(Type type) { return is_integer(type) && type != types::u32 && type != types::u64; }

Updates::Updates(const ir::Module& module, const ir::Function& function, const Describer& describe,
                 const Uniformity& uniformity, const SourceManager& sources, std::string_view prefix)
    : module_(module), function_(function), describe_(describe), uniformity_(uniformity), sources_(sources),
      prefix_(prefix), choices_(function) {
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    const auto* fit = std::get_if<ir::Fit>(&stmt.node);
    if (fit && fit->value.slot) fits_.insert_or_assign(*fit->value.slot, fit->type);
  });
}

const ir::Stmt* Updates::definition(const ir::Operand& operand) const {
  return operand.slot ? describe_.definitions().sole(*operand.slot) : nullptr;
}

// ---- What a store changes ----

Updates::Family Updates::family_of(const ir::Expr& expr) {
  if (const auto* call = std::get_if<ir::CallPure>(&expr)) {
    if (call->builtin == Builtin::Max) return Family::Max;
    return call->builtin == Builtin::Min ? Family::Min : Family::None;
  }
  const auto* binary = std::get_if<ir::Binary>(&expr);
  if (!binary) return Family::None;
  switch (binary->op) {
  case ir::BinaryOp::Add:
  case ir::BinaryOp::Subtract: return Family::Sum;
  case ir::BinaryOp::BitAnd: return Family::And;
  case ir::BinaryOp::BitOr: return Family::Or;
  case ir::BinaryOp::BitXor: return Family::Xor;
  case ir::BinaryOp::Multiply:
  case ir::BinaryOp::Divide:
  case ir::BinaryOp::FloorDivide:
  case ir::BinaryOp::Modulo:
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight: break;
  }
  return Family::None;
}

bool Updates::is_element(const ir::Operand& operand, const ir::Store& store) const {
  const ir::Stmt* made = definition(operand);
  const auto* load = made ? std::get_if<ir::Load>(&made->node) : nullptr;
  return load && is_element(*load, store);
}

bool Updates::is_element(const ir::Load& load, const ir::Store& store) const {
  if (load.array != store.array) return false;
  if (load.indices == store.indices) return true;
  std::string from = describe_.element(load.array, load.indices);
  return from == describe_.element(store.array, store.indices) && from.find("...") == std::string::npos;
}

// Says whether a value is a number that was checked for its type, which keeps it.
bool Updates::is_checked(const ir::Operand& operand) const {
  const ir::Stmt* made = definition(operand);
  const auto* assign = made ? std::get_if<ir::Assign>(&made->node) : nullptr;
  const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
  if (!convert || !convert->value.slot) return false;
  const auto fit = fits_.find(*convert->value.slot);
  return fit != fits_.end() && fit->second == operand.type;
}

// Returns what a conversion converts that sums and bits may do without: between integers, or between floats. Of a maximum
// it has to keep the value.
const ir::Operand& Updates::modular(const ir::Operand& operand, Family family) const {
  bool picks = family == Family::Max || family == Family::Min;
  const ir::Stmt* made = definition(operand);
  const auto* assign = made ? std::get_if<ir::Assign>(&made->node) : nullptr;
  const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
  if (!convert) return operand;
  Type from = convert->value.type, to = operand.type;
  bool one_kind = (is_integer(from) && is_integer(to)) || (is_float(from) && is_float(to));
  bool goes = one_kind && (!picks || converts(from, to) || is_checked(operand));
  return goes ? modular(convert->value, family) : operand;
}

// Says whether an element is an operand of operators of one family.
bool Updates::has_element(const ir::Operand& given, Search& search) const {
  if (!given.slot || search.has_given_up() || !search.seen.insert(*given.slot).second) return false;
  const ir::Operand& operand = modular(given, search.family);
  if (is_element(operand, search.store)) return true;
  const ir::Stmt* made = definition(operand);
  const auto* assign = made ? std::get_if<ir::Assign>(&made->node) : nullptr;
  if (!assign || family_of(assign->value) != search.family) return false;
  if (const auto* call = std::get_if<ir::CallPure>(&assign->value))
    return std::ranges::any_of(call->args, [&](const ir::Operand& arg) { return has_element(arg, search); });
  const auto& binary = std::get<ir::Binary>(assign->value);
  return has_element(binary.left, search) || has_element(binary.right, search);
}

Updates::Family Updates::family(const ir::Store& store) const {
  for (Family family : {Family::Sum, Family::And, Family::Or, Family::Xor, Family::Max, Family::Min})
    if (Search search{family, store}; has_element(store.value, search)) return family;
  return Family::None;
}

bool Updates::is_made_by(const ir::Operand& operand, const ir::Predicate& matches) const {
  std::vector<bool> seen(function_.slots.size());
  std::vector<ir::Operand> pending{operand};
  while (!pending.empty()) {
    const ir::Operand next = pending.back();
    pending.pop_back();
    if (!next.slot || is_array(next.type) || seen[index_of(*next.slot)]) continue;
    seen[index_of(*next.slot)] = true;
    for (const ir::Stmt* made : choices_.assignments(*next.slot)) {
      if (matches(*made)) return true;
      if (std::holds_alternative<ir::Assign>(made->node))
        ir::visit_operands(*made, [&](const ir::Operand& part) { pending.push_back(part); });
    }
  }
  return false;
}

bool Updates::updates(const ir::Store& store) const {
  return is_made_by(store.value, [&](const ir::Stmt& made) {
    const auto* load = std::get_if<ir::Load>(&made.node);
    return load && is_element(*load, store);
  });
}

// ---- The atomic ----

// Adds what the element is combined with; says whether the element is there once, with its own sign.
bool Updates::collect(const ir::Operand& given, Family family, bool is_negative, const ir::Store& store,
                      std::vector<Term>& terms) const {
  const ir::Operand& operand = modular(given, family);
  if (is_element(operand, store)) return !is_negative;
  const auto& assign = std::get<ir::Assign>(definition(operand)->node);
  std::vector<ir::Operand> parts;
  bool subtracts = false;
  if (const auto* call = std::get_if<ir::CallPure>(&assign.value)) {
    parts = call->args;
  } else {
    const auto& binary = std::get<ir::Binary>(assign.value);
    parts = {binary.left, binary.right};
    subtracts = binary.op == ir::BinaryOp::Subtract;
  }
  bool is_found = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool is_minus = is_negative != (subtracts && i == 1);
    Search search{family, store};
    const bool has = has_element(parts[i], search);
    if (search.has_given_up()) return false;
    if (!has)
      terms.push_back({parts[i], is_minus});
    else if (std::exchange(is_found, true) || !collect(parts[i], family, is_minus, store, terms))
      return false;
  }
  return is_found;
}

// Returns a term as it is written, cast where it would not become of the element's type by itself, or would be
// combined with the next one in a narrower type. Numbers are combined in 64 bits, and checked where the sum was.
std::string Updates::text(const ir::Operand& operand, const Element& element, bool is_alone,
                          bool is_first) const {
  Type type = element.type;
  const ir::Stmt* made = definition(operand);
  bool is_temp = operand.slot && function_.slots[index_of(*operand.slot)].name.empty();
  const auto* assign = is_temp && made ? std::get_if<ir::Assign>(&made->node) : nullptr;
  const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
  const ir::Stmt* inner = convert ? definition(convert->value) : nullptr;
  bool is_named =
      convert && convert->value.slot && !function_.slots[index_of(*convert->value.slot)].name.empty();
  // A conversion that nobody wrote stands where its operand does.
  bool is_implicit = convert && (is_named || (inner && inner->span == made->span));
  if (is_implicit && is_named)
    is_implicit = sources_.text(made->span) == function_.slots[index_of(*convert->value.slot)].name;
  Type own = is_implicit ? convert->value.type : operand.type;
  std::string written = is_temp && made ? std::string(sources_.text(made->span)) : describe_(operand);
  bool is_literal = !operand.slot;
  bool are_numbers = prefix_.empty() && is_number(own) && is_number(type);
  bool is_needed = converts(own, type) ? !is_alone && is_first : is_alone || !are_numbers;
  if (are_numbers && (element.is_checked || converts(own, type))) is_needed = false;
  bool is_cast = !is_literal && own != type && is_needed;
  return is_cast ? advice::cast(written, type) : written;
}

std::optional<std::string> Updates::operand_text(Family family, std::vector<Term> terms,
                                                 const Element& element, bool& is_sub) const {
  Type type = element.type;
  if (terms.empty()) return std::nullopt;
  is_sub = std::ranges::all_of(terms, &Term::is_negative);
  if (is_sub)
    for (Term& term : terms) term.is_negative = false;
  std::ranges::stable_sort(terms, {}, [](const Term& term) { return term.is_negative; });
  bool is_alone = terms.size() == 1, picks = family == Family::Max || family == Family::Min;
  std::string result;
  for (const Term& term : terms) {
    const ast::BinaryOp op = family == Family::And   ? ast::BinaryOp::BitAnd
                             : family == Family::Or  ? ast::BinaryOp::BitOr
                             : family == Family::Xor ? ast::BinaryOp::BitXor
                             : term.is_negative      ? ast::BinaryOp::Subtract
                                                     : ast::BinaryOp::Add;
    const std::string part = text(term.value, element, is_alone || picks, result.empty());
    result = result.empty() ? part : picks ? result + ", " + part : advice::binary(result, op, part);
  }
  // Numbers are added in 64 bits: where the low bits of a sum were stored, what is added is cast.
  bool are_numbers = prefix_.empty() && is_number(type);
  bool is_narrow = is_integer(type) && bit_width(type->scalar) < (are_numbers ? 64 : 32);
  bool has_wider = are_numbers && !picks && std::ranges::any_of(terms, [&](const Term& term) {
                     return !converts(term.value.type, type);
                   });
  // A difference may be below zero, which an element without a sign does not hold.
  bool is_below = are_numbers && !is_signed(type) && std::ranges::any_of(terms, &Term::is_negative);
  bool is_cast = is_below || (!element.is_checked && ((family == Family::Sum && is_narrow) || has_wider));
  bool grows = !is_alone && is_cast;
  if (grows) result = advice::cast(result, type);
  if (picks && !is_alone) result = advice::call(family == Family::Max ? "max" : "min", result);
  // A text in which something was left out, or that does not stand on one line, cannot be written.
  bool is_whole =
      result.find("...") == std::string::npos && result.find_first_of("\n#\\") == std::string::npos;
  return is_whole && result.size() <= longest ? std::optional(result) : std::nullopt;
}

// Returns what was compared, or stored, before it was made wider or checked for its type.
const ir::Operand& Updates::compared(const ir::Operand& operand) const {
  return prefix_.empty() ? modular(operand, Family::Max) : operand;
}

std::optional<Updates::Family> Updates::extremum_under(const ir::Store& store,
                                                       const std::vector<ir::Compare>& under) const {
  for (const ir::Compare& test : under) {
    bool is_less = test.op == ir::CompareOp::Less || test.op == ir::CompareOp::LessEqual;
    bool is_greater = test.op == ir::CompareOp::Greater || test.op == ir::CompareOp::GreaterEqual;
    if (!is_less && !is_greater) continue;
    bool from_left = is_element(compared(test.left), store),
         from_right = is_element(compared(test.right), store);
    if (from_left == from_right) continue;
    const ir::Operand& other = from_left ? test.right : test.left;
    // What a cast keeps of a number is not what was compared.
    if (prefix_.empty() && compared(other).type != compared(store.value).type) continue;
    std::string value = describe_(store.value);
    bool is_same =
        other == store.value || (describe_(other) == value && value.find("...") == std::string::npos);
    if (is_same) return is_greater == from_right ? Family::Max : Family::Min;
  }
  return std::nullopt;
}

std::optional<std::string> Updates::atomic(const ir::Store& store, Span place,
                                           const std::vector<ir::Compare>& under) const {
  const Element element{element_type(store.array.type), is_checked(store.value)};
  Family kind = family(store);
  std::vector<Term> terms;
  if (kind == Family::None) {
    std::optional<Family> extremum = extremum_under(store, under);
    if (!extremum) return std::nullopt;
    kind = *extremum;
    terms.push_back({store.value, false});
  } else if (!collect(store.value, kind, false, store, terms)) {
    return std::nullopt;
  }
  bool is_sub = false;
  const bool is_constant = terms.size() == 1 && !terms.front().value.slot;
  std::optional<std::string> value = operand_text(kind, std::move(terms), element, is_sub);
  // In an instance of a generic function a parameter may be a constant, which in another one is not the same.
  if (std::optional<std::string> name = is_constant ? advice::name_behind(sources_, place) : std::nullopt)
    value = std::move(name);
  const std::string array = describe_(store.array);
  std::vector<std::string> indices;
  for (const ir::Operand& each : store.indices) indices.push_back(describe_(each));
  const std::string index = advice::index_in(sources_.text(place), array).value_or(advice::index(indices));
  if (!value || index.find("...") != std::string::npos) return std::nullopt;
  std::string_view name = kind == Family::Sum   ? (is_sub ? "sub" : "add")
                          : kind == Family::And ? "and_"
                          : kind == Family::Or  ? "or_"
                          : kind == Family::Xor ? "xor"
                          : kind == Family::Max ? "max"
                                                : "min";
  return advice::atomic(prefix_, name, array, index, *value);
}

// ---- What values are made of ----

static bool is_local(const ir::Operand& operand) {
  return is_array(operand.type) && operand.type->space == AddressSpace::Local;
}

// Says whether what is assigned is the condition by which it is come to: where `a and b` is not asked for `b`.
static bool is_known(const Choices::Way& way) {
  const auto* assign = std::get_if<ir::Assign>(&way.assignment->node);
  const auto* copy = assign ? std::get_if<ir::Copy>(&assign->value) : nullptr;
  const auto* branch = way.steps.empty() ? nullptr : std::get_if<ir::If>(&way.steps.front().stmt->node);
  return copy && branch && copy->value == branch->condition;
}

// Says whether a statement finds out which thread it is, or what only warps know.
static bool names_thread(const ir::Stmt& stmt) {
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
  return (call && call->args.empty()) || std::holds_alternative<ir::CallEffect>(stmt.node);
}

// Says whether what a function returns may tell threads apart that call it with the same arguments.
bool Updates::knows_threads(ir::FunctionId callee) const {
  const auto [known, is_new] = knows_threads_.try_emplace(callee);
  if (is_new)
    known->second = ir::any_reachable(module_, module_.function(callee).body, [](const ir::Stmt& stmt) {
      return names_thread(stmt) || std::holds_alternative<ir::Atomic>(stmt.node);
    });
  return known->second;
}

void Updates::run(Trace& trace) const {
  std::size_t slots = 0;
  trace.seen.resize(function_.slots.size());
  while (!trace.pending.empty()) {
    const auto [operand, is_start] = trace.pending.back();
    trace.pending.pop_back();
    if (!operand.slot) continue;
    std::uint8_t& seen = trace.seen[index_of(*operand.slot)];
    const std::uint8_t now = is_start ? Trace::as_start : Trace::as_value;
    if ((seen & now) != 0) continue;
    seen |= now;
    if (++slots > (trace.follows_choices ? Trace::most_chosen : Trace::most_slots)) {
      trace.found.is_own = true;
      return;
    }
    // A value that is uniform in the block tells its threads apart as little as a constant.
    if (!is_local(operand) && uniformity_.block_uniform[index_of(*operand.slot)]) continue;
    if (const std::size_t param = index_of(*operand.slot); param < trace.params.size()) {
      const Sources& given = trace.params[param];
      trace.found.has_data |= given.has_data && !is_start;
      trace.found.is_own |= given.is_own || (given.has_data && is_start);
      trace.found.is_of_picked |= given.is_of_picked;
      trace.found.is_of_own |= given.is_of_own;
    }
    for (const Choices::Way& way : choices_.ways(*operand.slot)) {
      if (!is_known(way)) follow(*way.assignment, is_start, trace);
      if (trace.follows_choices) follow_choices(way, is_start, trace);
    }
  }
}

// Takes in what an assignment makes a value of.
void Updates::follow(const ir::Stmt& made, bool is_start, Trace& trace) const {
  Sources& found = trace.found;
  const auto push = [&](const ir::Operand& part) { trace.pending.push_back({part, is_start}); };
  if (const auto* load = std::get_if<ir::Load>(&made.node)) {
    const AddressSpace space = load->array.type->space;
    const bool is_common = space == AddressSpace::Global || space == AddressSpace::Shared;
    if (is_common) (is_start ? found.is_own : found.has_data) = true;
    // The index is what differs in an array of constants.
    if (space == AddressSpace::Local) push(load->array);
    if (!is_common) std::ranges::for_each(load->indices, push);
    return;
  }
  if (const auto* loop = std::get_if<ir::For>(&made.node)) {
    // A loop that starts at data mostly runs over a part of the thread's own: from `start[i]` to
    // `start[i + 1]`.
    trace.pending.push_back({loop->start, true});
    push(loop->step);
    push(loop->count);
    return;
  }
  if (const auto* atomic = std::get_if<ir::Atomic>(&made.node); atomic && !is_local(atomic->array)) {
    std::vector<ir::Operand> place = atomic->indices;
    place.push_back(atomic->array);
    const Sources at =
        trace.depth < Trace::deepest ? sources(place, trace.params, trace.depth + 1) : Sources{};
    (at == Sources{} ? found.is_own : at.is_data_alone() ? found.is_of_picked : found.is_of_own) = true;
    return;
  }
  const auto* call = std::get_if<ir::Call>(&made.node);
  if (names_thread(made) || (call && knows_threads(call->function))) found.is_own = true;
  const auto* assign = std::get_if<ir::Assign>(&made.node);
  const bool is_extent = assign && (std::holds_alternative<ir::Extent>(assign->value) ||
                                    std::holds_alternative<ir::Stride>(assign->value));
  ir::visit_operands(made, [&](const ir::Operand& part) {
    // A store to a local array is an assignment too; the shape of one says nothing of what it holds.
    if (!is_local(part) || !(is_extent || std::holds_alternative<ir::Store>(made.node))) push(part);
  });
}

// Takes in what decides whether an assignment is the last one.
void Updates::follow_choices(const Choices::Way& way, bool is_start, Trace& trace) const {
  const auto decide = [&](const ir::Operand& condition) {
    if (!condition.slot || (trace.seen[index_of(*condition.slot)] & Trace::as_condition) != 0) return;
    trace.seen[index_of(*condition.slot)] |= Trace::as_condition;
    int steps = 0;
    if (!is_fixed(condition, trace.params, steps)) trace.pending.push_back({condition, is_start});
  };
  for (const Choices::Step& step : way.steps) {
    if (const auto* branch = std::get_if<ir::If>(&step.stmt->node)) decide(branch->condition);
    if (const auto* loop = std::get_if<ir::While>(&step.stmt->node)) decide(loop->condition);
    if (const auto* loop = std::get_if<ir::For>(&step.stmt->node))
      trace.pending.push_back({loop->count, is_start});
    std::ranges::for_each(choices_.jumps(*step.stmt), decide);
  }
}

// Says whether a condition is made of numbers that stay as they are, so that it parts the threads in two:
// `i < n`. In a loop, `k < i` may make as many parts as there are threads.
bool Updates::is_fixed(const ir::Operand& operand, const std::vector<Sources>& params, int& steps) const {
  if (!operand.slot) return true;
  if (++steps > most_fixed) return false;
  const auto is_fixed_too = [&](const ir::Operand& part) { return is_fixed(part, params, steps); };
  const std::size_t slot = index_of(*operand.slot);
  const std::span<const Choices::Way> ways = choices_.ways(*operand.slot);
  if (slot < function_.param_count)
    return ways.empty() &&
           (slot >= params.size() || params[slot] == Sources{} || params[slot] == Sources{.is_own = true});
  return !ways.empty() && std::ranges::all_of(ways, [&](const Choices::Way& way) {
    bool result = std::holds_alternative<ir::Assign>(way.assignment->node);
    if (result)
      ir::visit_operands(*way.assignment,
                         [&](const ir::Operand& part) { result = result && is_fixed_too(part); });
    for (const Choices::Step& step : way.steps) {
      const auto* branch = std::get_if<ir::If>(&step.stmt->node);
      result = result && branch && is_fixed_too(branch->condition);
    }
    return result;
  });
}

// Returns the sources of what flows into values; if that is numbers alone, the sources of what picks them.
Updates::Sources Updates::sources(std::span<const ir::Operand> operands, const std::vector<Sources>& params,
                                  int depth) const {
  Sources found;
  for (const bool follows_choices : {false, true}) {
    Trace trace{params, follows_choices, depth};
    for (const ir::Operand& operand : operands) trace.pending.push_back({operand, false});
    run(trace);
    found = trace.found;
    if (found != Sources{}) break;
  }
  return found;
}

Updates::Sources Updates::sources(const ir::Operand& operand, const std::vector<Sources>& params) const {
  if (!operand.slot) return {};
  if (!params.empty()) return sources(std::span(&operand, 1), params, 0);
  const auto [known, is_new] = known_.try_emplace(*operand.slot);
  if (is_new) known->second = sources(std::span(&operand, 1), params, 0);
  return known->second;
}

Updates::Sources Updates::place_sources(const ir::Store& store, const std::vector<Sources>& params) const {
  std::vector<ir::Operand> place = store.indices;
  // A row of an array may be the thread's own.
  place.push_back(store.array);
  return sources(place, params, 0);
}

} // namespace kern
