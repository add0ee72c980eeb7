// Compiled expressions against the tree that they were made of.
#include "runtime/common/program.h"

#include <gtest/gtest.h>

#include <random>

namespace kern {
namespace {

using Random = std::mt19937_64;

constexpr std::int64_t numbers[] = {0, 1, -1, 2, 3, 16, 255, -7, INT64_MAX, INT64_MIN, 1ll << 32};

Expression random_leaf(Random& random) {
  Expression leaf;
  leaf.op = static_cast<ExpressionOp>(random() % 8);
  leaf.type = static_cast<ExpressionType>(random() % 11);
  leaf.rank = 2;
  leaf.axis = static_cast<std::int32_t>(random() % 2);
  bool is_number = leaf.op == ExpressionOp::Constant;
  leaf.value = is_number ? numbers[random() % std::size(numbers)] : static_cast<std::int64_t>(random() % 9);
  leaf.real = 1.5;
  return leaf;
}

Expression random_tree(Random& random, int depth) {
  if (depth == 0 || random() % 4 == 0) return random_leaf(random);
  Expression tree;
  auto first = static_cast<unsigned>(ExpressionOp::Add);
  tree.op =
      static_cast<ExpressionOp>(first + random() % (static_cast<unsigned>(ExpressionOp::Select) - first + 1));
  tree.type = static_cast<ExpressionType>(random() % 11);
  for (std::size_t i = 0; i < operand_count(tree.op); ++i)
    tree.operands.push_back(random_tree(random, depth - 1));
  return tree;
}

TEST(Program, SaysWhatTheTreeSays) {
  Random random(1);
  int compact = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::uint64_t params[8];
    for (std::uint64_t& param : params)
      param = static_cast<std::uint64_t>(numbers[random() % std::size(numbers)]);
    ExpressionInput input{params, {256, 4, 1}, {1000, 2, 65535}};
    Expression tree = random_tree(random, static_cast<int>(random() % 5));
    Program program(tree);
    compact += program.is_compact();
    std::optional<ExpressionValue> value = evaluate(tree, input);
    std::optional<std::int64_t> found = program.integer(input);
    ASSERT_EQ(found.has_value(), value && !value->is_real) << round;
    ASSERT_EQ(found.value_or(0), found ? value->integer : 0) << round;
    bool holds = value && (value->is_real ? value->real != 0 : value->integer != 0);
    ASSERT_EQ(program.holds(input), holds) << round;
  }
  EXPECT_GT(compact, 5'000);
  EXPECT_LT(compact, 20'000);
}

// Facts say how far indices reach, and a sum that wraps would say that they reach nowhere.
TEST(Program, HasNoValueWhereASumDoesNotFit) {
  const auto word = [](std::int64_t slot) {
    Expression result;
    result.op = ExpressionOp::Scalar;
    result.value = slot;
    return result;
  };
  const auto binary = [](ExpressionOp op, Expression a, Expression b) {
    Expression result;
    result.op = op;
    result.operands = {std::move(a), std::move(b)};
    return result;
  };
  Random random(2);
  int wrapped = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::uint64_t params[4];
    for (std::uint64_t& param : params) param = random() >> random() % 64;
    const auto signed_word = [&](int slot) {
      return static_cast<__int128>(static_cast<std::int64_t>(params[slot]));
    };
    const ExpressionInput input{params};
    const ExpressionOp ops[] = {ExpressionOp::Add, ExpressionOp::Subtract, ExpressionOp::Multiply};
    const ExpressionOp first = ops[random() % 3], second = ops[random() % 3];
    const auto exactly = [](ExpressionOp op, __int128 a, __int128 b) {
      return op == ExpressionOp::Add ? a + b : op == ExpressionOp::Subtract ? a - b : a * b;
    };
    const auto fits = [](__int128 value) { return value == static_cast<std::int64_t>(value); };
    const __int128 inner = exactly(first, signed_word(0), signed_word(1));
    const bool inner_fits = fits(inner);
    const __int128 outer = inner_fits ? exactly(second, inner, signed_word(2)) : 0;
    const bool expected = inner_fits && fits(outer) && signed_word(3) >= outer;
    const Expression sum = binary(second, binary(first, word(0), word(1)), word(2));
    const Expression fact = binary(ExpressionOp::GreaterEqual, word(3), sum);
    ASSERT_EQ(Program(fact, Program::Overflow::HasNoValue).holds(input), expected) << round;
    wrapped += !(inner_fits && fits(outer));
  }
  EXPECT_GT(wrapped, 2'000);
  EXPECT_LT(wrapped, 18'000);
}

TEST(Program, LeavesDeepTreesToTheTree) {
  Expression tree;
  tree.value = 1;
  for (int i = 0; i < 100; ++i) {
    Expression sum;
    sum.op = ExpressionOp::Add;
    sum.operands = {Expression{}, std::move(tree)};
    tree = std::move(sum);
  }
  Program program(tree);
  EXPECT_FALSE(program.is_compact());
  EXPECT_EQ(program.integer({}), 1);
}

} // namespace
} // namespace kern
