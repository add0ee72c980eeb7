// What a launch knows, what it tests, and what it would have to test. The bounds are in extremes_most.cpp.
#include "compiler/analysis/guards/extremes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "compiler/analysis/guards/operation_codes.h"
#include "compiler/ir/param_block.h"

namespace kern {

static constexpr Wide most_scalar = 4096; // that a scalar is wanted to be at least, or at most

bool Extremes::is_product(const Facts::Atom& atom) {
  return atom.code == code_of(OperationGroup::Exact, ir::BinaryOp::Multiply, types::i64);
}

bool Extremes::is_modulo(const Facts::Atom& atom) {
  return atom.code == code_of(OperationGroup::Wrapped, ir::BinaryOp::Modulo, types::i64) ||
         atom.code == code_of(OperationGroup::Wrapped, ir::BinaryOp::Modulo, types::i32);
}

std::optional<std::uint32_t> Extremes::find(AtomId atom) const {
  auto found = std::ranges::find(numbers, atom, &KnownNumber::atom);
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - numbers.begin());
}

std::optional<Polynomial> Extremes::read(const Expression& expression) const {
  if (expression.op == ExpressionOp::Constant) return Polynomial(expression.value);
  const auto found = std::ranges::find(numbers, expression, &KnownNumber::expression);
  if (found != numbers.end()) return Polynomial::number(static_cast<std::uint32_t>(found - numbers.begin()));
  if (expression.operands.size() != 2) return std::nullopt;
  const auto left = read(expression.operands[0]), right = read(expression.operands[1]);
  if (!left || !right) return std::nullopt;
  if (expression.op == ExpressionOp::Add) return left->plus(*right);
  if (expression.op == ExpressionOp::Subtract) return left->plus(*right, -1);
  if (expression.op == ExpressionOp::Multiply) return left->times(*right);
  return std::nullopt;
}

// The constant comes last, and before it the products that are taken away.
Expression Extremes::write(const Polynomial& polynomial) const {
  std::optional<Expression> sum;
  const auto append = [&](ExpressionOp op, Expression part) {
    sum = sum ? ir::binary_expression(op, std::move(*sum), std::move(part)) : std::move(part);
  };
  for (const bool is_added : {true, false})
    for (const Monomial& part : polynomial.monomials()) {
      if (part.factors.empty() || (part.coefficient > 0) != is_added) continue;
      const auto coefficient = static_cast<std::int64_t>(is_added ? part.coefficient : -part.coefficient);
      if (!sum && !is_added) sum = ir::constant_expression(0);
      std::optional<Expression> product;
      for (const std::uint32_t factor : part.factors)
        product = product ? ir::binary_expression(ExpressionOp::Multiply, std::move(*product),
                                                  numbers[factor].expression)
                          : numbers[factor].expression;
      if (coefficient != 1)
        product = ir::binary_expression(ExpressionOp::Multiply, std::move(*product),
                                        ir::constant_expression(coefficient));
      append(is_added ? ExpressionOp::Add : ExpressionOp::Subtract, std::move(*product));
    }
  for (const Monomial& part : polynomial.monomials())
    if (part.factors.empty())
      append(ExpressionOp::Add, ir::constant_expression(static_cast<std::int64_t>(part.coefficient)));
  return sum ? std::move(*sum) : ir::constant_expression(0);
}

void Extremes::assume(std::uint32_t number, Polynomial least, std::uint32_t fact) {
  tests_.push_back({number, std::move(least), fact, 0});
}

void Extremes::assume_most(Polynomial polynomial, Wide most, std::uint32_t fact) {
  tests_.push_back({std::nullopt, std::move(polynomial), fact, most});
}

bool Extremes::is_scalar(std::uint32_t number) const {
  return numbers[number].expression.op == ExpressionOp::Scalar;
}

bool Extremes::is_extent(AtomId atom) const {
  const auto number = find(atom);
  if (!number) return false;
  const ExpressionOp op = numbers[*number].expression.op;
  return op != ExpressionOp::Scalar && op != ExpressionOp::BlockDim && op != ExpressionOp::GridDim;
}

bool Extremes::is_free(std::uint32_t number) const {
  return is_scalar(number) || numbers[number].expression.op == ExpressionOp::BlockDim;
}

// ---- The least ----

Wide Extremes::least(std::uint32_t number) const {
  const auto wanted = wanted_least_.find(number);
  const Wide known = facts_.atom(numbers[number].atom).range.low;
  return asks_ && wanted != wanted_least_.end() ? std::max(known, Wide{wanted->second}) : known;
}

