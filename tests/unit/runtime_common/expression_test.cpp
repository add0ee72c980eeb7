#include "kern/expression.h"

#include <gtest/gtest.h>

#include <bit>

#include "runtime/common/program.h"

namespace kern {
namespace {

Expression constant(std::int64_t value) {
  Expression result;
  result.value = value;
  return result;
}
Expression constant_real(double value) {
  Expression result;
  result.op = ExpressionOp::ConstantReal;
  result.real = value;
  return result;
}
Expression scalar(std::int64_t slot, ExpressionType type) {
  Expression result;
  result.op = ExpressionOp::Scalar;
  result.type = type;
  result.value = slot;
  return result;
}
Expression leaf(ExpressionOp op, std::int64_t value, std::int32_t axis, std::int32_t rank = 0) {
  Expression result;
  result.op = op;
  result.value = value;
  result.axis = axis;
  result.rank = rank;
  return result;
}
Expression make(ExpressionOp op, std::vector<Expression> operands) {
  Expression result;
  result.op = op;
  result.operands = std::move(operands);
  return result;
}

std::int64_t integer(const Expression& expression, const ExpressionInput& input = {}) {
  std::optional<ExpressionValue> value = evaluate(expression, input);
  EXPECT_TRUE(value && !value->is_real);
  return value ? value->integer : -999;
}
double real(const Expression& expression, const ExpressionInput& input = {}) {
  std::optional<ExpressionValue> value = evaluate(expression, input);
  EXPECT_TRUE(value && value->is_real);
  return value ? value->real : -999;
}

ExpressionInput with(std::span<const std::uint64_t> params) {
  ExpressionInput input;
  input.params = params;
  return input;
}

TEST(Expression, IntegersFollowPython) {
  for (std::int64_t a : {-7, -1, 0, 7, 8})
    for (std::int64_t b : {-3, -1, 2, 5}) {
      std::int64_t quotient = integer(make(ExpressionOp::FloorDivide, {constant(a), constant(b)}));
      std::int64_t rest = integer(make(ExpressionOp::Modulo, {constant(a), constant(b)}));
      EXPECT_EQ(quotient * b + rest, a);
      EXPECT_TRUE(b < 0 ? rest > b && rest <= 0 : rest >= 0 && rest < b) << a << " % " << b;
    }
  EXPECT_EQ(integer(make(ExpressionOp::FloorDivide, {constant(INT64_MIN), constant(-1)})), INT64_MIN);
  EXPECT_EQ(integer(make(ExpressionOp::Modulo, {constant(INT64_MIN), constant(-1)})), 0);
  EXPECT_EQ(integer(make(ExpressionOp::Add, {constant(INT64_MAX), constant(1)})), INT64_MIN);
  EXPECT_EQ(integer(make(ExpressionOp::Negate, {constant(INT64_MIN)})), INT64_MIN);
  EXPECT_EQ(integer(make(ExpressionOp::Minimum, {constant(3), constant(-4)})), -4);
}

Expression wrap(ExpressionType type, Expression operand) {
  Expression result = make(ExpressionOp::Wrap, {std::move(operand)});
  result.type = type;
  return result;
}

TEST(Expression, WrapsToItsType) {
  EXPECT_EQ(integer(wrap(ExpressionType::I32, constant(1ll << 31))), INT32_MIN);
  EXPECT_EQ(integer(wrap(ExpressionType::U32, constant(-1))), UINT32_MAX);
  EXPECT_EQ(integer(wrap(ExpressionType::U8, constant(259))), 3);
  EXPECT_EQ(integer(wrap(ExpressionType::I16, constant(-5))), -5);
  EXPECT_FALSE(evaluate(wrap(ExpressionType::I32, constant_real(1)), {}));
  EXPECT_FALSE(evaluate(wrap(ExpressionType::F32, constant(1)), {}));
}

TEST(Expression, IntegersWithoutASign) {
  auto without_sign = [](ExpressionOp op, std::int64_t a, std::int64_t b) {
    Expression result = make(op, {constant(a), constant(b)});
    result.type = ExpressionType::U64;
    return result;
  };
  EXPECT_EQ(integer(without_sign(ExpressionOp::Less, -1, 1)), 0);
  EXPECT_EQ(integer(without_sign(ExpressionOp::GreaterEqual, INT64_MIN, INT64_MAX)), 1);
  EXPECT_EQ(integer(without_sign(ExpressionOp::Maximum, -1, 1)), -1);
  EXPECT_EQ(integer(without_sign(ExpressionOp::FloorDivide, -2, 2)), INT64_MAX);
  EXPECT_EQ(integer(without_sign(ExpressionOp::Modulo, -1, 10)), 5);
  EXPECT_FALSE(evaluate(without_sign(ExpressionOp::Modulo, 1, 0), {}));
}

TEST(Expression, SelectsOneOfTwo) {
  Expression by_zero = make(ExpressionOp::FloorDivide, {constant(1), constant(0)});
  EXPECT_EQ(integer(make(ExpressionOp::Select, {constant(2), constant(5), by_zero})), 5);
  EXPECT_EQ(integer(make(ExpressionOp::Select, {constant(0), by_zero, constant(6)})), 6);
  EXPECT_FALSE(evaluate(make(ExpressionOp::Select, {by_zero, constant(1), constant(1)}), {}));
  Expression n = scalar(0, ExpressionType::I64);
  Expression choice =
      make(ExpressionOp::Select, {make(ExpressionOp::Greater, {n, constant(0)}), n, constant(3)});
  EXPECT_EQ(to_string(make(ExpressionOp::Add, {choice, constant(1)}), std::vector<std::string>{"n"}),
            "(n if n > 0 else 3) + 1");
}

TEST(Expression, CombinesBits) {
  EXPECT_EQ(integer(make(ExpressionOp::BitAnd, {constant(-4), constant(7)})), 4);
  EXPECT_EQ(integer(make(ExpressionOp::BitXor, {constant(5), constant(3)})), 6);
  Expression n = scalar(0, ExpressionType::I64);
  Expression both = make(ExpressionOp::BitOr, {make(ExpressionOp::BitAnd, {n, constant(1)}), constant(2)});
  EXPECT_EQ(to_string(make(ExpressionOp::Multiply, {both, n}), std::vector<std::string>{"n"}),
            "(n & 1 | 2) * n");
}

TEST(Expression, ByZeroIsNothing) {
  Expression by_zero = make(ExpressionOp::Modulo, {constant(1), constant(0)});
  EXPECT_FALSE(evaluate(make(ExpressionOp::FloorDivide, {constant(1), constant(0)}), {}));
  EXPECT_FALSE(evaluate(by_zero, {}));
  Expression is_false = make(ExpressionOp::Less, {constant(2), constant(1)});
  EXPECT_EQ(integer(make(ExpressionOp::And, {is_false, by_zero})), 0); // the second operand is not evaluated
}

TEST(Expression, ScalarsHaveTheirTypes) {
  std::vector<std::uint64_t> params = {0xFFFFFFFFFFFFFF01, std::bit_cast<std::uint32_t>(2.5f),
                                       0xFFFFFFFFFFFFFFFE};
  ExpressionInput input = with(params);
  EXPECT_EQ(integer(scalar(0, ExpressionType::U8), input), 1);
  EXPECT_EQ(integer(scalar(0, ExpressionType::Bool), input), 1);
  EXPECT_EQ(integer(scalar(0, ExpressionType::I16), input), -255);
  EXPECT_EQ(integer(scalar(0, ExpressionType::U32), input), 0xFFFFFF01);
  EXPECT_EQ(real(scalar(1, ExpressionType::F32), input), 2.5);
  EXPECT_EQ(integer(make(ExpressionOp::Greater, {scalar(2, ExpressionType::U64), constant(5)}), input), 1);
  EXPECT_EQ(integer(make(ExpressionOp::Less, {scalar(2, ExpressionType::I64), constant(5)}), input), 1);
  EXPECT_EQ(integer(make(ExpressionOp::LessEqual, {scalar(1, ExpressionType::F32), constant(2)}), input), 0);
  EXPECT_FALSE(evaluate(scalar(3, ExpressionType::I64), input));
  EXPECT_FALSE(evaluate(scalar(-1, ExpressionType::I64), input));
}

TEST(Expression, ArraysAndLaunch) {
  std::vector<std::uint64_t> params = {7, 0x1008, 10, 20, 21, 1};
  ExpressionInput input = with(params);
  input.block_dim = {32, 4, 1};
  input.grid_dim = {9, 1, 1};
  input.shared_bytes = 4096;
  EXPECT_EQ(integer(leaf(ExpressionOp::SharedBytes, 0, 0), input), 4096);
  EXPECT_EQ(Program(leaf(ExpressionOp::SharedBytes, 0, 0)).integer(input), 4096);
  EXPECT_EQ(integer(leaf(ExpressionOp::Extent, 1, 1, 2), input), 20);
  EXPECT_EQ(integer(leaf(ExpressionOp::Stride, 1, 0, 2), input), 21);
  EXPECT_EQ(integer(leaf(ExpressionOp::Address, 1, 0), input), 8);
  EXPECT_EQ(integer(leaf(ExpressionOp::BlockDim, 0, 1), input), 4);
  EXPECT_EQ(integer(leaf(ExpressionOp::GridDim, 0, 0), input), 9);
  EXPECT_FALSE(
      evaluate(leaf(ExpressionOp::Extent, 5, 1, 2), input)); // an array at the last slot has no extents there
  EXPECT_FALSE(evaluate(leaf(ExpressionOp::Extent, INT64_MAX, 1, 2), input));
  EXPECT_FALSE(evaluate(leaf(ExpressionOp::BlockDim, 0, 3), input));
  EXPECT_FALSE(evaluate(make(ExpressionOp::Add, {}), input));
}

TEST(Expression, RealsAreReals) {
  EXPECT_EQ(real(make(ExpressionOp::Add, {constant(1), constant_real(0.5)})), 1.5);
  EXPECT_EQ(real(make(ExpressionOp::Modulo, {constant_real(-1), constant_real(3)})), 2);
  EXPECT_EQ(integer(make(ExpressionOp::NotEqual, {constant_real(__builtin_nan("")), constant_real(1)})), 1);
  EXPECT_EQ(integer(make(ExpressionOp::Not, {constant_real(0)})), 1);
}

TEST(Expression, PrintsAsSource) {
  std::vector<std::string> names = {"n", "y"};
  Expression n = scalar(0, ExpressionType::I64), sum = make(ExpressionOp::Add, {n, constant(1)});
  Expression extent = leaf(ExpressionOp::Extent, 1, 1, 2);
  EXPECT_EQ(to_string(make(ExpressionOp::GreaterEqual, {extent, sum}), names), "y.shape[1] >= n + 1");
  EXPECT_EQ(to_string(make(ExpressionOp::Multiply, {sum, sum}), names), "(n + 1) * (n + 1)");
  EXPECT_EQ(to_string(make(ExpressionOp::Subtract, {sum, sum}), names), "n + 1 - (n + 1)");
  EXPECT_EQ(to_string(make(ExpressionOp::Minimum, {n, constant_real(2)}), names), "min(n, 2.0)");
  EXPECT_EQ(to_string(make(ExpressionOp::Not, {make(ExpressionOp::Or, {n, n})}), names), "not (n or n)");
  EXPECT_EQ(to_string(make(ExpressionOp::Multiply, {wrap(ExpressionType::I32, sum), n}), names),
            "(n + 1) * n");
  EXPECT_EQ(to_string(wrap(ExpressionType::I32, sum), names), "n + 1");
  EXPECT_EQ(to_string(leaf(ExpressionOp::BlockDim, 0, 0), names), "blockDim.x");
  EXPECT_EQ(to_string(scalar(9, ExpressionType::I64), names), "slot 9");
  EXPECT_EQ(to_string(constant_real(0.1), names), "0.1");
}

} // namespace
} // namespace kern
