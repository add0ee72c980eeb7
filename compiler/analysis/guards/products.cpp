// Products, quotients and remainders as the prover sees them: by constants they are affine, the others are atoms that are
// compared with what has been multiplied before.
#include <algorithm>

#include "compiler/analysis/guards/operation_codes.h"
#include "compiler/analysis/guards/symbolic.h"
#include "runtime/common/integers.h"

namespace kern {

static constexpr std::ptrdiff_t most_products = 32; // that a quotient or another product is compared with

// Returns the constant that a form is, if it may be a coefficient.
static std::optional<std::int64_t> factor_of(const Affine& form) {
  if (!form.is_constant() || form.constant > largest_divisor || form.constant < -largest_divisor)
    return std::nullopt;
  return static_cast<std::int64_t>(form.constant);
}

Affine Symbolic::multiply_forms(Type type, const Affine& left, const Affine& right) {
  auto wrapped = code_of(OperationGroup::Wrapped, ir::BinaryOp::Multiply, type);
  if (auto factor = factor_of(right)) return fitted(scale(left, *factor), type, wrapped, left, right);
  if (auto factor = factor_of(left)) return fitted(scale(right, *factor), type, wrapped, right, left);
  // The product as if it could not wrap; it is the value only if it is known to fit the type.
  Affine product = exact_product(left, right);
  const auto factor_range = [&](const Affine& factor) {
    Interval known = facts.bounds(factor);
    if (known.low < 0 && facts.prove(factor, quick)) known.low = 0;
    return known;
  };
  Interval range = multiply(factor_range(left), factor_range(right));
  if (left == right) {
    range.low = std::max(range.low, Wide{0});
    relate_square(*single_atom(product));
  }
  range = {std::max(range.low, unlimited.low), std::min(range.high, unlimited.high)};
  facts.assume_within(product, range, reason_of(left, right));
  relate_product(*single_atom(product));
  relate_quotient(*single_atom(product));
  return fitted(product, type, wrapped, left, right);
}

// A square is no less than its root, whose sign does not matter: what bounds it bounds the root.
void Symbolic::relate_square(AtomId id) {
  const Affine square = affine(id), root = facts.atom(id).left;
  if (const auto above = subtract(square, root)) facts.assume(*above, {});
  if (const auto below = add(square, root)) facts.assume(*below, {});
}

void Symbolic::relate_product(AtomId id) {
  const Facts::Atom& product = facts.atom(id);
  std::ptrdiff_t tried = 0;
  for (std::size_t i = products_.size(); i-- > 0 && tried < most_products; ++tried) {
    const Facts::Atom& known = facts.atom(products_[i]);
    bool exact = contains(unclamped, facts.bounds(affine(products_[i])));
    if (products_[i] == id || !exact) continue;
    for (const auto& [width, row] :
         {std::pair(product.left, product.right), std::pair(product.right, product.left)}) {
      if (facts.bounds(width).low < 0 || (!(known.left == width) && !(known.right == width))) continue;
      const Affine& height = known.left == width ? known.right : known.left;
      // row < height and width >= 0 give row * width + width <= height * width.
      auto below = subtract(height, row);
      if (below) below = offset(*below, -1);
      if (!below || !facts.prove(*below, quick)) continue;
      auto place = std::ranges::find_if(facts.reasons(), is_place);
      Reason reason = place == facts.reasons().end() ? Reason{} : *place;
      auto fits = combine(affine(products_[i]), 1, affine(id), -1);
      if (fits) fits = subtract(*fits, width);
      if (fits) facts.assume(*fits, reason);
    }
  }
}

void Symbolic::relate_quotient(AtomId id) {
  const Facts::Atom& product = facts.atom(id);
  for (const auto& [number, factor] :
       {std::pair(product.left, product.right), std::pair(product.right, product.left)}) {
    auto only = single_atom(number);
    if (!only || facts.atom(*only).kind != Facts::Kind::FloorDivide) continue;
    // With q = n // d and d >= 1: q * d is at most n and more than n - d, and for n >= 0 and 0 <= a < d also a * q
    // + q is at most n.
    const Facts::Atom& quotient = facts.atom(*only);
    const Affine &dividend = quotient.left, &divisor = quotient.right;
    if (facts.bounds(divisor).low < 1) continue;
    bool whole = factor == divisor;
    auto smaller = subtract(divisor, factor);
    if (smaller) smaller = offset(*smaller, -1);
    bool is_part = !whole && facts.bounds(dividend).low >= 0 && facts.bounds(factor).low >= 0 && smaller &&
                   facts.prove(*smaller, quick);
    if (!whole && !is_part) continue;
    auto below = subtract(dividend, affine(id));
    if (below && is_part) below = subtract(*below, number);
    if (below) facts.assume(*below, {});
    auto above = whole ? subtract(affine(id), dividend) : std::nullopt;
    if (above) above = add(*above, divisor);
    if (above) above = offset(*above, -1);
    if (above) facts.assume(*above, {});
  }
}

Affine Symbolic::exact_product(const Affine& left, const Affine& right) {
  auto code = code_of(OperationGroup::Exact, ir::BinaryOp::Multiply, types::i64);
  auto by_atom = [](const Term& a, const Term& b) { return a.atom < b.atom; };
  bool swaps = std::ranges::lexicographical_compare(right.view(), left.view(), by_atom);
  const Affine &first = swaps ? right : left, &second = swaps ? left : right;
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, first, second, unlimited);
  auto recent = std::ssize(products_) < most_products ? products_.begin() : products_.end() - most_products;
  if (std::find(recent, products_.end(), atom) == products_.end()) products_.push_back(atom);
  return affine(atom);
}

