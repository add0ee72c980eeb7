// Expressions over the arguments of a launch, as tests write them.
#pragma once

#include <utility>
#include <vector>

#include "kern/expression.h"

namespace kern {

inline Expression node(ExpressionOp op, std::vector<Expression> operands = {}) {
  Expression expression;
  expression.op = op;
  expression.operands = std::move(operands);
  return expression;
}

} // namespace kern
