// Every pair of types against tables written by hand from language.md and from probes of Numba.
#include "compiler/types/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace kern {
namespace {

using PairFunction = std::optional<Type> (*)(Type, Type);

std::string name_of(std::optional<Type> type) {
  if (!type) return ".";
  if (*type == types::int_literal) return "int";
  if (*type == types::float_literal) return "float";
  if (*type == types::complex_literal) return "complex";
  return to_string(*type);
}

Type type_of(const std::string& name) {
  if (name == "int") return types::int_literal;
  if (name == "float") return types::float_literal;
  if (name == "complex") return types::complex_literal;
  return types::scalar(*find_scalar(name));
}

// The first row names the columns, each row starts with its type; "." is no common type.
void expect_table(PairFunction function, const char* table) {
  std::istringstream lines(table);
  std::string line, word;
  std::vector<std::string> columns;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string row;
    if (!(words >> row)) continue;
    if (columns.empty()) {
      for (columns.push_back(row); words >> word;) columns.push_back(word);
      continue;
    }
    for (const std::string& column : columns) {
      ASSERT_TRUE(words >> word) << line;
      EXPECT_EQ(name_of(function(type_of(row), type_of(column))), word) << row << " with " << column;
    }
  }
}

TEST(Convert, JoinOfEveryPair) {
  expect_table(+[](Type a, Type b) { return join(a, b); }, R"(
        bool i8   i16  i32  i64  u8   u16  u32  u64  f16  bf16 f32  f64  c64  c128 int   float complex
   bool bool i8   i16  i32  i64  u8   u16  u32  u64  f16  bf16 f32  f64  c64  c128 i64   f64  c128
   i8   i8   i8   i16  i32  i64  i16  i32  .    .    .    .    .    .    .    .    i8    .  .
   i16  i16  i16  i16  i32  i64  i16  i32  .    .    .    .    .    .    .    .    i16   .  .
   i32  i32  i32  i32  i32  i64  i32  i32  .    .    .    .    .    .    .    .    i32   .  .
   i64  i64  i64  i64  i64  i64  i64  i64  .    .    .    .    .    .    .    .    i64   .  .
   u8   u8   i16  i16  i32  i64  u8   u16  u32  u64  .    .    .    .    .    .    u8    .  .
   u16  u16  i32  i32  i32  i64  u16  u16  u32  u64  .    .    .    .    .    .    u16   .  .
   u32  u32  .    .    .    .    u32  u32  u32  u64  .    .    .    .    .    .    u32   .  .
   u64  u64  .    .    .    .    u64  u64  u64  u64  .    .    .    .    .    .    u64   .  .
   f16  f16  .    .    .    .    .    .    .    .    f16  f32  f32  f64  c64  c128 f16   f16  c64
   bf16 bf16 .    .    .    .    .    .    .    .    f32  bf16 f32  f64  c64  c128 bf16  bf16  c64
   f32  f32  .    .    .    .    .    .    .    .    f32  f32  f32  f64  c64  c128 f32   f32  c64
   f64  f64  .    .    .    .    .    .    .    .    f64  f64  f64  f64  c128 c128 f64   f64  c128
   c64  c64  .    .    .    .    .    .    .    .    c64  c64  c64  c128 c64  c128 c64   c64  c64
   c128 c128 .    .    .    .    .    .    .    .    c128 c128 c128 c128 c128 c128 c128  c128  c128
   int  i64  i8   i16  i32  i64  u8   u16  u32  u64  f16  bf16 f32  f64  c64  c128 int   float  complex
   float f64 .    .    .    .    .    .    .    .    f16  bf16 f32  f64  c64  c128 float float  complex
   complex c128  .  .  .  .  .  .  .  .  c64  c64  c64  c128  c64  c128  complex  complex  complex)");
}

