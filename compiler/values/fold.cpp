// Integers wrap at the width of their type; floats are computed in double and rounded once more for f32,
// which is exact for one + - * / (double has more than twice the bits). f16 and bf16 are computed in f32.
#include "compiler/values/fold.h"

#include <cmath>

#include "runtime/common/integers.h"

namespace kern::values {

namespace {

bool is_constant(const ir::Operand& operand) { return !operand.slot && is_scalar(operand.type); }

template <class T> bool holds(ir::CompareOp op, T left, T right) {
  switch (op) {
  case ir::CompareOp::Equal: return left == right;
  case ir::CompareOp::NotEqual: return left != right;
  case ir::CompareOp::Less: return left < right;
  case ir::CompareOp::LessEqual: return left <= right;
  case ir::CompareOp::Greater: return left > right;
  case ir::CompareOp::GreaterEqual: return left >= right;
  }
  return false;
}

std::optional<WideInt> wide_value(const ir::Operand& operand) {
  if (is_boolean(operand.type)) return operand.bits;
  if (!is_integer(operand.type)) return std::nullopt;
  if (is_signed(operand.type)) return ir::int_value(operand);
  return operand.bits;
}

// Rounds towards minus infinity; 0 where the divisor is 0.
WideInt divide(WideInt left, WideInt right, bool modulo) {
  if (right == 0) return 0;
  return modulo ? floor_modulo(left, right) : floor_divide(left, right);
}

std::optional<WideInt> fold_integers(ir::BinaryOp op, Type type, WideInt left, WideInt right) {
  auto count = static_cast<unsigned>(static_cast<std::uint64_t>(right) %
                                     static_cast<unsigned>(bit_width(type->scalar)));
  auto bits = static_cast<std::uint64_t>(left);
  switch (op) {
  case ir::BinaryOp::Add: return left + right;
  case ir::BinaryOp::Subtract: return left - right;
  case ir::BinaryOp::Multiply: return static_cast<WideInt>(bits * static_cast<std::uint64_t>(right));
  case ir::BinaryOp::Divide: return std::nullopt;
  case ir::BinaryOp::FloorDivide: return divide(left, right, false);
  case ir::BinaryOp::Modulo: return divide(left, right, true);
  case ir::BinaryOp::ShiftLeft: return static_cast<WideInt>(bits << count);
  case ir::BinaryOp::ShiftRight: return left >> count;
  case ir::BinaryOp::BitAnd: return left & right;
  case ir::BinaryOp::BitOr: return left | right;
  case ir::BinaryOp::BitXor: return left ^ right;
  }
  return std::nullopt;
}

template <class F> F modulo(F left, F right) {
  F rest = std::fmod(left, right);
  if (rest == 0) return std::copysign(F(0), right);
  bool adjusts = !std::isnan(rest) && (rest < 0) != (right < 0);
  return adjusts ? rest + right : rest;
}

// As Python rounds: from the exact remainder, which makes the quotient a whole number but for one rounding.
template <class F> F quotient(F left, F right) {
  F rest = std::fmod(left, right), plain = left / right;
  if (right == 0) return plain;
  F exact = (left - rest) / right;
  bool adjusts = rest != 0 && !std::isnan(rest) && (rest < 0) != (right < 0);
  if (adjusts) exact -= 1;
  F floor = std::floor(exact);
  if (exact - floor > F(0.5)) floor += 1;
  return exact == 0 ? std::copysign(F(0), plain) : floor;
}

template <class F> std::optional<double> fold_reals(ir::BinaryOp op, F left, F right) {
  switch (op) {
  case ir::BinaryOp::Add: return left + right;
  case ir::BinaryOp::Subtract: return left - right;
  case ir::BinaryOp::Multiply: return left * right;
  case ir::BinaryOp::Divide: return left / right;
  case ir::BinaryOp::FloorDivide: return quotient(left, right);
  case ir::BinaryOp::Modulo: return modulo(left, right);
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight:
  case ir::BinaryOp::BitAnd:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ir::Operand> fold_floats(ir::BinaryOp op, Type type, double left, double right) {
  std::optional<double> result = type == types::f64
                                     ? fold_reals(op, left, right)
                                     : fold_reals(op, static_cast<float>(left), static_cast<float>(right));
  return result ? std::optional(ir::constant_float(type, *result)) : std::nullopt;
}

// Saturates, and takes NaN as 0.
WideInt integer_of(double value, Type type) {
  if (std::isnan(value)) return 0;
  double truncated = std::trunc(value);
  if (truncated >= static_cast<double>(greatest_value(type->scalar))) return greatest_value(type->scalar);
  if (truncated <= static_cast<double>(least_value(type->scalar))) return least_value(type->scalar);
  return static_cast<WideInt>(truncated);
}

// Beyond 53 bits what is cut off goes into the last bit that stays, so that one more rounding to fewer bits
// is right.
double nearly_exact(WideInt value) {
  constexpr WideInt exact = WideInt(1) << 53;
  if (value >= -exact && value <= exact) return static_cast<double>(value);
  WideInt cut = value & 0x7FF;
  return static_cast<double>((value - cut) | (WideInt(cut != 0) << 11));
}

} // namespace

double real_floor_divide(double left, double right) { return quotient(left, right); }
double real_floor_modulo(double left, double right) { return modulo(left, right); }

double extreme(bool greatest, double left, double right) {
  if (std::isnan(left)) return right;
  if (std::isnan(right)) return left;
  if (left == right) return std::signbit(left) == greatest ? right : left;
  return (left > right) == greatest ? left : right;
}

ir::Operand wrapped(Type type, std::uint64_t bits) {
  return ir::constant_int(type, static_cast<std::int64_t>(bits));
}

ir::Operand constant_of(Type type, WideInt value) {
  if (is_boolean(type)) return ir::constant_bool(value != 0);
  if (is_integer(type)) return wrapped(type, static_cast<std::uint64_t>(value));
  if (type == types::f64) return ir::constant_float(type, static_cast<double>(value));
  if (type == types::f32) return ir::constant_float(type, static_cast<double>(static_cast<float>(value)));
  return ir::constant_float(type, nearly_exact(value));
}

std::optional<ir::Operand> fold_unary(ir::UnaryOp op, const ir::Operand& value) {
  if (!is_constant(value) || is_complex(value.type)) return std::nullopt;
  switch (op) {
  case ir::UnaryOp::Not: return ir::constant_bool(value.bits == 0);
  case ir::UnaryOp::BitNot: return wrapped(value.type, ~value.bits);
  case ir::UnaryOp::Negate:
    if (is_float(value.type)) return ir::constant_float(value.type, -ir::float_value(value));
    return wrapped(value.type, 0 - value.bits);
  }
  return std::nullopt;
}

std::optional<ir::Operand> fold_binary(ir::BinaryOp op, const ir::Operand& left, const ir::Operand& right) {
  if (!is_constant(left) || !is_constant(right)) return std::nullopt;
  if (is_float(left.type)) return fold_floats(op, left.type, ir::float_value(left), ir::float_value(right));
  std::optional<WideInt> a = wide_value(left), b = wide_value(right);
  if (!a || !b) return std::nullopt;
  std::optional<WideInt> result = fold_integers(op, left.type, *a, *b);
  if (!result) return std::nullopt;
  if (is_boolean(left.type)) return ir::constant_bool(*result != 0);
  return wrapped(left.type, static_cast<std::uint64_t>(*result));
}

std::optional<ir::Operand> fold_compare(ir::CompareOp op, const ir::Operand& left, const ir::Operand& right) {
  if (!is_constant(left) || !is_constant(right)) return std::nullopt;
  if (is_float(left.type)) return ir::constant_bool(holds(op, ir::float_value(left), ir::float_value(right)));
  std::optional<WideInt> a = wide_value(left), b = wide_value(right);
  if (!a || !b) return std::nullopt;
  return ir::constant_bool(holds(op, *a, *b));
}

std::optional<ir::Operand> fold_convert(const ir::Operand& value, Type type) {
  if (!is_constant(value) || is_complex(type)) return std::nullopt;
  if (value.type == type) return value;
  if (std::optional<WideInt> integer = wide_value(value)) return constant_of(type, *integer);
  if (!is_float(value.type)) return std::nullopt;
  double real = ir::float_value(value);
  if (is_boolean(type)) return ir::constant_bool(real != 0);
  if (is_integer(type)) return wrapped(type, static_cast<std::uint64_t>(integer_of(real, type)));
  return ir::constant_float(type, real);
}

} // namespace kern::values
