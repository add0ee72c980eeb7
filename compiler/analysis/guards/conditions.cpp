// Bools with a meaning. A comparison of integers is an inequality between affine forms; `and`, `or` and
// `not`, which the IR spells as ifs that assign a bool, come back here as choices between conditions.
#include "compiler/analysis/guards/symbolic.h"

namespace kern {

namespace {

constexpr std::uint32_t largest_tree = 64; // nodes; a larger condition is an unknown one
constexpr int most_disjunctions = 3;       // one within the other
constexpr std::size_t facts_of_a_case = 16;

} // namespace

ConditionId Symbolic::add_condition(Condition condition) {
  conditions_.push_back(condition);
  return ConditionId{static_cast<std::uint32_t>(conditions_.size() - 1)};
}

ConditionId Symbolic::constant_condition(bool value) {
  Condition condition;
  condition.value = value;
  return add_condition(condition);
}

ConditionId Symbolic::unknown_condition() {
  // A bool is an integer that is 0 or 1: testing it twice gives the same twice.
  return at_least_zero(offset(affine(facts.fresh({0, 1})), -1), {});
}

ConditionId Symbolic::at_least_zero(const std::optional<Affine>& form, Span span) {
  if (!form) return unknown_condition();
  if (form->is_constant()) return constant_condition(form->constant >= 0);
  Condition condition;
  condition.kind = Condition::Kind::AtLeastZero;
  condition.form = *form;
  condition.span = span;
  return add_condition(condition);
}

ConditionId Symbolic::equals_zero(const std::optional<Affine>& form, Span span) {
  if (!form) return unknown_condition();
  if (form->is_constant()) return constant_condition(form->constant == 0);
  Condition condition;
  condition.kind = Condition::Kind::EqualsZero;
  condition.form = *form;
  condition.span = span;
  return add_condition(condition);
}

ConditionId Symbolic::negate(ConditionId condition) {
  if (auto known = constant_value(condition)) return constant_condition(!*known);
  if (at(condition).kind == Condition::Kind::Not) return at(condition).first;
  if (at(condition).size >= largest_tree) return unknown_condition();
  Condition negated;
  negated.kind = Condition::Kind::Not;
  negated.first = condition;
  negated.size = at(condition).size + 1;
  return add_condition(negated);
}

ConditionId Symbolic::choose(ConditionId test, ConditionId taken, ConditionId other) {
  if (auto known = constant_value(test)) return *known ? taken : other;
  // The test itself is true wherever `taken` counts, and false wherever `other` does.
  if (taken == test) taken = constant_condition(true);
  if (other == test) other = constant_condition(false);
  auto first = constant_value(taken), second = constant_value(other);
  if (first && second) return *first == *second ? taken : *first ? test : negate(test);
  Condition chosen;
  chosen.kind = Condition::Kind::Choose;
  chosen.first = test;
  chosen.second = taken;
  chosen.third = other;
  chosen.size = at(test).size + at(taken).size + at(other).size + 1;
  return chosen.size > largest_tree ? unknown_condition() : add_condition(chosen);
}

std::optional<bool> Symbolic::constant_value(ConditionId condition) const {
  if (at(condition).kind != Condition::Kind::Constant) return std::nullopt;
  return at(condition).value;
}

ConditionId Symbolic::compare(const ir::Compare& compare, Span span) {
  Type type = compare.left.type;
  if (is_boolean(type)) return compare_bools(compare);
  if (is_number(compare)) return constant_condition(compare.op == ir::CompareOp::Equal);
  if (!is_scalar(type) || !is_integer(type)) return unknown_condition();
  Affine left = integer(compare.left), right = integer(compare.right);
  auto difference = subtract(right, left), reversed = subtract(left, right);
  if (!difference || !reversed) return unknown_condition();
  switch (compare.op) {
  case ir::CompareOp::Equal: return equals_zero(difference, span);
  case ir::CompareOp::NotEqual: return negate(equals_zero(difference, span));
  case ir::CompareOp::Less: return at_least_zero(offset(*difference, -1), span);
  case ir::CompareOp::LessEqual: return at_least_zero(difference, span);
  case ir::CompareOp::Greater: return at_least_zero(offset(*reversed, -1), span);
  case ir::CompareOp::GreaterEqual: return at_least_zero(reversed, span);
  }
  return unknown_condition();
}

// Says whether a float is compared with itself, to see whether it is a number, and is one: a quotient by something that
// is not zero.
bool Symbolic::is_number(const ir::Compare& compare) {
  const bool asks = compare.op == ir::CompareOp::Equal || compare.op == ir::CompareOp::NotEqual;
  if (compare.left.type != types::f64 || !asks || !compare.left.slot ||
      compare.left.slot != compare.right.slot)
    return false;
  const Value held = slot(*compare.left.slot);
  return held.kind == Value::Kind::Ratio && has_divisor(ratio(held));
}

ConditionId Symbolic::compare_bools(const ir::Compare& compare) {
  if (compare.op != ir::CompareOp::Equal && compare.op != ir::CompareOp::NotEqual) return unknown_condition();
  ConditionId left = condition(compare.left), right = condition(compare.right);
  ConditionId equal = choose(left, right, negate(right));
  return compare.op == ir::CompareOp::Equal ? equal : negate(equal);
}

void Symbolic::assume(ConditionId id, bool outcome) {
  // A copy: the deque keeps its place, but a proof below may add conditions one day.
  const Condition known = at(id);
  Reason reason{Reason::Kind::Test, known.span};
  switch (known.kind) {
  case Condition::Kind::Constant: return;
  case Condition::Kind::Not: return assume(known.first, !outcome);
  case Condition::Kind::AtLeastZero: {
    auto form = outcome ? known.form : combine(known.form, -1, affine(1), -1);
    if (form) facts.assume(*form, reason);
    return;
  }
  case Condition::Kind::EqualsZero: return assume_zero(known.form, outcome, reason);
  case Condition::Kind::Choose:
    // If one way cannot have given the outcome, the other one was taken.
    if (decide(known.third) == !outcome) {
      assume(known.first, true);
      assume(known.second, outcome);
    } else if (decide(known.second) == !outcome) {
      assume(known.first, false);
      assume(known.third, outcome);
    } else {
      assume_either(known, outcome);
    }
    return;
  }
}

// Says of a choice between conditions that one of the two ways was taken.
void Symbolic::assume_either(const Condition& chosen, bool outcome) {
  if (disjunctions_around_ >= most_disjunctions) return;
  ++disjunctions_around_;
  auto side = [&](bool taken) {
    Facts::Mark before = facts.mark();
    assume(chosen.first, taken);
    assume(taken ? chosen.second : chosen.third, outcome);
    KeptFacts kept = facts.keep(facts.since(before, facts_of_a_case));
    facts.rollback(before);
    return kept;
  };
  KeptFacts first = side(true), second = side(false);
  --disjunctions_around_;
  facts.assume_either(first, second, {Reason::Kind::Test, at(chosen.first).span});
}

void Symbolic::assume_zero(const Affine& form, bool outcome, const Reason& reason) {
  auto negative = scale(form, -1);
  if (!negative) return;
  if (outcome) {
    facts.assume(form, reason);
    facts.assume(*negative, reason);
    return;
  }
  // Not zero helps where one sign is excluded.
  auto above = offset(form, -1), below = offset(*negative, -1);
  if (above && facts.prove(form, quick)) {
    facts.assume(*above, reason);
  } else if (below && facts.prove(*negative, quick)) {
    facts.assume(*below, reason);
  } else if (above && below) {
    facts.assume_either(facts.keep({{*above, reason}}), facts.keep({{*below, reason}}), reason);
  }
}

std::optional<bool> Symbolic::decide(ConditionId id) {
  const Condition known = at(id);
  switch (known.kind) {
  case Condition::Kind::Constant: return known.value;
  case Condition::Kind::Not: {
    auto inner = decide(known.first);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  case Condition::Kind::AtLeastZero: {
    if (facts.prove(known.form, quick)) return true;
    auto below = combine(known.form, -1, affine(1), -1);
    return below && facts.prove(*below, quick) ? std::optional(false) : std::nullopt;
  }
  case Condition::Kind::EqualsZero: {
    auto negative = scale(known.form, -1);
    if (!negative) return std::nullopt;
    auto above = offset(known.form, -1), below = offset(*negative, -1);
    if ((above && facts.prove(*above, quick)) || (below && facts.prove(*below, quick))) return false;
    return facts.prove(known.form, quick) && facts.prove(*negative, quick) ? std::optional(true)
                                                                           : std::nullopt;
  }
  case Condition::Kind::Choose: {
    if (auto test = decide(known.first)) return decide(*test ? known.second : known.third);
    auto first = decide(known.second), second = decide(known.third);
    return first == second ? first : std::nullopt;
  }
  }
  return std::nullopt;
}

} // namespace kern