Wide Extremes::least(AtomId id) const {
  const Facts::Atom& atom = facts_.atom(id);
  if (!asks_) return atom.range.low;
  if (const auto number = find(id)) return least(*number);
  if (atom.kind == Facts::Kind::Wrapped) return std::max(atom.range.low, least(atom.left));
  const bool divides = atom.kind == Facts::Kind::FloorDivide || is_modulo(atom);
  if (!is_product(atom) && !divides) return atom.range.low;
  const Wide left = least(atom.left), right = least(atom.right);
  if (divides) return left >= 0 && right >= 1 ? std::max(atom.range.low, Wide{0}) : atom.range.low;
  return left >= 0 && right >= 0 ? std::max(atom.range.low, multiply({left, left}, {right, right}).low)
                                 : atom.range.low;
}

Wide Extremes::greatest(AtomId id) const {
  const Wide known = facts_.atom(id).range.high;
  const auto number = asks_ ? find(id) : std::nullopt;
  const auto wanted = number ? wanted_most_.find(*number) : wanted_most_.end();
  return wanted == wanted_most_.end() ? known : std::min(known, Wide{wanted->second});
}

Wide Extremes::least(const Affine& form) const {
  Wide result = form.constant;
  for (const Term& term : form.view())
    result += term.coefficient * (term.coefficient > 0 ? least(term.atom) : greatest(term.atom));
  return result;
}

// Says whether a form is at least `low`, or would be where scalars of it are as large as is noted then.
bool Extremes::want_least(const Affine& form, Wide low) {
  if (least(form) >= low) return true;
  const bool is_proved = proves(form, low);
  if (!asks_) return is_proved;
  const auto only = single_atom(form);
  const auto single = only ? find(*only) : std::nullopt;
  // Products are bounded by the ranges of their factors alone.
  if (is_proved && single && is_scalar(*single) && low >= 0 && low <= most_scalar)
    wanted_least_[*single] = static_cast<std::int64_t>(low);
  if (is_proved) return true;
  std::optional<Affine> rest = form; // without what is not negative
  for (const Term& term : form.view()) {
    const bool is_part = term.coefficient > 0 && want_not_negative(term.atom);
    if (is_part && rest) rest = combine(*rest, 1, affine(term.atom), -term.coefficient);
  }
  if (least(form) >= low || !rest) return least(form) >= low;
  for (const Term& term : form.view()) {
    const auto number = find(term.atom);
    if (least(form) >= low || !number || !is_free(*number)) continue;
    const bool grows = term.coefficient > 0;
    const Wide change = ceil_divide(low - least(form), Wide{std::abs(term.coefficient)});
    const Wide wanted = grows ? least(*number) + change : greatest(term.atom) - change;
    if (wanted > most_scalar || wanted < -most_scalar) continue;
    (grows ? wanted_least_ : wanted_most_)[*number] = static_cast<std::int64_t>(wanted);
  }
  return least(form) >= low || proves(*rest, low);
}

bool Extremes::want_numbers(const Affine& form) {
  const bool are_free = !form.is_constant() && std::ranges::all_of(form.view(), [&](const Term& term) {
    const auto number = find(term.atom);
    return number && is_free(*number);
  });
  return are_free && want_least(form, 0);
}

bool Extremes::proves(const Affine& form, Wide low) {
  const auto above = offset(form, -low);
  return above && facts_.prove(*above, quick);
}

// Says whether an operation is not negative where its operands are what is noted; a scalar stays part of its form.
bool Extremes::want_not_negative(AtomId id) {
  const Facts::Atom& atom = facts_.atom(id);
  if (const auto number = find(id)) {
    if (is_scalar(*number) && least(*number) < 0) wanted_least_[*number] = 0;
    return false;
  }
  if (atom.kind == Facts::Kind::Wrapped) return want_least(atom.left, 0);
  if (is_product(atom)) {
    const bool is_left = want_factor(atom.left);
    return want_factor(atom.right) && is_left;
  }
  const bool divides = atom.kind == Facts::Kind::FloorDivide || is_modulo(atom);
  return divides && want_least(atom.left, 0) && want_least(atom.right, 1);
}

// A scalar that something is multiplied by is at least 1 where there is something to reach.
bool Extremes::want_factor(const Affine& factor) {
  const auto only = single_atom(factor);
  return want_least(factor, only && find(*only) ? 1 : 0);
}

// ---- Tests of the launch ----

bool Extremes::covers(const Polynomial& polynomial, const Polynomial& other) const {
  return polynomial.covers(other, [&](std::uint32_t number) { return least(number); });
}

const Extremes::Test* Extremes::covering(std::optional<std::uint32_t> number, const Polynomial& most) const {
  const auto is_covering = [&](const Test& test) {
    return (!number || test.number == number) && covers(test.least, most);
  };
  const auto found = std::ranges::find_if(tests_, is_covering);
  return found == tests_.end() ? nullptr : &*found;
}

