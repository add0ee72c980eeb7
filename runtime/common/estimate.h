// Expressions that estimate something of a launch, made ready for being evaluated at each one: in reals, in which
// nothing overflows and no quotient is rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "kern/expression.h"

namespace kern {

class Estimate {
public:
  // Compiles constants, integer scalars, extents, the shape of the launch, sums, differences, products, quotients,
  // minima, maxima and `less`; an expression with anything else in it has no value.
  explicit Estimate(const Expression& expression);

  // Returns the value; nothing where there is none, as of a division by zero or a short parameter block.
  std::optional<double> value(const ExpressionInput& input) const;

private:
  struct Step {
    ExpressionOp op = ExpressionOp::Constant;
    ExpressionType type = ExpressionType::I64;
    std::uint32_t slot = 0; // of the parameter block; or an axis
    double value = 0;
  };
  static constexpr int deepest = 32;
  bool append(const Expression& expression, int depth);

  std::vector<Step> steps_; // operands first; empty: there is no value
};

} // namespace kern
