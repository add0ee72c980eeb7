// Integers are exact: what does not fit is no result, so nothing here wraps.
#include "compiler/values/arithmetic.h"

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "compiler/values/fold.h"
#include "runtime/common/integers.h"

namespace kern::values {

bool is_bitwise(ast::BinaryOp op) {
  return op == ast::BinaryOp::BitAnd || op == ast::BinaryOp::BitOr || op == ast::BinaryOp::BitXor;
}

bool is_shift(ast::BinaryOp op) { return op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight; }

ir::BinaryOp ir_op(ast::BinaryOp op) {
  switch (op) {
  case ast::BinaryOp::Add: return ir::BinaryOp::Add;
  case ast::BinaryOp::Subtract: return ir::BinaryOp::Subtract;
  case ast::BinaryOp::Multiply: return ir::BinaryOp::Multiply;
  case ast::BinaryOp::Divide: return ir::BinaryOp::Divide;
  case ast::BinaryOp::FloorDivide: return ir::BinaryOp::FloorDivide;
  case ast::BinaryOp::Modulo: return ir::BinaryOp::Modulo;
  case ast::BinaryOp::ShiftLeft: return ir::BinaryOp::ShiftLeft;
  case ast::BinaryOp::ShiftRight: return ir::BinaryOp::ShiftRight;
  case ast::BinaryOp::BitAnd: return ir::BinaryOp::BitAnd;
  case ast::BinaryOp::BitOr: return ir::BinaryOp::BitOr;
  case ast::BinaryOp::BitXor: return ir::BinaryOp::BitXor;
  case ast::BinaryOp::Power:
  case ast::BinaryOp::MatrixMultiply: break;
  }
  assert(false && "IR has no such operation");
  return ir::BinaryOp::Add;
}

static std::optional<WideInt> power(WideInt base, WideInt exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  WideInt result = 1;
  for (WideInt k = 0; k < exponent; ++k)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

static std::optional<WideInt> shift_left(WideInt value, WideInt count) {
  if (count < 0 || (count > 127 && value != 0)) return std::nullopt;
  const int places = count > 127 ? 0 : static_cast<int>(count);
  auto result = static_cast<WideInt>(static_cast<unsigned __int128>(value) << places);
  return result >> places == value ? std::optional(result) : std::nullopt;
}

static std::optional<WideInt> shift_right(WideInt value, WideInt count) {
  if (count < 0) return std::nullopt;
  return value >> static_cast<int>(count > 127 ? WideInt(127) : count);
}

std::optional<WideInt> integer_operation(ast::BinaryOp op, WideInt left, WideInt right) {
  WideInt result;
  switch (op) {
  case ast::BinaryOp::Add:
    return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case ast::BinaryOp::Subtract:
    return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case ast::BinaryOp::Multiply:
    return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case ast::BinaryOp::FloorDivide:
    if (right == 0 || (right == -1 && __builtin_sub_overflow(WideInt(0), left, &result))) return std::nullopt;
    return floor_divide(left, right);
  case ast::BinaryOp::Modulo: return right == 0 ? std::nullopt : std::optional(floor_modulo(left, right));
  case ast::BinaryOp::Power: return power(left, right);
  case ast::BinaryOp::ShiftLeft: return shift_left(left, right);
  case ast::BinaryOp::ShiftRight: return shift_right(left, right);
  case ast::BinaryOp::BitAnd: return left & right;
  case ast::BinaryOp::BitOr: return left | right;
  case ast::BinaryOp::BitXor: return left ^ right;
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> real_operation(ast::BinaryOp op, double left, double right) {
  switch (op) {
  case ast::BinaryOp::Add: return left + right;
  case ast::BinaryOp::Subtract: return left - right;
  case ast::BinaryOp::Multiply: return left * right;
  case ast::BinaryOp::Divide: return left / right;
  case ast::BinaryOp::FloorDivide: return real_floor_divide(left, right);
  case ast::BinaryOp::Modulo: return real_floor_modulo(left, right);
  case ast::BinaryOp::Power: return std::pow(left, right);
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::ShiftRight:
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> python_operation(ast::BinaryOp op, double a, double b) {
  const bool divides =
      op == ast::BinaryOp::Divide || op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
  if (divides && b == 0) return std::nullopt;
  const std::optional<double> result = real_operation(op, a, b);
  const bool overflows =
      result && op == ast::BinaryOp::Power && std::isfinite(a) && std::isfinite(b) && !std::isfinite(*result);
  return overflows ? std::nullopt : result;
}

double quotient(WideInt left, WideInt right) {
  using Bits = unsigned __int128;
  constexpr Bits enough = Bits(1) << 54;
  if (left == 0) return right < 0 ? -0.0 : 0.0;
  const auto dividend = left < 0 ? 0 - static_cast<Bits>(left) : static_cast<Bits>(left);
  const auto divisor = right < 0 ? 0 - static_cast<Bits>(right) : static_cast<Bits>(right);
  Bits whole = dividend / divisor, rest = dividend % divisor;
  int exponent = 0;
  for (; whole < enough; --exponent) {
    rest *= 2;
    whole = whole * 2 + (rest >= divisor);
    if (rest >= divisor) rest -= divisor;
  }
  const double magnitude = std::ldexp(static_cast<double>(whole | (rest != 0)), exponent);
  return (left < 0) != (right < 0) ? -magnitude : magnitude;
}

int order_of(WideInt integer, double real) {
  if (real >= 0x1p126) return -1;
  if (real <= -0x1p126) return 1;
  const auto whole = static_cast<WideInt>(real);
  if (integer != whole) return integer < whole ? -1 : 1;
  const double rest = real - static_cast<double>(whole);
  return rest > 0 ? -1 : rest < 0;
}

double rounded_decimal(double value, int digits) {
  if (!std::isfinite(value)) return value;
  if (digits < 0) {
    const double power = std::pow(10.0, -digits);
    return std::isinf(power) ? std::copysign(0.0, value) : std::nearbyint(value / power) * power;
  }
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return std::strtod(text, nullptr);
}

} // namespace kern::values