TEST(Convert, NumbaArithmeticOfEveryPair) {
  expect_table(numba_join, R"(
        bool i8   i16  i32  i64  u8   u16  u32  u64  f32  f64  c64  c128 int  float
   bool i64  i64  i64  i64  i64  u64  u64  u64  u64  f32  f64  c64  c128 i64  f64
   i8   i64  i64  i64  i64  i64  i64  i64  i64  i64  f32  f64  c64  c128 i64  f64
   i16  i64  i64  i64  i64  i64  i64  i64  i64  i64  f32  f64  c64  c128 i64  f64
   i32  i64  i64  i64  i64  i64  i64  i64  i64  i64  f64  f64  c128 c128 i64  f64
   i64  i64  i64  i64  i64  i64  i64  i64  i64  i64  f64  f64  c128 c128 i64  f64
   u8   u64  i64  i64  i64  i64  u64  u64  u64  u64  f32  f64  c64  c128 i64  f64
   u16  u64  i64  i64  i64  i64  u64  u64  u64  u64  f32  f64  c64  c128 i64  f64
   u32  u64  i64  i64  i64  i64  u64  u64  u64  u64  f64  f64  c128 c128 i64  f64
   u64  u64  i64  i64  i64  i64  u64  u64  u64  u64  f64  f64  c128 c128 i64  f64
   f32  f32  f32  f32  f64  f64  f32  f32  f64  f64  f32  f64  c64  c128 f64  f64
   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 f64  f64
   c64  c64  c64  c64  c128 c128 c64  c64  c128 c128 c64  c128 c64  c128 c128 c128
   c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
   int  i64  i64  i64  i64  i64  i64  i64  i64  i64  f64  f64  c128 c128 i64  f64
   float f64 f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 f64  f64
)");
}

TEST(Convert, NumbaUnificationOfEveryPair) {
  expect_table(numba_unify, R"(
        bool i8   i16  i32  i64  u8   u16  u32  u64  f32  f64  int  float
   bool bool i8   i16  i32  i64  u8   u16  u32  u64  f32  f64  i64  f64
   i8   i8   i8   i16  i32  i64  i16  i32  i64  f64  f32  f64  i64  f64
   i16  i16  i16  i16  i32  i64  i16  i32  i64  f64  f32  f64  i64  f64
   i32  i32  i32  i32  i32  i64  i32  i32  i64  f64  f64  f64  i64  f64
   i64  i64  i64  i64  i64  i64  i64  i64  i64  f64  f64  f64  i64  f64
   u8   u8   i16  i16  i32  i64  u8   u16  u32  u64  f32  f64  i64  f64
   u16  u16  i32  i32  i32  i64  u16  u16  u32  u64  f32  f64  i64  f64
   u32  u32  i64  i64  i64  i64  u32  u32  u32  u64  f64  f64  i64  f64
   u64  u64  f64  f64  f64  f64  u64  u64  u64  u64  f64  f64  f64  f64
   f32  f32  f32  f32  f64  f64  f32  f32  f64  f64  f32  f64  f64  f64
   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64
   int  i64  i64  i64  i64  i64  i64  i64  i64  f64  f64  f64  i64  f64
   float f64 f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64
)");
}

TEST(Convert, NumbaDivisionPowerAndShift) {
  EXPECT_EQ(numba_divide(types::u8, types::u8), types::f64);
  EXPECT_EQ(numba_divide(types::boolean, types::boolean), types::f64);
  EXPECT_EQ(numba_divide(types::f32, types::f32), types::f32);
  EXPECT_EQ(numba_divide(types::f32, types::int_literal), types::f64);
  EXPECT_EQ(numba_power(types::f32, types::i64), types::f32);
  EXPECT_EQ(numba_power(types::f32, types::int_literal), types::f32);
  EXPECT_EQ(numba_power(types::f32, types::float_literal), types::f64);
  EXPECT_EQ(numba_power(types::int_literal, types::f32), types::f64);
  EXPECT_EQ(numba_power(types::c64, types::int_literal), types::c128);
  EXPECT_EQ(numba_power(types::u8, types::int_literal), types::i64);
  EXPECT_EQ(numba_widen(types::u8), types::u64);
  EXPECT_EQ(numba_widen(types::boolean), types::i64);
  EXPECT_EQ(numba_widen(types::f32), types::f32);
}

