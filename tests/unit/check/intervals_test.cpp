// Every number that an operator can give lies in the interval that is told for it, and the ends of arithmetic
// are reached: small intervals are tried number by number.
#include "compiler/check/intervals.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/common/integers.h"

namespace kern::checker {
namespace {

constexpr int width = 32;

std::vector<Interval> intervals() {
  std::vector<Interval> result;
  for (int least : {-9, -4, -1, 0, 1, 2, 5})
    for (int size : {0, 1, 3, 8, 12}) result.push_back({least, least + size});
  return result;
}

std::optional<WideInt> applied(ast::BinaryOp op, WideInt a, WideInt b) {
  auto count = static_cast<int>(b & (width - 1));
  switch (op) {
  case ast::BinaryOp::Add: return a + b;
  case ast::BinaryOp::Subtract: return a - b;
  case ast::BinaryOp::Multiply: return a * b;
  case ast::BinaryOp::FloorDivide: return b == 0 ? std::nullopt : std::optional(floor_divide(a, b));
  case ast::BinaryOp::Modulo: return b == 0 ? std::nullopt : std::optional(floor_modulo(a, b));
  case ast::BinaryOp::ShiftLeft: return a * (WideInt(1) << count);
  case ast::BinaryOp::ShiftRight: return a >> count;
  case ast::BinaryOp::BitAnd: return a & b;
  case ast::BinaryOp::BitOr: return a | b;
  case ast::BinaryOp::BitXor: return a ^ b;
  case ast::BinaryOp::Power: {
    WideInt result = b < 0 ? 0 : 1;
    for (WideInt k = 0; k < b; ++k) result *= a;
    return result;
  }
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

// Returns the smallest interval around all that an operator gives; nothing where it gives nothing.
std::optional<Interval> tried(ast::BinaryOp op, const Interval& a, const Interval& b) {
  std::optional<Interval> result;
  for (WideInt x = a.least; x <= a.greatest; ++x)
    for (WideInt y = b.least; y <= b.greatest; ++y)
      if (std::optional<WideInt> number = applied(op, x, y))
        result = result ? hull(*result, {*number, *number}) : Interval{*number, *number};
  return result;
}

void expect_around(ast::BinaryOp op, bool exact) {
  for (const Interval& a : intervals()) {
    for (const Interval& b : intervals()) {
      std::optional<Interval> wanted = tried(op, a, b);
      if (!wanted) continue;
      Interval told = interval_of(op, a, b, width);
      EXPECT_TRUE(holds(told, *wanted)) << int(op) << " of " << int(a.least) << ".." << int(a.greatest)
                                        << " and " << int(b.least) << ".." << int(b.greatest);
      if (exact) {
        EXPECT_TRUE(told == *wanted) << int(op) << " of " << int(a.least) << ".." << int(a.greatest)
                                     << " and " << int(b.least) << ".." << int(b.greatest);
      }
    }
  }
}

TEST(Intervals, AreExactForArithmetic) {
  for (ast::BinaryOp op : {ast::BinaryOp::Add, ast::BinaryOp::Subtract, ast::BinaryOp::Multiply})
    expect_around(op, true);
}

TEST(Intervals, HoldEveryResult) {
  for (ast::BinaryOp op :
       {ast::BinaryOp::FloorDivide, ast::BinaryOp::Modulo, ast::BinaryOp::Power, ast::BinaryOp::ShiftLeft,
        ast::BinaryOp::ShiftRight, ast::BinaryOp::BitAnd, ast::BinaryOp::BitOr, ast::BinaryOp::BitXor})
    expect_around(op, false);
}

TEST(Intervals, OfSignsAndExtrema) {
  for (const Interval& a : intervals()) {
    Interval sizes = absolute(a), opposite = negated(a);
    for (WideInt x = a.least; x <= a.greatest; ++x) {
      EXPECT_TRUE(holds(sizes, {x < 0 ? -x : x, x < 0 ? -x : x}));
      EXPECT_TRUE(holds(opposite, {-x, -x}));
      EXPECT_TRUE(holds(inverted(a, types::i32), {~x, ~x}));
    }
  }
  EXPECT_EQ(inverted({0, 200}, types::u8), (Interval{55, 255}));
  EXPECT_EQ(extremum(false, {0, 510}, {255, 255}), (Interval{0, 255}));
  EXPECT_EQ(extremum(true, {-255, 255}, {0, 0}), (Interval{0, 255}));
}

TEST(Intervals, StayBeyondEveryTypeWhereTheyOverflow) {
  Interval words = interval_of(types::u64);
  Interval product = interval_of(ast::BinaryOp::Multiply, words, words, 64);
  EXPECT_FALSE(holds(words, interval_of(ast::BinaryOp::Multiply, product, product, 64)));
  EXPECT_FALSE(holds(words, interval_of(ast::BinaryOp::Power, words, words, 64)));
  EXPECT_TRUE(interval_of(ast::BinaryOp::Power, words, words, 64).least >= 0);
}

} // namespace
} // namespace kern::checker
