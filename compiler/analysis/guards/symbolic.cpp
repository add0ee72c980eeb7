// Keeps the values of slots, undoes them branch by branch, and joins two branches. A slot that two branches
// leave with different values gets a choice that remembers what held in each, so that a later proof can take
// them one at a time.
#include "compiler/analysis/guards/symbolic.h"

#include <algorithm>

#include "compiler/support/limits.h"

namespace kern {

namespace {

// Enough for the comparisons of one condition; a proof by cases assumes all of them.
constexpr std::size_t facts_of_a_case = 16;

bool is_tracked_integer(Type type) { return is_scalar(type) && is_integer(type); }

} // namespace

Symbolic::Symbolic(const ir::Module& module, const ir::Function& function)
    : module_(module), function_(function), slots_(start_values()) {
  start_threads();
}

std::vector<Value> Symbolic::start_values() {
  std::vector<Value> values;
  for (const ir::Slot& slot : function_.slots) values.push_back(start_value(slot));
  return values;
}

Value Symbolic::start_value(const ir::Slot& slot) {
  if (slot.kind == ir::Slot::Kind::Param) return unknown(slot.type);
  if (is_array(slot.type)) return unknown(slot.type);
  // A slot holds zero until its first assignment.
  if (is_boolean(slot.type)) return make(constant_condition(false));
  return is_tracked_integer(slot.type) ? make(affine(0)) : Value{};
}

Value Symbolic::unknown(Type type) {
  if (is_array(type)) {
    std::vector<Affine> extents;
    Wide most = limits::array_bytes / std::max(1, bit_width(type->scalar) / 8);
    // A launch refuses extents whose product is larger, so that .size does not wrap.
    std::optional<Affine> elements;
    for (int axis = 0; axis < type->rank; ++axis) {
      extents.push_back(affine(facts.fresh({0, most})));
      elements = elements ? exact_product(*elements, extents.back()) : extents.back();
      facts.assume_within(*elements, {0, most}, {});
    }
    return make_array(std::move(extents));
  }
  if (!is_scalar(type)) return {};
  if (is_boolean(type)) return make(unknown_condition());
  return is_integer(type) ? make(affine(facts.fresh(type_interval(type)))) : Value{};
}

Value Symbolic::make(const Affine& form) {
  forms_.push_back(form);
  return {Value::Kind::Integer, static_cast<std::uint32_t>(forms_.size() - 1)};
}

Value Symbolic::make_array(std::vector<Affine> extents) {
  arrays_.push_back(std::move(extents));
  return {Value::Kind::Array, static_cast<std::uint32_t>(arrays_.size() - 1)};
}

Value Symbolic::value(const ir::Operand& operand) {
  if (operand.slot) return slot(*operand.slot);
  if (is_boolean(operand.type)) return make(constant_condition(operand.bits != 0));
  return is_tracked_integer(operand.type) ? make(integer(operand)) : Value{};
}

Affine Symbolic::integer(const ir::Operand& operand) {
  if (operand.slot) {
    Value held = slot(*operand.slot);
    return held.kind == Value::Kind::Integer ? form(held) : affine(facts.fresh(type_interval(operand.type)));
  }
  if (is_signed(operand.type)) return affine(static_cast<std::int64_t>(operand.bits));
  return affine(Wide{operand.bits});
}

ConditionId Symbolic::condition(const ir::Operand& operand) {
  Value held = value(operand);
  return held.kind == Value::Kind::Condition ? ConditionId{held.index} : unknown_condition();
}

Affine Symbolic::extent(const ir::Operand& array, int axis) {
  Value held = value(array);
  if (held.kind == Value::Kind::Array) return extents(held)[static_cast<std::size_t>(axis)];
  return affine(facts.fresh({0, limits::array_bytes}));
}

void Symbolic::rollback(const Mark& mark) {
  facts.rollback(mark.facts);
  slots_.rollback(mark.slots);
}

Symbolic::Branch Symbolic::branch(const Mark& mark, bool reachable) {
  if (!reachable) return {};
  Branch result{reachable, slots_.since(mark.slots), facts.since(mark.facts)};
  // A Temp is read only where it was assigned.
  std::erase_if(result.changes,
                [&](const auto& change) { return declaration(change.slot).kind == ir::Slot::Kind::Temp; });
  return result;
}

void Symbolic::apply(const Branch& branch) {
  slots_.apply(branch.changes);
  for (const Fact& fact : branch.facts) facts.assume(fact);
}

// Returns the first facts of a branch, those of its condition among them.
std::vector<Fact> Symbolic::first_facts(const Branch& branch) {
  std::size_t count = std::min(branch.facts.size(), facts_of_a_case);
  return {branch.facts.begin(), branch.facts.begin() + static_cast<std::ptrdiff_t>(count)};
}

void Symbolic::join(ConditionId condition, const Branch& taken, const Branch& other) {
  if (!taken.reachable || !other.reachable) return apply(taken.reachable ? taken : other);
  Join join{condition, first_facts(taken), first_facts(other), {}, {}};
  flow::joined(taken.changes, other.changes, [&](ir::SlotId id, Value left, Value right) {
    join.slots.push_back({id, left, right});
    return left;
  });
  join_ranges(join);
  for (const JoinedSlot& joined : join.slots)
    set(joined.slot, join_values(join, declaration(joined.slot).type, joined));
  // A fact that holds at the end of both branches holds after the join.
  for (const Fact& fact : join.left_facts) {
    auto same = [&](const Fact& known) { return !known.either && known.form == fact.form; };
    if (fact.either) continue;
    if (std::ranges::any_of(join.right_facts, same)) facts.assume(fact.form, fact.reason);
  }
}

void Symbolic::join(Branch taken, Branch other) {
  // Slots that go together get the same choice: a case of one excludes the other cases of the rest.
  Affine choice = affine(facts.fresh({0, 1}));
  taken.facts.insert(taken.facts.begin(), Fact{*offset(choice, -1), {}});
  other.facts.insert(other.facts.begin(), Fact{*scale(choice, -1), {}});
  join(at_least_zero(offset(choice, -1), {}), taken, other);
}

void Symbolic::join_ranges(Join& join) {
  for (bool left : {true, false}) {
    Facts::Mark before = facts.mark();
    for (const Fact& fact : left ? join.left_facts : join.right_facts) facts.assume(fact);
    for (JoinedSlot& joined : join.slots) {
      Value value = left ? joined.left : joined.right;
      if (value.kind == Value::Kind::Integer)
        (left ? joined.left_range : joined.right_range) = facts.bounds(form(value));
    }
    facts.rollback(before);
  }
}

Value Symbolic::join_values(Join& join, Type type, const JoinedSlot& joined) {
  if (same(joined.left, joined.right)) return joined.left;
  if (joined.left.kind != joined.right.kind) return unknown(type);
  switch (joined.left.kind) {
  case Value::Kind::Nothing:
  case Value::Kind::Ratio: return {};
  case Value::Kind::Condition:
    return make(choose(join.condition, ConditionId{joined.left.index}, ConditionId{joined.right.index}));
  case Value::Kind::Integer: {
    Interval range = hull(joined.left_range, joined.right_range);
    return make(join_forms(join, form(joined.left), form(joined.right), range));
  }
  case Value::Kind::Array: {
    std::vector<Affine> joined_extents = extents(joined.left);
    const std::vector<Affine>& others = extents(joined.right);
    for (std::size_t axis = 0; axis < joined_extents.size(); ++axis) {
      Interval range = hull(facts.bounds(joined_extents[axis]), facts.bounds(others[axis]));
      if (joined_extents[axis] != others[axis])
        joined_extents[axis] = join_forms(join, joined_extents[axis], others[axis], range);
    }
    return make_array(std::move(joined_extents));
  }
  }
  return unknown(type);
}

Affine Symbolic::join_forms(Join& join, const Affine& left, const Affine& right, Interval range) {
  if (!join.kept) join.kept = {facts.keep(join.left_facts), facts.keep(join.right_facts)};
  return affine(facts.choice({left, join.kept->first}, {right, join.kept->second}, range));
}

bool Symbolic::same(Value left, Value right) const {
  if (left == right) return true;
  if (left.kind != right.kind) return false;
  switch (left.kind) {
  case Value::Kind::Nothing: return true;
  case Value::Kind::Integer: return form(left) == form(right);
  case Value::Kind::Condition: return false;
  case Value::Kind::Array: return extents(left) == extents(right);
  case Value::Kind::Ratio: return ratio(left) == ratio(right);
  }
  return false;
}

} // namespace kern