TEST(Convert, ArraysAndTuples) {
  TypeTable table;
  Type any = table.array(ScalarKind::F32, 2),
       c_order = table.array(ScalarKind::F32, 2, AddressSpace::Global, Layout::COrder);
  Type shared = table.array(ScalarKind::F32, 2, AddressSpace::Shared);
  EXPECT_EQ(join(any, c_order), any);
  EXPECT_EQ(join(any, shared), std::nullopt);
  EXPECT_EQ(join(any, types::f32), std::nullopt);
  EXPECT_TRUE(converts(c_order, any));
  EXPECT_FALSE(converts(any, c_order));
  Type a = table.tuple(std::vector{types::int_literal, types::f32}),
       b = table.tuple(std::vector{types::i32, types::f64});
  EXPECT_EQ(join(a, b), std::nullopt);
  EXPECT_EQ(join(a, b, table), b);
  EXPECT_EQ(join(a, table.tuple(std::vector{types::i32}), table), std::nullopt);
  EXPECT_TRUE(converts(a, b));
  EXPECT_FALSE(converts(b, a));
}

TEST(Convert, ErrorAndUnknownAgreeWithEverything) {
  EXPECT_EQ(join(types::error, types::f32), types::error);
  EXPECT_EQ(join(types::f32, types::unknown), types::f32);
  EXPECT_TRUE(converts(types::error, types::i8) && converts(types::f64, types::unknown));
  EXPECT_EQ(numba_join(types::unknown, types::f32), types::f32);
  EXPECT_EQ(numba_join(types::none, types::f32), std::nullopt);
}

TEST(Convert, WhatConvertsJoinsToItsTarget) {
  EXPECT_TRUE(converts(types::i32, types::i64) && converts(types::u8, types::i16) &&
              converts(types::u32, types::i64) && converts(types::boolean, types::f32));
  EXPECT_FALSE(converts(types::i64, types::i32) || converts(types::u8, types::i8) ||
               converts(types::i32, types::f64));
  EXPECT_FALSE(converts(types::f64, types::f32) || converts(types::f16, types::bf16) ||
               converts(types::i8, types::boolean));
  EXPECT_TRUE(converts(types::int_literal, types::f32) && converts(types::float_literal, types::f16));
  EXPECT_FALSE(converts(types::float_literal, types::i32) || converts(types::int_literal, types::boolean));
  EXPECT_EQ(join_arithmetic(types::boolean, types::boolean), types::i64);
  EXPECT_EQ(join_arithmetic(types::boolean, types::f32), types::f32);
}

TEST(Convert, LiteralsFit) {
  EXPECT_TRUE(literal_fits(WideInt(255), types::u8) && literal_fits(WideInt(-128), types::i8));
  EXPECT_FALSE(literal_fits(WideInt(256), types::u8) || literal_fits(WideInt(-129), types::i8) ||
               literal_fits(WideInt(-1), types::u64));
  EXPECT_TRUE(literal_fits(WideInt(UINT64_MAX), types::u64) &&
              !literal_fits(WideInt(UINT64_MAX), types::i64));
  EXPECT_FALSE(literal_fits(WideInt(UINT64_MAX) + 1, types::u64) || literal_fits(WideInt(1), types::boolean));
  EXPECT_TRUE(literal_fits(WideInt(65504), types::f16) && literal_fits(WideInt(65519), types::f16));
  EXPECT_FALSE(literal_fits(WideInt(65520), types::f16) || literal_fits(1e39, types::f32) ||
               literal_fits(1e39, types::bf16));
  EXPECT_TRUE(literal_fits(3.4028235677973366e38 * (1 - 1e-16), types::f32) &&
              !literal_fits(3.4028235677973366e38, types::f32));
  EXPECT_TRUE(literal_fits(INFINITY, types::f16) && literal_fits(NAN, types::f32) &&
              literal_fits(0.1, types::c64));
  EXPECT_FALSE(literal_fits(1.0, types::i32));
  EXPECT_EQ(default_type(types::int_literal), types::i64);
  EXPECT_EQ(default_type(types::float_literal), types::f64);
}

} // namespace
} // namespace kern
