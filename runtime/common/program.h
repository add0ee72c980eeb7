// Expressions made ready for being evaluated at each launch: one list of steps over a stack of integers. What
// such a list cannot say exactly (reals, u64 scalars, divisions by zero) is left to evaluate().
#pragma once

#include <cstdint>
#include <vector>

#include "kern/expression.h"

namespace kern {

class Program {
public:
  // What a sum, difference or product has that does not fit 64 bits: the value that a kernel would have, or none. The
  // facts of a variant are computed without wrapping (docs/abi.md).
  enum class Overflow : std::uint8_t { Wraps, HasNoValue };

  // Compiles an expression, which must stay as long as the program.
  explicit Program(const Expression& expression, Overflow overflow = Overflow::Wraps);

  // Returns what evaluate() returns for the expression, as an integer: nothing where there is no value or it
  // is a real.
  std::optional<std::int64_t> integer(const ExpressionInput& input) const;
  // Says whether the expression has a value other than 0.
  bool holds(const ExpressionInput& input) const {
    if (is_comparison_ && last_slot_ < input.params.size()) return compare(input);
    return holds_by_steps(input);
  }
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
  bool compare(const ExpressionInput& input) const {
    auto a = static_cast<std::int64_t>(input.params[steps_[0].slot]);
    auto b = steps_[1].op == ExpressionOp::Constant ? steps_[1].value
                                                    : static_cast<std::int64_t>(input.params[steps_[1].slot]);
    return steps_[2].op == ExpressionOp::Equal       ? a == b
           : steps_[2].op == ExpressionOp::LessEqual ? a <= b
                                                     : a >= b;
  }
  bool holds_by_steps(const ExpressionInput& input) const;
  // Returns the value; nothing where only the tree can tell.
  std::optional<std::int64_t> run(const ExpressionInput& input) const;

  const Expression* expression_;
  Overflow overflow_;
  std::vector<Step> steps_;     // operands first; empty: the tree is evaluated
  bool is_comparison_ = false;  // of a word of the parameter block with another one or a constant, as most
                                // contracts and facts are
  std::uint32_t last_slot_ = 0; // the last of these words
};

} // namespace kern
