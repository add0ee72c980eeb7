// The steps of an expression stand in postfix order. A launch with two contracts over extents runs six steps,
// without a call (benchmarks/launch.cpp).
#include "runtime/common/program.h"

#include <algorithm>

namespace kern {

Program::Program(const Expression& expression) : expression_(&expression) {
  if (!append(expression, 0)) steps_.clear();
  auto is_word = [](const Step& step) {
    return step.op == ExpressionOp::Extent || step.op == ExpressionOp::Stride;
  };
  if (steps_.size() != 3 || !is_word(steps_[0]) || !is_word(steps_[1])) return;
  ExpressionOp op = steps_[2].op;
  is_comparison_ =
      op == ExpressionOp::Equal || op == ExpressionOp::LessEqual || op == ExpressionOp::GreaterEqual;
  last_slot_ = std::max(steps_[0].slot, steps_[1].slot);
}

// Says whether it can be steps; `depth` values are on the stack below it.
bool Program::append(const Expression& expression, int depth) {
  if (depth >= deepest) return false;
  Step step{expression.op, expression.type, 0, expression.value};
  switch (expression.op) {
  case ExpressionOp::ConstantReal: return false;
  case ExpressionOp::Constant: break;
  case ExpressionOp::Scalar:
    if (expression.type >= ExpressionType::U64) return false;
    [[fallthrough]];
  case ExpressionOp::Address:
  case ExpressionOp::Extent:
  case ExpressionOp::Stride: {
    std::int64_t offset = expression.op == ExpressionOp::Extent ? 1 + std::int64_t(expression.axis)
                          : expression.op == ExpressionOp::Stride
                              ? 1 + std::int64_t(expression.rank) + expression.axis
                              : 0;
    std::int64_t slot = expression.value + offset;
    if (expression.value < 0 || offset < 0 || slot > INT32_MAX) return false;
    step.slot = static_cast<std::uint32_t>(slot);
    break;
  }
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim:
    if (expression.axis < 0 || expression.axis > 2) return false;
    step.slot = static_cast<std::uint32_t>(expression.axis);
    break;
  case ExpressionOp::Wrap:
    if (expression.type >= ExpressionType::U64) return false;
    [[fallthrough]];
  default: {
    std::size_t wanted = operand_count(expression.op);
    if (expression.operands.size() != wanted) return false;
    for (std::size_t i = 0; i < wanted; ++i)
      if (!append(expression.operands[i], depth + static_cast<int>(i))) return false;
  }
  }
  steps_.push_back(step);
  return true;
}

template <class T> static std::int64_t low(std::uint64_t bits) {
  return static_cast<std::int64_t>(static_cast<T>(bits));
}

static std::int64_t scalar(std::uint64_t bits, ExpressionType type) {
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
  return static_cast<std::int64_t>(bits);
}

// Returns the quotient rounded down and the rest with the divisor's sign; b is not 0. INT64_MIN // -1 wraps.
static std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
static std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<std::int64_t> Program::run(const ExpressionInput& input) const {
  if (steps_.empty()) return std::nullopt;
  std::int64_t stack[deepest + 1];
  std::size_t top = 0; // the next free place
  auto wrap = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  for (const Step& step : steps_) {
    std::int64_t value = 0, a = 0, b = 0;
    std::uint64_t x = 0, y = 0;
    if (step.op >= ExpressionOp::Add) {
      b = stack[--top];
      if (operand_count(step.op) == 2) a = stack[--top];
      x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    } else if (step.op >= ExpressionOp::Scalar && step.op <= ExpressionOp::Address) {
      if (step.slot >= input.params.size()) return std::nullopt;
      x = input.params[step.slot];
    }
    switch (step.op) {
    case ExpressionOp::Constant: value = step.value; break;
    case ExpressionOp::ConstantReal: return std::nullopt;
    case ExpressionOp::Scalar: value = scalar(x, step.type); break;
    case ExpressionOp::Extent:
    case ExpressionOp::Stride: value = wrap(x); break;
    case ExpressionOp::Address: value = wrap(x % 16); break;
    case ExpressionOp::BlockDim: value = input.block_dim[step.slot]; break;
    case ExpressionOp::GridDim: value = input.grid_dim[step.slot]; break;
    case ExpressionOp::Add: value = wrap(x + y); break;
    case ExpressionOp::Subtract: value = wrap(x - y); break;
    case ExpressionOp::Multiply: value = wrap(x * y); break;
    case ExpressionOp::FloorDivide:
      if (b == 0) return std::nullopt;
      value = floor_divide(a, b);
      break;
    case ExpressionOp::Modulo:
      if (b == 0) return std::nullopt;
      value = modulo(a, b);
      break;
    case ExpressionOp::Minimum: value = std::min(a, b); break;
    case ExpressionOp::Maximum: value = std::max(a, b); break;
    case ExpressionOp::Negate: value = wrap(0 - y); break;
    case ExpressionOp::Equal: value = a == b; break;
    case ExpressionOp::NotEqual: value = a != b; break;
    case ExpressionOp::Less: value = a < b; break;
    case ExpressionOp::LessEqual: value = a <= b; break;
    case ExpressionOp::Greater: value = a > b; break;
    case ExpressionOp::GreaterEqual: value = a >= b; break;
    case ExpressionOp::And: value = a != 0 && b != 0; break;
    case ExpressionOp::Or: value = a != 0 || b != 0; break;
    case ExpressionOp::Not: value = b == 0; break;
    case ExpressionOp::Wrap: value = scalar(y, step.type); break;
    }
    stack[top++] = value;
  }
  return stack[0];
}

std::optional<std::int64_t> Program::integer(const ExpressionInput& input) const {
  // Where the steps end early the tree knows whether the operand was wanted at all.
  if (std::optional<std::int64_t> value = run(input)) return value;
  std::optional<ExpressionValue> value = evaluate(*expression_, input);
  if (!value || value->is_real) return std::nullopt;
  return value->integer;
}

bool Program::holds_by_steps(const ExpressionInput& input) const {
  if (std::optional<std::int64_t> value = run(input)) return *value != 0;
  std::optional<ExpressionValue> value = evaluate(*expression_, input);
  return value && (value->is_real ? value->real != 0 : value->integer != 0);
}

} // namespace kern
