// Arithmetic of intervals. A result may be wider than need be (of bit operators it has a power of two as its
// end), but holds every number that the operator can give.
#include "compiler/check/intervals.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "runtime/common/integers.h"

namespace kern::checker {

namespace {

constexpr WideInt beyond = WideInt(1) << 120;

WideInt bounded(WideInt value) { return std::clamp(value, -beyond, beyond); }

WideInt product(WideInt a, WideInt b) {
  WideInt result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? beyond : -beyond;
  return bounded(result);
}

Interval around(std::initializer_list<WideInt> numbers) { return {std::min(numbers), std::max(numbers)}; }

Interval times(const Interval& a, const Interval& b) {
  return around({product(a.least, b.least), product(a.least, b.greatest), product(a.greatest, b.least),
                 product(a.greatest, b.greatest)});
}

// The numbers of a divisor on one side of 0; a division by 0 is a fault.
std::optional<Interval> positive_part(const Interval& a) {
  if (a.greatest < 1) return std::nullopt;
  return Interval{std::max(a.least, WideInt(1)), a.greatest};
}

std::optional<Interval> negative_part(const Interval& a) {
  if (a.least > -1) return std::nullopt;
  return Interval{a.least, std::min(a.greatest, WideInt(-1))};
}

Interval quotient(const Interval& a, const Interval& b) {
  std::optional<Interval> result;
  for (const std::optional<Interval>& part : {positive_part(b), negative_part(b)}) {
    if (!part) continue;
    Interval quotients =
        around({floor_divide(a.least, part->least), floor_divide(a.least, part->greatest),
                floor_divide(a.greatest, part->least), floor_divide(a.greatest, part->greatest)});
    result = result ? hull(*result, quotients) : quotients;
  }
  return result.value_or(Interval{});
}

Interval rest(const Interval& a, const Interval& b) {
  bool stays = b.least > 0 && a.least >= 0 && a.greatest < b.least;
  if (stays) return a;
  Interval result;
  if (b.greatest > 0) result.greatest = b.greatest - 1;
  if (b.least < 0) result.least = b.least + 1;
  if (a.least >= 0 && b.least >= 0) result.greatest = std::min(result.greatest, a.greatest);
  return result;
}

// The counts that a shift uses.
Interval counts(const Interval& b, int width) {
  if (b.least >= 0 && b.greatest < width) return b;
  if (b.least == b.greatest) return {b.least & (width - 1), b.least & (width - 1)};
  return {0, width - 1};
}

Interval shifted_right(const Interval& a, const Interval& count) {
  auto shift = [](WideInt value, WideInt by) { return value >> static_cast<int>(by); };
  return around({shift(a.least, count.least), shift(a.least, count.greatest), shift(a.greatest, count.least),
                 shift(a.greatest, count.greatest)});
}

// Returns 2^n - 1, the least that is no less than a number that is not negative.
WideInt ones_over(WideInt value) {
  WideInt result = 0;
  while (result < value) result = 2 * result + 1;
  return result;
}

Interval bits(ast::BinaryOp op, const Interval& a, const Interval& b) {
  bool left = a.least >= 0, right = b.least >= 0;
  if (op == ast::BinaryOp::BitAnd && (left || right)) {
    if (left && right) return {0, std::min(a.greatest, b.greatest)};
    return {0, left ? a.greatest : b.greatest};
  }
  if (left && right) {
    WideInt least = op == ast::BinaryOp::BitOr ? std::max(a.least, b.least) : 0;
    return {least, ones_over(std::max(a.greatest, b.greatest))};
  }
  WideInt ones = ones_over(std::max({a.greatest, b.greatest, -1 - a.least, -1 - b.least}));
  return {-1 - ones, ones};
}

WideInt raised(WideInt base, WideInt exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  WideInt result = 1;
  for (WideInt k = 0; k < exponent && result != beyond && result != -beyond; ++k)
    result = product(result, base);
  return result;
}

// A negative exponent gives 0.
Interval power(const Interval& a, const Interval& b) {
  if (b.greatest < 0) return {};
  WideInt least = std::max(b.least, WideInt(0)), size = std::max(a.greatest, -a.least);
  Interval result;
  if (a.least >= 0) {
    result = {raised(a.least, a.least == 0 ? b.greatest : least), raised(a.greatest, b.greatest)};
    if (least == 0) result = hull(result, {1, 1});
  } else if (b.least == b.greatest) {
    Interval ends = around({raised(a.least, least), raised(a.greatest, least)});
    result = least == 0 ? Interval{1, 1} : least % 2 == 0 && a.greatest > 0 ? hull(ends, {0, 0}) : ends;
  } else {
    WideInt most = raised(size, b.greatest);
    result = {-most, most};
  }
  return b.least < 0 ? hull(result, {0, 0}) : result;
}

} // namespace

Interval interval_of(Type type) {
  if (is_boolean(type)) return {0, 1};
  return {least_value(type->scalar), greatest_value(type->scalar)};
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Interval interval_of(ast::BinaryOp op, const Interval& a, const Interval& b, int width) {
  switch (op) {
  case ast::BinaryOp::Add: return {bounded(a.least + b.least), bounded(a.greatest + b.greatest)};
  case ast::BinaryOp::Subtract: return {bounded(a.least - b.greatest), bounded(a.greatest - b.least)};
  case ast::BinaryOp::Multiply: return times(a, b);
  case ast::BinaryOp::FloorDivide: return quotient(a, b);
  case ast::BinaryOp::Modulo: return rest(a, b);
  case ast::BinaryOp::Power: return power(a, b);
  case ast::BinaryOp::ShiftLeft: {
    Interval by = counts(b, width);
    return times(a, {WideInt(1) << static_cast<int>(by.least), WideInt(1) << static_cast<int>(by.greatest)});
  }
  case ast::BinaryOp::ShiftRight: return shifted_right(a, counts(b, width));
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor: return bits(op, a, b);
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::MatrixMultiply: break;
  }
  return {-beyond, beyond};
}

Interval negated(const Interval& a) { return {-a.greatest, -a.least}; }

Interval absolute(const Interval& a) {
  if (a.least >= 0) return a;
  if (a.greatest <= 0) return negated(a);
  return {0, std::max(a.greatest, -a.least)};
}

Interval inverted(const Interval& a, Type type) {
  WideInt ones = is_signed(type) ? -1 : greatest_value(type->scalar);
  return {ones - a.greatest, ones - a.least};
}

Interval extremum(bool greatest, const Interval& a, const Interval& b) {
  if (greatest) return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
  return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
}

} // namespace kern::checker
