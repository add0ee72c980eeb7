// Constants stand last in a term and together, so that they fold across several operations. A term that grows
// too large is given up: it is part of an estimate, which a host evaluates at each launch.
#include "compiler/analysis/launch/launch_term.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace kern {

static constexpr unsigned most_nodes = 40;
static constexpr std::size_t most_parts = 8;
static constexpr double least_part = 0.1; // of the greatest

LaunchTerm LaunchTerm::constant(double value) {
  Expression expression;
  expression.op = ExpressionOp::ConstantReal;
  expression.real = value;
  return LaunchTerm(std::move(expression));
}

LaunchTerm::LaunchTerm(Expression expression) : expression_(std::move(expression)) {
  if (expression_.op != ExpressionOp::Constant) return;
  expression_.op = ExpressionOp::ConstantReal;
  expression_.real = static_cast<double>(std::exchange(expression_.value, 0));
}

std::optional<double> LaunchTerm::constant_value() const {
  return expression_.op == ExpressionOp::ConstantReal ? std::optional(expression_.real) : std::nullopt;
}

static std::optional<double> fold(ExpressionOp op, double a, double b) {
  switch (op) {
  case ExpressionOp::Add: return a + b;
  case ExpressionOp::Subtract: return a - b;
  case ExpressionOp::Multiply: return a * b;
  case ExpressionOp::FloorDivide: return a / b;
  case ExpressionOp::Minimum: return std::min(a, b);
  case ExpressionOp::Maximum: return std::max(a, b);
  case ExpressionOp::Less: return a < b;
  default: return std::nullopt;
  }
}

// Says whether `a op number` is a.
static bool keeps_left(ExpressionOp op, double number) {
  if (op == ExpressionOp::Add || op == ExpressionOp::Subtract) return number == 0;
  return (op == ExpressionOp::Multiply || op == ExpressionOp::FloorDivide) && number == 1;
}

std::optional<LaunchTerm> combine(ExpressionOp op, const LaunchTerm& a, const LaunchTerm& b) {
  std::optional<double> left = a.constant_value(), right = b.constant_value();
  const bool multiplies = op == ExpressionOp::Multiply, commutes = multiplies || op == ExpressionOp::Add;
  if (op == ExpressionOp::FloorDivide && right == 0.0) return std::nullopt;
  if (left && right) {
    std::optional<double> value = fold(op, *left, *right);
    return value ? std::optional(LaunchTerm::constant(*value)) : std::nullopt;
  }
  if (right && keeps_left(op, *right)) return a;
  if (left && commutes && keeps_left(op, *left)) return b;
  if (multiplies && (left == 0.0 || right == 0.0)) return LaunchTerm::constant(0);
  if (a == b) {
    if (op == ExpressionOp::Minimum || op == ExpressionOp::Maximum) return a;
    if (op == ExpressionOp::Subtract || op == ExpressionOp::Less) return LaunchTerm::constant(0);
    if (op == ExpressionOp::FloorDivide) return LaunchTerm::constant(1);
  }
  // Constants stand last and together.
  if (right && op == ExpressionOp::Subtract)
    return combine(ExpressionOp::Add, a, LaunchTerm::constant(-*right));
  if (left && commutes) return combine(op, b, a);
  if (commutes && b.has_constant(op)) return combine(op, combine(op, a, b.operand(0)), b.operand(1));
  if (right && commutes && a.has_constant(op)) return combine(op, a.operand(0), combine(op, a.operand(1), b));
  if (commutes && a.has_constant(op)) return combine(op, combine(op, a.operand(0), b), a.operand(1));
  if (a.nodes_ + b.nodes_ >= most_nodes) return std::nullopt;
  Expression expression;
  expression.op = op;
  expression.operands = {a.expression_, b.expression_};
  LaunchTerm result(std::move(expression));
  result.nodes_ = a.nodes_ + b.nodes_ + 1;
  return result;
}

std::optional<LaunchTerm> combine(ExpressionOp op, const std::optional<LaunchTerm>& a,
                                  const std::optional<LaunchTerm>& b) {
  return a && b ? combine(op, *a, *b) : std::nullopt;
}

bool LaunchTerm::has_constant(ExpressionOp op) const {
  return expression_.op == op && expression_.operands[1].op == ExpressionOp::ConstantReal;
}

LaunchTerm LaunchTerm::operand(std::size_t index) const {
  LaunchTerm result(expression_.operands[index]);
  result.nodes_ = index == 0 ? nodes_ - 2 : 1; // has_constant() holds
  return result;
}

void LaunchSum::add(const LaunchTerm& term, double factor) {
  auto same = [&](const Part& part) { return part.first == term; };
  auto found = std::ranges::find_if(parts_, same);
  if (found == parts_.end())
    parts_.emplace_back(term, factor);
  else
    found->second += factor;
}

void LaunchSum::add(const LaunchSum& other, double factor) {
  constant_ += other.constant_ * factor;
  for (const auto& [term, times] : other.parts_) add(term, times * factor);
}

std::optional<LaunchSum> LaunchSum::times(const LaunchTerm& term) const {
  LaunchSum result;
  if (std::optional<double> number = term.constant_value()) {
    result.add(*this, *number);
    return result;
  }
  if (constant_ != 0) result.add(term, constant_);
  for (const auto& [own, factor] : parts_) {
    std::optional<LaunchTerm> product = combine(ExpressionOp::Multiply, own, term);
    if (!product) return std::nullopt;
    result.add(*product, factor);
  }
  return result;
}

Expression LaunchSum::expression() const {
  std::vector<Part> parts = parts_;
  std::ranges::stable_sort(parts, std::greater(), [](const Part& part) { return std::abs(part.second); });
  double constant = constant_;
  std::size_t kept = 0;
  while (kept < std::min(parts.size(), most_parts) &&
         std::abs(parts[kept].second) >= least_part * std::abs(parts[0].second))
    ++kept;
  for (std::size_t i = kept; i < parts.size(); ++i) constant += parts[i].second;
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(kept), parts.end());
  Expression sum = LaunchTerm::constant(constant).expression();
  auto node = [](ExpressionOp op, Expression a, Expression b) {
    Expression result;
    result.op = op;
    result.operands = {std::move(a), std::move(b)};
    return result;
  };
  for (const auto& [term, factor] : parts)
    sum = node(ExpressionOp::Add, std::move(sum),
               node(ExpressionOp::Multiply, term.expression(), LaunchTerm::constant(factor).expression()));
  return sum;
}

} // namespace kern
