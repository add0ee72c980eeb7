#include "compiler/values/arrays.h"

#include <gtest/gtest.h>

namespace kern::values {
namespace {

Numbers whole(Type type, const Extents& extents, const std::vector<std::int64_t>& numbers) {
  Numbers result{type, extents};
  for (std::int64_t number : numbers) result.add(ir::constant_int(type, number));
  return result;
}

std::string said(const std::optional<Numbers>& numbers) {
  std::string text;
  for (std::size_t i = 0; numbers && i < numbers->size(); ++i)
    text += (i > 0 ? ", " : "") + print(Number{numbers->at(i)});
  return numbers ? text : "nothing";
}

TEST(Numbers, TypesAreThoseOfNumPy) {
  EXPECT_EQ(promoted(types::i8, types::u8), types::i16);
  EXPECT_EQ(promoted(types::i64, types::u64), types::f64);
  EXPECT_EQ(promoted(types::f16, types::i8), types::f16);
  EXPECT_EQ(promoted(types::f16, types::i16), types::f32);
  EXPECT_EQ(promoted(types::f32, types::i32), types::f64);
  EXPECT_EQ(promoted(types::c64, types::u16), types::c64);
  EXPECT_EQ(promoted(types::c64, types::i64), types::c128);
  EXPECT_EQ(promoted(types::boolean, types::f16), types::f16);
}

TEST(Numbers, OperandsAreBroadcast) {
  const Numbers column = whole(types::i8, {2, 1}, {1, 2}), row = whole(types::i8, {3}, {10, 20, 30});
  EXPECT_EQ(said(array_binary(ast::BinaryOp::Add, column, row)), "i8 11, i8 21, i8 31, i8 12, i8 22, i8 32");
  EXPECT_EQ(said(array_binary(ast::BinaryOp::Multiply, row, WideInt(5))), "i8 50, i8 100, i8 -106");
  EXPECT_EQ(said(array_binary(ast::BinaryOp::Add, row, WideInt(300))), "nothing");
  EXPECT_EQ(said(array_binary(ast::BinaryOp::Add, row, whole(types::i8, {2}, {1, 2}))), "nothing");
  const auto empty = array_binary(ast::BinaryOp::Divide, whole(types::i8, {0, 3}, {}), row);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->type, types::f64);
  EXPECT_EQ(empty->extents, (Extents{0, 3}));
}

TEST(Numbers, ConvertAsInC) {
  const Numbers wide = whole(types::i64, {2}, {300, -1});
  EXPECT_EQ(said(converted(wide, types::u8)), "u8 44, u8 255");
  EXPECT_EQ(said(converted(wide, types::f32)), "f32 300.0, f32 -1.0");
  EXPECT_EQ(said(converted(wide, types::boolean)), "True, True");
  Numbers large{types::f64, {1}};
  large.add(ir::constant_float(types::f64, 1e30));
  EXPECT_EQ(said(converted(large, types::i32)), "nothing"); // processors differ
  EXPECT_EQ(said(transposed(whole(types::i8, {2, 3}, {1, 2, 3, 4, 5, 6}))),
            "i8 1, i8 4, i8 2, i8 5, i8 3, i8 6");
}

TEST(Numbers, FunctionsAreThoseOfNumPy) {
  const auto of = [](std::string_view name, const std::vector<Element>& args) {
    const OfNumbers function = ufunc(name, args.size());
    return function ? said(each_of(args, function)) : "none";
  };
  EXPECT_EQ(of("sqrt", {whole(types::i16, {2}, {4, 9})}), "f32 2.0, f32 3.0");
  EXPECT_EQ(of("absolute", {whole(types::i8, {2}, {-4, -128})}), "i8 4, i8 -128");
  EXPECT_EQ(of("minimum", {whole(types::i8, {2}, {-4, 9}), Value(WideInt(3))}), "i8 -4, i8 3");
  EXPECT_EQ(of("sin", {whole(types::i8, {1}, {0})}), "none");
}

} // namespace
} // namespace kern::values
