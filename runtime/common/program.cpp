// The steps of an expression stand in postfix order. A launch with two contracts over extents runs six steps,
// without a call (benchmarks/launch.cpp).
#include "runtime/common/program.h"

#include <algorithm>

#include "runtime/common/operations.h"

namespace kern {

// Says whether there is a sum, difference or product in it.
static bool has_sums(const Expression& expression) {
  const bool is_sum = expression.op == ExpressionOp::Add || expression.op == ExpressionOp::Subtract ||
                      expression.op == ExpressionOp::Multiply || expression.op == ExpressionOp::Negate;
  return is_sum || std::ranges::any_of(expression.operands, has_sums);
}

// Returns a sum, difference or product; nothing where it does not fit 64 bits.
static std::optional<std::int64_t> exact_arithmetic(ExpressionOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = op == ExpressionOp::Add        ? __builtin_add_overflow(a, b, &result)
                         : op == ExpressionOp::Subtract ? __builtin_sub_overflow(a, b, &result)
                                                        : __builtin_mul_overflow(a, b, &result);
  return overflows ? std::nullopt : std::optional(result);
}

Program::Program(const Expression& expression, Overflow overflow)
    : expression_(&expression), overflow_(overflow) {
  if (!append(expression, 0)) steps_.clear();
  auto is_word = [](const Step& step) {
    return step.op == ExpressionOp::Extent || step.op == ExpressionOp::Stride;
  };
  if (steps_.size() != 3 || !is_word(steps_[0])) return;
  const bool has_constant = steps_[1].op == ExpressionOp::Constant;
  if (!has_constant && !is_word(steps_[1])) return;
  ExpressionOp op = steps_[2].op;
  is_comparison_ =
      op == ExpressionOp::Equal || op == ExpressionOp::LessEqual || op == ExpressionOp::GreaterEqual;
  last_slot_ = has_constant ? steps_[0].slot : std::max(steps_[0].slot, steps_[1].slot);
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
  case ExpressionOp::Stride:
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim:
  case ExpressionOp::SharedBytes: {
    const std::optional<std::uint32_t> place = operations::place_of(expression);
    if (!place) return false;
    step.slot = *place;
    break;
  }
  case ExpressionOp::Select: return false; // only one of its ways is evaluated
  case ExpressionOp::Wrap:
    if (expression.type >= ExpressionType::U64) return false;
    [[fallthrough]];
  default: {
    if (has_sign(expression.op) && expression.type == ExpressionType::U64) return false;
    std::size_t wanted = operand_count(expression.op);
    if (expression.operands.size() != wanted) return false;
    for (std::size_t i = 0; i < wanted; ++i)
      if (!append(expression.operands[i], depth + static_cast<int>(i))) return false;
  }
  }
  steps_.push_back(step);
  return true;
}

std::optional<std::int64_t> Program::run(const ExpressionInput& input) const {
  if (steps_.empty()) return std::nullopt;
  std::int64_t stack[deepest + 1];
  std::size_t top = 0; // the next free place
  for (const Step& step : steps_) {
    std::int64_t value = 0, a = 0, b = 0;
    std::uint64_t word = 0;
    if (step.op >= ExpressionOp::Add) {
      b = stack[--top];
      if (operand_count(step.op) == 2) a = stack[--top];
    } else if (step.op >= ExpressionOp::Scalar && step.op <= ExpressionOp::Address) {
      if (step.slot >= input.params.size()) return std::nullopt;
      word = input.params[step.slot];
    }
    switch (step.op) {
    case ExpressionOp::Constant: value = step.value; break;
    case ExpressionOp::ConstantReal: return std::nullopt;
    case ExpressionOp::Scalar: value = operations::integer(word, step.type); break;
    case ExpressionOp::Extent:
    case ExpressionOp::Stride: value = operations::wrapped(word); break;
    case ExpressionOp::Address: value = operations::wrapped(word % 16); break;
    case ExpressionOp::BlockDim: value = input.block_dim[step.slot]; break;
    case ExpressionOp::GridDim: value = input.grid_dim[step.slot]; break;
    case ExpressionOp::SharedBytes: value = static_cast<std::int64_t>(input.shared_bytes); break;
    case ExpressionOp::Add:
    case ExpressionOp::Subtract:
    case ExpressionOp::Multiply:
      if (overflow_ == Overflow::HasNoValue) {
        std::optional<std::int64_t> result = exact_arithmetic(step.op, a, b);
        if (!result) return std::nullopt;
        value = *result;
        break;
      }
      [[fallthrough]];
    case ExpressionOp::FloorDivide:
    case ExpressionOp::Modulo:
    case ExpressionOp::Minimum:
    case ExpressionOp::Maximum:
    case ExpressionOp::BitAnd:
    case ExpressionOp::BitOr:
    case ExpressionOp::BitXor: {
      std::optional<std::int64_t> result = operations::arithmetic(step.op, a, b);
      if (!result) return std::nullopt;
      value = *result;
      break;
    }
    case ExpressionOp::Equal:
    case ExpressionOp::NotEqual:
    case ExpressionOp::Less:
    case ExpressionOp::LessEqual:
    case ExpressionOp::Greater:
    case ExpressionOp::GreaterEqual: value = operations::compare(step.op, a, b); break;
    case ExpressionOp::Negate: value = operations::negate(b); break;
    case ExpressionOp::And: value = a != 0 && b != 0; break;
    case ExpressionOp::Or: value = a != 0 || b != 0; break;
    case ExpressionOp::Not: value = b == 0; break;
    case ExpressionOp::Wrap: value = operations::integer(static_cast<std::uint64_t>(b), step.type); break;
    case ExpressionOp::Select: return std::nullopt;
    }
    stack[top++] = value;
  }
  return stack[0];
}

std::optional<std::int64_t> Program::integer(const ExpressionInput& input) const {
  // If the steps end early, the tree knows whether the operand was wanted at all.
  if (std::optional<std::int64_t> value = run(input)) return value;
  std::optional<ExpressionValue> value = evaluate(*expression_, input);
  if (!value || value->is_real) return std::nullopt;
  return value->integer;
}

bool Program::holds_by_steps(const ExpressionInput& input) const {
  if (std::optional<std::int64_t> value = run(input)) return *value != 0;
  // The tree wraps.
  if (overflow_ == Overflow::HasNoValue && has_sums(*expression_)) return false;
  std::optional<ExpressionValue> value = evaluate(*expression_, input);
  return value && (value->is_real ? value->real != 0 : value->integer != 0);
}

} // namespace kern
