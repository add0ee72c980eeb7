// Estimates are what evaluate() gives, in reals.
#include "runtime/common/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/unit/expression_builder.h"

namespace kern {
namespace {

Expression number(double value) {
  Expression expression = node(ExpressionOp::ConstantReal);
  expression.real = value;
  return expression;
}

Expression extent(std::int64_t slot, std::int32_t axis) {
  Expression expression = node(ExpressionOp::Extent);
  expression.value = slot, expression.axis = axis, expression.rank = 2;
  return expression;
}

const std::uint64_t params[] = {0, 7, 100, 1, 1, std::uint64_t(-3), 5};
const ExpressionInput input{params, {16, 8, 1}, {10, 20, 30}};

std::optional<double> value(const Expression& expression) { return Estimate(expression).value(input); }

TEST(Estimate, KnowsWhatALaunchGives) {
  EXPECT_EQ(value(number(1.5)), 1.5);
  EXPECT_EQ(value(extent(0, 1)), 100);
  Expression scalar = node(ExpressionOp::Scalar);
  scalar.value = 5;
  EXPECT_EQ(value(scalar), -3);
  scalar.type = ExpressionType::U64;
  EXPECT_EQ(value(scalar), std::ldexp(1, 64)); // about
  Expression grid = node(ExpressionOp::GridDim), block = node(ExpressionOp::BlockDim);
  grid.axis = 2, block.axis = 0;
  EXPECT_EQ(value(node(ExpressionOp::Multiply, {grid, block})), 480);
}

TEST(Estimate, ComputesInReals) {
  EXPECT_EQ(value(node(ExpressionOp::FloorDivide, {extent(0, 0), number(2)})), 3.5);
  Expression large = number(1e300);
  EXPECT_EQ(value(node(ExpressionOp::Minimum, {large, extent(0, 0)})), 7);
  EXPECT_EQ(value(node(ExpressionOp::Less, {extent(0, 0), large})), 1);
}

TEST(Estimate, HasNoValueWhereThereIsNone) {
  EXPECT_FALSE(value(node(ExpressionOp::FloorDivide, {extent(0, 0), number(0)})));
  EXPECT_FALSE(value(node(ExpressionOp::Add, {number(1)})));
  EXPECT_FALSE(value(node(ExpressionOp::Modulo, {number(1), number(2)})));
  EXPECT_FALSE(value(extent(6, 1)));
  EXPECT_FALSE(value(extent(std::numeric_limits<std::int64_t>::max(), 1)));
  EXPECT_FALSE(value(extent(-2, 1)));
  Expression deep = number(1);
  for (int i = 0; i < 100; ++i) deep = node(ExpressionOp::Add, {number(1), deep});
  EXPECT_FALSE(value(deep));
  Expression real = node(ExpressionOp::Scalar);
  real.type = ExpressionType::F32;
  EXPECT_FALSE(value(real));
}

Expression random_tree(std::mt19937& random, int depth) {
  static constexpr ExpressionOp ops[] = {ExpressionOp::Add,      ExpressionOp::Subtract,
                                         ExpressionOp::Multiply, ExpressionOp::Minimum,
                                         ExpressionOp::Maximum,  ExpressionOp::Less};
  if (depth == 0 || random() % 4 == 0)
    return random() % 2 ? number(static_cast<double>(random() % 9) - 4)
                        : extent(0, static_cast<int>(random() % 2));
  return node(ops[random() % std::size(ops)],
              {random_tree(random, depth - 1), random_tree(random, depth - 1)});
}

TEST(Estimate, IsWhatTheTreeGives) {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000; ++i) {
    Expression tree = random_tree(random, 5);
    std::optional<ExpressionValue> wanted = evaluate(tree, input);
    ASSERT_TRUE(wanted);
    ASSERT_EQ(value(tree), wanted->is_real ? wanted->real : static_cast<double>(wanted->integer)) << i;
  }
}

} // namespace
} // namespace kern
