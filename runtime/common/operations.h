// Computes one operation of an expression over the arguments of a launch for integers, so that the tree
// (expression.cpp) and its steps (program.cpp) give the same.
#pragma once

#include <cstdint>
#include <optional>

#include "kern/expression.h"
#include "runtime/common/integers.h"

namespace kern::operations {

// Integers wrap at 64 bits, as in a kernel.
constexpr std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

constexpr std::int64_t negate(std::int64_t value) { return wrapped(0 - static_cast<std::uint64_t>(value)); }

template <class T> constexpr std::int64_t low(std::uint64_t bits) {
  return static_cast<std::int64_t>(static_cast<T>(bits));
}

// Returns the integer of that type, or the bool, in a slot of 64 bits; of a real its bits.
constexpr std::int64_t integer(std::uint64_t bits, ExpressionType type) {
  switch (type) {
  case ExpressionType::Bool: return (bits & 0xff) != 0;
  case ExpressionType::I8: return low<std::int8_t>(bits);
  case ExpressionType::I16: return low<std::int16_t>(bits);
  case ExpressionType::I32: return low<std::int32_t>(bits);
  case ExpressionType::U8: return low<std::uint8_t>(bits);
  case ExpressionType::U16: return low<std::uint16_t>(bits);
  case ExpressionType::U32: return low<std::uint32_t>(bits);
  case ExpressionType::I64:
  case ExpressionType::U64:
  case ExpressionType::F32:
  case ExpressionType::F64: break;
  }
  return wrapped(bits);
}

// Returns what an operation of two numbers gives; nothing of a division by zero, and of other operations.
constexpr std::optional<std::int64_t> arithmetic(ExpressionOp op, std::int64_t a, std::int64_t b) {
  auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
  case ExpressionOp::Add: return wrapped(x + y);
  case ExpressionOp::Subtract: return wrapped(x - y);
  case ExpressionOp::Multiply: return wrapped(x * y);
  case ExpressionOp::FloorDivide: return b == 0 ? std::nullopt : std::optional(floor_divide(a, b));
  case ExpressionOp::Modulo: return b == 0 ? std::nullopt : std::optional(floor_modulo(a, b));
  case ExpressionOp::Minimum: return a < b ? a : b;
  case ExpressionOp::Maximum: return a > b ? a : b;
  case ExpressionOp::BitAnd: return wrapped(x & y);
  case ExpressionOp::BitOr: return wrapped(x | y);
  case ExpressionOp::BitXor: return wrapped(x ^ y);
  default: return std::nullopt;
  }
}

// Returns where a step finds what an expression reads: the word of the parameter block, or the axis of the launch's shape. Nothing
// where there is no such place, and of other expressions.
inline std::optional<std::uint32_t> place_of(const Expression& expression) {
  std::int64_t offset = 0;
  switch (expression.op) {
  case ExpressionOp::SharedBytes: return 0;
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim:
    if (expression.axis < 0 || expression.axis > 2) return std::nullopt;
    return static_cast<std::uint32_t>(expression.axis);
  case ExpressionOp::Scalar:
  case ExpressionOp::Address: break;
  case ExpressionOp::Extent: offset = 1 + std::int64_t(expression.axis); break;
  case ExpressionOp::Stride: offset = 1 + std::int64_t(expression.rank) + expression.axis; break;
  default: return std::nullopt;
  }
  if (expression.value < 0 || expression.value > INT32_MAX || offset < 0) return std::nullopt;
  const std::int64_t slot = expression.value + offset;
  return slot > INT32_MAX ? std::nullopt : std::optional(static_cast<std::uint32_t>(slot));
}

constexpr bool is_comparison(ExpressionOp op) {
  return op >= ExpressionOp::Equal && op <= ExpressionOp::GreaterEqual;
}

// Returns what a comparison gives, of integers or of reals.
template <class Number> constexpr bool compare(ExpressionOp op, Number a, Number b) {
  switch (op) {
  case ExpressionOp::Equal: return a == b;
  case ExpressionOp::NotEqual: return a != b;
  case ExpressionOp::Less: return a < b;
  case ExpressionOp::LessEqual: return a <= b;
  case ExpressionOp::Greater: return a > b;
  default: return a >= b;
  }
}

} // namespace kern::operations
