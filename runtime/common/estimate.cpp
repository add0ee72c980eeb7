// Evaluates estimates on a small stack. The expression is made into steps once, because each launch asks for
// the value and should neither recurse nor allocate.
#include "runtime/common/estimate.h"

#include <algorithm>
#include <cmath>

#include "runtime/common/operations.h"

namespace kern {

Estimate::Estimate(const Expression& expression) {
  if (!append(expression, 0)) steps_.clear();
}

// Says whether it can be steps; `depth` values are on the stack below it.
bool Estimate::append(const Expression& expression, int depth) {
  if (depth >= deepest || expression.operands.size() != operand_count(expression.op)) return false;
  Step step{expression.op, expression.type, 0, 0};
  switch (expression.op) {
  case ExpressionOp::Constant: step.value = static_cast<double>(expression.value); break;
  case ExpressionOp::ConstantReal:
    step.op = ExpressionOp::Constant;
    step.value = expression.real;
    break;
  case ExpressionOp::Scalar:
    if (expression.type > ExpressionType::U64) return false;
    break;
  case ExpressionOp::Extent:
    step.op = ExpressionOp::Scalar;
    step.type = ExpressionType::I64;
    break;
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim: break;
  case ExpressionOp::Add:
  case ExpressionOp::Subtract:
  case ExpressionOp::Multiply:
  case ExpressionOp::FloorDivide:
  case ExpressionOp::Minimum:
  case ExpressionOp::Maximum:
  case ExpressionOp::Less: break;
  default: return false;
  }
  const bool reads = expression.operands.empty() && step.op != ExpressionOp::Constant;
  const std::optional<std::uint32_t> place = operations::place_of(expression);
  if (reads && !place) return false;
  step.slot = place.value_or(0);
  for (std::size_t i = 0; i < expression.operands.size(); ++i)
    if (!append(expression.operands[i], depth + static_cast<int>(i))) return false;
  steps_.push_back(step);
  return true;
}

std::optional<double> Estimate::value(const ExpressionInput& input) const {
  if (steps_.empty()) return std::nullopt;
  double stack[deepest + 1];
  std::size_t top = 0; // the next free place
  for (const Step& step : steps_) {
    double a = 0, b = 0, result = 0;
    if (step.op >= ExpressionOp::Add) {
      b = stack[--top];
      a = stack[--top];
    }
    switch (step.op) {
    case ExpressionOp::Constant: result = step.value; break;
    case ExpressionOp::Scalar: {
      if (step.slot >= input.params.size()) return std::nullopt;
      std::int64_t integer = operations::integer(input.params[step.slot], step.type);
      result = step.type == ExpressionType::U64 ? static_cast<double>(static_cast<std::uint64_t>(integer))
                                                : static_cast<double>(integer);
      break;
    }
    case ExpressionOp::BlockDim: result = input.block_dim[step.slot]; break;
    case ExpressionOp::GridDim: result = input.grid_dim[step.slot]; break;
    case ExpressionOp::Add: result = a + b; break;
    case ExpressionOp::Subtract: result = a - b; break;
    case ExpressionOp::Multiply: result = a * b; break;
    case ExpressionOp::FloorDivide: result = a / b; break;
    case ExpressionOp::Minimum: result = std::min(a, b); break;
    case ExpressionOp::Maximum: result = std::max(a, b); break;
    case ExpressionOp::Less: result = a < b; break;
    default: return std::nullopt; // append() takes no other
    }
    stack[top++] = result;
  }
  return std::isfinite(stack[0]) ? std::optional(stack[0]) : std::nullopt;
}

} // namespace kern
