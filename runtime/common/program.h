// Expressions made ready for being evaluated at each launch: one list of steps over a stack of integers. What
// such a list cannot say exactly (reals, u64 scalars, divisions by zero) is left to evaluate().
#pragma once

#include <cstdint>
#include <vector>

#include "kern/expression.h"

namespace kern {

class Program {
public:
  // Compiles an expression, which must stay as long as the program.
  explicit Program(const Expression& expression);

  // Returns what evaluate() returns for the expression, as an integer: nothing where there is no value or it
  // is a real.
  std::optional<std::int64_t> integer(const ExpressionInput& input) const;
  // Says whether the expression has a value other than 0.
  bool holds(const ExpressionInput& input) const;
  // Says whether the steps say it all.
  bool is_compact() const { return !steps_.empty(); }

private:
  struct Step {
    ExpressionOp op = ExpressionOp::Constant;
    ExpressionType type = ExpressionType::I64;
    std::uint32_t slot = 0; // of the parameter block; or an axis
    std::int64_t value = 0;
  };
  static constexpr int deepest = 16;
  bool append(const Expression& expression, int depth);
  // Returns the value; nothing where only the tree can tell.
  std::optional<std::int64_t> run(const ExpressionInput& input) const;

  const Expression* expression_;
  std::vector<Step> steps_;    // operands first; empty: the tree is evaluated
  bool is_comparison_ = false; // of two words of the parameter block: most contracts and facts are
};

} // namespace kern
