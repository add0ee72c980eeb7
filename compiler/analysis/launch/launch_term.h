// Real numbers that a launch gives, as expressions over it: what is constant is folded at once, and none grows beyond a
// size that a host evaluates in some ten nanoseconds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kern/expression.h"

namespace kern {

class LaunchTerm {
public:
  static LaunchTerm constant(double value);
  explicit LaunchTerm(Expression expression);

  std::optional<double> constant_value() const;
  const Expression& expression() const { return expression_; }
  bool operator==(const LaunchTerm& other) const { return expression_ == other.expression_; }

private:
  friend std::optional<LaunchTerm> combine(ExpressionOp op, const LaunchTerm& a, const LaunchTerm& b);
  Expression expression_;
  // Says whether it is such an operation of something and a constant; then its operands are terms.
  bool has_constant(ExpressionOp op) const;
  LaunchTerm operand(std::size_t index) const;

  unsigned nodes_ = 1;
};

// Returns a sum, difference, product, exact quotient, minimum, maximum or (0 or 1) `less` of two terms; nothing where it
// would be too large, or divides by the constant zero.
std::optional<LaunchTerm> combine(ExpressionOp op, const LaunchTerm& a, const LaunchTerm& b);
// Likewise, of terms that may be missing.
std::optional<LaunchTerm> combine(ExpressionOp op, const std::optional<LaunchTerm>& a,
                                  const std::optional<LaunchTerm>& b);

// A constant and multiples of terms.
class LaunchSum {
public:
  LaunchSum(double constant = 0) : constant_(constant) {}
  void add(const LaunchTerm& term, double factor);
  void add(const LaunchSum& other, double factor = 1);
  // Returns the product with a term; nothing where it would be too long.
  std::optional<LaunchSum> times(const LaunchTerm& term) const;
  // Returns it as an expression; the least important terms are taken to be 1.
  Expression expression() const;

private:
  using Part = std::pair<LaunchTerm, double>;
  double constant_;
  std::vector<Part> parts_;
};

} // namespace kern