void Extremes::note(const Test& test, const Polynomial& most) {
  reasons_.push_back({Reason::Kind::Fact, {}, test.fact});
  if (test.number) reasons_.push_back(facts_.atom(numbers[*test.number].atom).high);
  for (const Polynomial* polynomial : {&test.least, &most})
    for (const Monomial& part : polynomial->monomials())
      for (const std::uint32_t factor : part.factors)
        reasons_.push_back(facts_.atom(numbers[factor].atom).low);
}

// Returns what a form is at most as a whole; by the launch first where that is said.
std::optional<Extremes::Bound> Extremes::most_of_all(const Affine& form, bool prefers_launch) {
  steps_ = 0;
  prefers_launch_ = prefers_launch;
  std::optional<Bound> result = most(form, 0);
  prefers_launch_ = false;
  return result;
}

// Returns the test that covers the most of a form, by what the program tests or by the launch.
const Extremes::Test* Extremes::covering(std::optional<std::uint32_t> number, const Affine& form,
                                         Polynomial& most_of_it) {
  for (const bool prefers_launch : {false, true}) {
    std::optional<Bound> bound = most_of_all(form, prefers_launch);
    const Test* test = bound ? covering(number, bound->most) : nullptr;
    if (!test) continue;
    most_of_it = std::move(bound->most);
    return test;
  }
  return nullptr;
}

bool Extremes::prove(const Affine& above) {
  reasons_.clear();
  for (const Term& term : above.view()) {
    const auto number = find(term.atom);
    if (term.coefficient != 1 || !number || std::ranges::find(tests_, number, &Test::number) == tests_.end())
      continue;
    const auto needed = combine(affine(term.atom), 1, above, -1);
    Polynomial most_of_it;
    const Test* test = needed ? covering(number, *needed, most_of_it) : nullptr;
    if (!test) continue;
    note(*test, most_of_it);
    return true;
  }
  return false;
}

bool Extremes::fits(const Affine& exact, Interval range) {
  if (tests_.empty() || least(exact) < range.low) return false;
  Polynomial most_of_it;
  const Test* test = covering(std::nullopt, exact, most_of_it);
  if (!test) return false;
  const Wide high = test->number ? facts_.atom(numbers[*test->number].atom).range.high : test->most;
  if (high > range.high) return false;
  if (!test->number) {
    reasons_.clear();
    note(*test, most_of_it);
    for (const Reason& reason : reasons_)
      if (reason.kind == Reason::Kind::Fact) exact_by_.push_back(reason.fact);
  }
  facts_.assume_within(exact, {range.low, high}, {Reason::Kind::Fact, {}, test->fact});
  return true;
}

// What the program tests of scalars before it comes here is tested by the launch: with it polynomials cover each other.
void Extremes::want_known_least(const Polynomial& polynomial) {
  for (const Monomial& part : polynomial.monomials())
    for (const std::uint32_t factor : part.factors) {
      const Wide here = facts_.atom(numbers[factor].atom).range.low;
      if (!is_scalar(factor) || here < 0 || here > most_scalar || least(factor) > here) continue;
      wanted_least_[factor] = std::max(wanted_least_[factor], static_cast<std::int64_t>(here));
    }
}

bool Extremes::is_asked(std::uint32_t number, const Polynomial& most) const {
  return std::ranges::any_of(
      asked_, [&](const Wanted& asked) { return asked.number == number && covers(asked.least, most); });
}

std::optional<Extremes::Wanted> Extremes::wanted(const Affine& index, const Affine& above) {
  const auto least_before = wanted_least_, most_before = wanted_most_;
  const std::size_t exact_before = wanted_exact_.size();
  seen_.clear();
  std::optional<Wanted> result;
  for (const Term& term : above.view()) {
    const auto number = find(term.atom);
    if (term.coefficient != 1 || !is_extent(term.atom)) continue;
    const auto needed = combine(affine(term.atom), 1, above, -1);
    auto bound = needed ? most_of_all(*needed, false) : std::nullopt;
    auto by_launch = needed ? most_of_all(*needed, true) : std::nullopt;
    if (by_launch && is_asked(*number, by_launch->most)) bound = std::move(by_launch);
    const bool is_own = bound && bound->most.mentions([&](std::uint32_t other) { return other == *number; });
    if (!bound || is_own || !want_least(index, 0)) continue;
    want_known_least(bound->most);
    result = Wanted{*number, bound->most};
    break;
  }
  if (!result) {
    wanted_least_ = least_before;
    wanted_most_ = most_before;
    wanted_exact_.resize(exact_before);
  }
  return result;
}

} // namespace kern
