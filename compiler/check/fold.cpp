// Integers wrap at the width of their type; floats are computed in double and rounded once more for f32,
// which is exact for one + - * / (double has more than twice the bits).
#include "compiler/check/fold.h"

#include <cmath>

#include "compiler/types/convert.h"
#include "runtime/common/integers.h"

namespace kern::checker {

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

std::optional<WideInt> divide(WideInt left, WideInt right, bool modulo) {
  if (right == 0) return std::nullopt;
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

bool is_ieee(Type type) { return type == types::f32 || type == types::f64; }

ir::Operand rounded(Type type, double value) {
  return ir::constant_float(type,
                            type == types::f32 ? static_cast<double>(static_cast<float>(value)) : value);
}

std::optional<ir::Operand> fold_floats(ir::BinaryOp op, Type type, double left, double right) {
  switch (op) {
  case ir::BinaryOp::Add: return rounded(type, left + right);
  case ir::BinaryOp::Subtract: return rounded(type, left - right);
  case ir::BinaryOp::Multiply: return rounded(type, left * right);
  case ir::BinaryOp::Divide: return rounded(type, left / right);
  case ir::BinaryOp::FloorDivide:
  case ir::BinaryOp::Modulo:
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight:
  case ir::BinaryOp::BitAnd:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: return std::nullopt;
  }
  return std::nullopt;
}

// Saturates, and takes NaN as 0.
WideInt integer_of(double value, Type type) {
  if (std::isnan(value)) return 0;
  double truncated = std::trunc(value);
  if (truncated >= static_cast<double>(greatest_value(type->scalar))) return greatest_value(type->scalar);
  if (truncated <= static_cast<double>(least_value(type->scalar))) return least_value(type->scalar);
  return static_cast<WideInt>(truncated);
}

} // namespace

ir::Operand wrapped(Type type, std::uint64_t bits) {
  int width = bit_width(type->scalar);
  if (width == 64) return ir::constant_int(type, static_cast<std::int64_t>(bits));
  std::uint64_t low = bits & ((std::uint64_t(1) << width) - 1);
  bool negative = is_signed(type) && ((low >> (width - 1)) & 1) != 0;
  if (negative) low |= ~std::uint64_t(0) << width;
  return ir::constant_int(type, static_cast<std::int64_t>(low));
}

std::optional<ir::Operand> fold_binary(ir::BinaryOp op, const ir::Operand& left, const ir::Operand& right) {
  if (!is_constant(left) || !is_constant(right)) return std::nullopt;
  if (is_ieee(left.type)) return fold_floats(op, left.type, ir::float_value(left), ir::float_value(right));
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
  if (!is_constant(value)) return std::nullopt;
  if (value.type == type) return value;
  std::optional<WideInt> integer = wide_value(value);
  if (is_boolean(type)) return integer ? std::optional(ir::constant_bool(*integer != 0)) : std::nullopt;
  if (is_integer(type) && integer) return wrapped(type, static_cast<std::uint64_t>(*integer));
  if (is_integer(type) && is_float(value.type))
    return wrapped(type, static_cast<std::uint64_t>(integer_of(ir::float_value(value), type)));
  if (!is_ieee(type)) return std::nullopt;
  if (integer && type == types::f32)
    return ir::constant_float(type, static_cast<double>(static_cast<float>(*integer)));
  if (integer) return ir::constant_float(type, static_cast<double>(*integer));
  if (is_float(value.type)) return rounded(type, ir::float_value(value));
  return std::nullopt;
}

} // namespace kern::checker