std::optional<Fact> Symbolic::quotient_limit(const Affine& left, const Affine& divisor) {
  if (facts.bounds(left).low < 0) return std::nullopt;
  std::ptrdiff_t tried = 0;
  for (std::size_t i = products_.size(); i-- > 0 && tried < most_products; ++tried) {
    const Facts::Atom& product = facts.atom(products_[i]);
    if (!(product.left == divisor) && !(product.right == divisor)) continue;
    const Affine& other = product.left == divisor ? product.right : product.left;
    if (facts.bounds(divisor).low < 0 || facts.bounds(other).low < 0) continue;
    auto below = subtract(affine(products_[i]), left);
    if (below) below = offset(*below, -1);
    if (!below || !facts.prove(*below, quick)) continue;
    // 0 <= left < other * divisor: neither is 0.
    auto place = std::ranges::find_if(facts.reasons(), is_place);
    Reason reason = place == facts.reasons().end() ? Reason{} : *place;
    if (auto some = offset(divisor, -1)) facts.assume(*some, reason);
    if (auto some = offset(other, -1)) facts.assume(*some, reason);
    return Fact{other, reason};
  }
  return std::nullopt;
}

Affine Symbolic::indivisible_part(const Affine& left, Wide divisor) const {
  Affine rest;
  rest.constant = left.constant - floor_divide(left.constant, divisor) * divisor;
  for (const Term& term : left.view()) {
    if (term.coefficient % divisor != 0) rest.terms[rest.size++] = term;
  }
  // The whole is a value of some type; a part of it may be anything.
  return contains(unclamped, facts.bounds(rest)) ? rest : left;
}

Affine Symbolic::quotient(const Affine& left, Wide divisor) {
  // (divisor * whole + rest) // divisor is whole + rest // divisor.
  Affine rest = indivisible_part(left, divisor);
  Affine whole;
  if (!(rest == left)) {
    whole.constant = floor_divide(left.constant, divisor);
    for (const Term& term : left.view()) {
      if (term.coefficient % divisor == 0)
        whole.terms[whole.size++] = {term.atom, static_cast<std::int64_t>(term.coefficient / divisor)};
    }
  }
  Interval range = facts.bounds(rest);
  range = {floor_divide(range.low, divisor), floor_divide(range.high, divisor)};
  if (range == Interval{}) return whole;
  auto code = code_of(OperationGroup::Exact, ir::BinaryOp::FloorDivide, types::i64);
  AtomId atom = facts.operation(Facts::Kind::FloorDivide, code, rest, affine(divisor), unlimited);
  if (divisor <= largest_divisor) {
    // divisor * q <= rest <= divisor * q + divisor - 1
    auto factor = static_cast<std::int64_t>(divisor);
    auto below = combine(rest, 1, affine(atom), -factor);
    auto above = combine(affine(atom), factor, rest, -1);
    if (above) above = offset(*above, divisor - 1);
    if (below) facts.axiom(atom, *below);
    if (above) facts.axiom(atom, *above);
  }
  facts.assume_within(affine(atom), range, facts.reason_of(rest));
  auto sum = add(whole, affine(atom));
  return sum ? *sum : affine(facts.fresh(unlimited));
}

