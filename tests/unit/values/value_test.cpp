#include "compiler/values/value.h"

#include <gtest/gtest.h>

namespace kern::values {
namespace {

using Op = ast::BinaryOp;

std::string said(const std::optional<Value>& value) { return value ? print(*value) : "nothing"; }
Value typed(Type type, double value) {
  return Number{is_float(type) ? ir::constant_float(type, value)
                               : ir::constant_int(type, static_cast<std::int64_t>(value))};
}
Value whole(WideInt value) { return value; }

// The results are those of Python 3 and NumPy 2.
TEST(Values, OperatorsArePythons) {
  EXPECT_EQ(said(binary(Op::Divide, whole(5), whole(2))), "2.5");
  EXPECT_EQ(said(binary(Op::FloorDivide, whole(-5), whole(2))), "-3");
  EXPECT_EQ(said(binary(Op::Modulo, whole(-5), 3.0)), "1.0");
  EXPECT_EQ(said(binary(Op::Power, whole(2), whole(-1))), "0.5");
  EXPECT_EQ(said(binary(Op::Power, whole(2), whole(100))), "1267650600228229401496703205376");
  EXPECT_EQ(said(binary(Op::BitAnd, true, false)), "False");
  EXPECT_EQ(said(binary(Op::Add, true, true)), "2");
  EXPECT_EQ(said(binary(Op::Divide, whole(1), whole(0))), "nothing");
  EXPECT_EQ(said(unary(ast::UnaryOp::Invert, true)), "-2");
}

TEST(Values, OperatorsOfTypedNumbersAreNumPys) {
  EXPECT_EQ(said(binary(Op::Add, typed(types::f32, 0.5), whole(1))), "f32 1.5");
  EXPECT_EQ(said(binary(Op::Add, typed(types::i8, 100), typed(types::i8, 100))), "i8 -56");
  EXPECT_EQ(said(binary(Op::Divide, typed(types::i32, 1), whole(2))), "f64 0.5");
  EXPECT_EQ(said(binary(Op::Add, typed(types::i8, 1), whole(300))), "nothing");
}

TEST(Values, ComparesIntegersWithFloatsExactly) {
  EXPECT_EQ(compare(ast::CompareOp::Equal, whole((WideInt(1) << 53) + 1), 0x1p53), false);
  EXPECT_EQ(compare(ast::CompareOp::Less, whole(3), 3.5), true);
  EXPECT_EQ(compare(ast::CompareOp::Is, None{}, whole(0)), false);
  EXPECT_EQ(compare(ast::CompareOp::Equal, Text{"a"}, Text{"a"}), true);
}

TEST(Values, CallsFunctions) {
  const Value half = 2.5, four = whole(4), tuple_arg = Text{"x"};
  EXPECT_EQ(said(call("math.floor", std::array{half})), "2");
  EXPECT_EQ(said(call("round", std::array{half})), "2");
  EXPECT_EQ(said(call("math.sqrt", std::array{four})), "2.0");
  EXPECT_EQ(said(call("numpy.float32", std::array{Value(0.1)})), "f32 0.1");
  EXPECT_EQ(said(call("max", std::array{half, four})), "4");
  EXPECT_EQ(said(call("math.sqrt", std::array{Value(-1.0)})), "nothing");
  EXPECT_EQ(said(call("abs", std::array{tuple_arg})), "nothing");
}

TEST(Values, ForeignsAreKnownByTheirNumbers) {
  const Value three = Foreign{3}, four = Foreign{4}, text = Text{"x"};
  EXPECT_EQ(print(three), "foreign 3");
  EXPECT_TRUE(is_same(three, Foreign{3}));
  EXPECT_FALSE(is_same(three, four));
  EXPECT_EQ(truth_of(three), std::nullopt);
  EXPECT_EQ(compare(ast::CompareOp::Is, three, None{}), false);
  EXPECT_EQ(compare(ast::CompareOp::NotEqual, None{}, three), true);
  EXPECT_EQ(compare(ast::CompareOp::Is, three, three), std::nullopt);
  EXPECT_EQ(compare(ast::CompareOp::Equal, three, text), std::nullopt);
}

} // namespace
} // namespace kern::values
