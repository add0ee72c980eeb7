#include "compiler/values/arithmetic.h"

#include <gtest/gtest.h>

namespace kern::values {
namespace {

using Op = ast::BinaryOp;

constexpr WideInt greatest = static_cast<WideInt>(~static_cast<unsigned __int128>(0) >> 1);
constexpr WideInt least = -greatest - 1;

// The results are those of Python, where they have no more bits than a WideInt.
TEST(Arithmetic, IntegersAreThoseOfPython) {
  struct Row {
    Op op;
    WideInt left, right, result;
  };
  const Row rows[] = {
      {Op::Add, 1, WideInt(1) << 64, (WideInt(1) << 64) + 1},
      {Op::Subtract, 3, 5, -2},
      {Op::Multiply, -(WideInt(1) << 63), WideInt(1) << 62, -(WideInt(1) << 125)},
      {Op::FloorDivide, 7, 2, 3},
      {Op::FloorDivide, -7, 2, -4},
      {Op::FloorDivide, 7, -2, -4},
      {Op::FloorDivide, -7, -2, 3},
      {Op::FloorDivide, -8, 2, -4},
      {Op::FloorDivide, 5, -1, -5},
      {Op::Modulo, 7, 2, 1},
      {Op::Modulo, -7, 2, 1},
      {Op::Modulo, 7, -2, -1},
      {Op::Modulo, -7, -2, -1},
      {Op::Modulo, -8, 2, 0},
      {Op::Modulo, least, -1, 0},
      {Op::Power, 0, 0, 1},
      {Op::Power, -1, greatest, -1},
      {Op::Power, -2, 63, -(WideInt(1) << 63)},
      {Op::ShiftLeft, -1, 127, least},
      {Op::ShiftLeft, 0, greatest, 0},
      {Op::ShiftRight, -5, 1, -3},
      {Op::ShiftRight, -1, greatest, -1},
      {Op::ShiftRight, 1, 200, 0},
      {Op::BitAnd, -4, 7, 4},
      {Op::BitOr, -4, 1, -3},
      {Op::BitXor, -1, 5, -6},
  };
  for (const Row& row : rows) {
    std::optional<WideInt> result = integer_operation(row.op, row.left, row.right);
    ASSERT_TRUE(result.has_value()) << ast::spelling(row.op);
    EXPECT_TRUE(*result == row.result) << ast::spelling(row.op) << " " << static_cast<double>(*result);
  }
}

TEST(Arithmetic, WhatDoesNotFitOrPythonRaisesForIsNoInteger) {
  struct Row {
    Op op;
    WideInt left, right;
  };
  const Row rows[] = {
      {Op::Add, greatest, 1},  {Op::Subtract, least, 1},     {Op::Multiply, greatest, 2},
      {Op::FloorDivide, 1, 0}, {Op::FloorDivide, least, -1}, {Op::Modulo, 1, 0},
      {Op::Power, 2, -1},      {Op::Power, 2, 127},          {Op::Power, 3, greatest},
      {Op::ShiftLeft, 1, 127}, {Op::ShiftLeft, 1, greatest}, {Op::ShiftLeft, 1, -1},
      {Op::ShiftRight, 1, -1}, {Op::Divide, 4, 2},           {Op::MatrixMultiply, 4, 2},
  };
  for (const Row& row : rows)
    EXPECT_FALSE(integer_operation(row.op, row.left, row.right).has_value()) << ast::spelling(row.op);
}

} // namespace
} // namespace kern::values