Affine Symbolic::floor_divide_forms(Type type, const Affine& left, const Affine& right) {
  auto wrapped = code_of(OperationGroup::Wrapped, ir::BinaryOp::FloorDivide, type);
  if (right.is_constant() && right.constant > 0) return quotient(left, right.constant);
  if (right.is_constant() && right.constant < 0) {
    // The smallest value of a type divided by -1 wraps.
    auto negative = scale(left, -1);
    std::optional<Affine> exact;
    if (negative) exact = quotient(*negative, -right.constant);
    return fitted(exact, type, wrapped, left, right);
  }
  std::optional<Fact> limit = quotient_limit(left, right);
  AtomId atom = facts.operation(Facts::Kind::FloorDivide, wrapped, left, right, type_interval(type));
  std::optional<Affine> below;
  if (limit) below = combine(limit->form, 1, affine(atom), -1);
  if (below) below = offset(*below, -1);
  if (below) facts.assume(*below, limit->reason);
  Interval dividend = facts.bounds(left);
  // No divisor takes a value further from 0, but one below 0 turns its sign.
  const Wide size = std::max(dividend.high, -dividend.low);
  if (facts.bounds(right).low < 1) {
    facts.assume_within(affine(atom), {-size, size}, facts.reason_of(left));
    return affine(atom);
  }
  // Dividing by 1 or more brings a value towards 0, or -1 from below.
  facts.assume_within(affine(atom), {std::min<Wide>(dividend.low, 0), std::max<Wide>(dividend.high, -1)},
                      reason_of(left, right));
  if (dividend.low >= 0) {
    if (auto below = subtract(left, affine(atom))) facts.assume(*below, reason_of(left, right));
  }
  return affine(atom);
}

Affine Symbolic::remainder(const Affine& left, Wide divisor) {
  Affine rest = indivisible_part(left, divisor);
  if (contains({0, divisor - 1}, facts.bounds(rest))) return rest;
  auto code = code_of(OperationGroup::Exact, ir::BinaryOp::Modulo, types::i64);
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, rest, affine(divisor), {0, divisor - 1});
  if (divisor > largest_divisor) return affine(atom);
  // rest = divisor * q + remainder
  auto whole = combine(rest, 1, quotient(rest, divisor), -static_cast<std::int64_t>(divisor));
  if (whole) whole = subtract(*whole, affine(atom));
  auto negative = whole ? scale(*whole, -1) : std::nullopt;
  if (!negative) return affine(atom);
  facts.axiom(atom, *whole);
  facts.axiom(atom, *negative);
  // The dividend is found by them too.
  facts.assume(*whole, {});
  facts.assume(*negative, {});
  return affine(atom);
}

Affine Symbolic::modulo_forms(Type type, const Affine& left, const Affine& right) {
  if (right.is_constant() && right.constant > 0) return remainder(left, right.constant);
  auto code = code_of(OperationGroup::Wrapped, ir::BinaryOp::Modulo, type);
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, left, right, type_interval(type));
  quotient_limit(left, right);
  Interval divisor = facts.bounds(right);
  // It has the sign of the divisor, and is nearer to 0.
  if (divisor.low < 1) {
    const Interval range{std::min<Wide>(divisor.low + 1, 0), std::max<Wide>(divisor.high - 1, 0)};
    facts.assume_within(affine(atom), range, facts.reason_of(right));
    return affine(atom);
  }
  facts.assume_within(affine(atom), {0, divisor.high - 1}, facts.reason_of(right));
  auto below = combine(right, 1, affine(atom), -1);
  if (below) below = offset(*below, -1);
  if (below) facts.assume(*below, facts.reason_of(right));
  if (facts.bounds(left).low >= 0) {
    if (auto smaller = subtract(left, affine(atom))) facts.assume(*smaller, {});
  }
  return affine(atom);
}

} // namespace kern
