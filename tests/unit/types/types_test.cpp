#include "compiler/types/types.h"

#include <gtest/gtest.h>

#include <array>

#include "compiler/types/names.h"

namespace kern {
namespace {

TEST(Types, AreInterned) {
  TypeTable table;
  Type a = table.array(ScalarKind::F32, 2);
  EXPECT_EQ(a, table.array(ScalarKind::F32, 2));
  EXPECT_NE(a, table.array(ScalarKind::F32, 2, AddressSpace::Global, Layout::COrder));
  EXPECT_NE(a, table.array(ScalarKind::F32, 2, AddressSpace::Shared));
  EXPECT_NE(a, table.array(ScalarKind::F32, 1));
  EXPECT_NE(a, table.array(ScalarKind::F64, 2));
  std::array pair{types::i64, a};
  Type tuple = table.tuple(pair);
  for (int rank = 1; rank <= 8; ++rank) table.array(ScalarKind::U8, rank); // more of them move nothing
  EXPECT_EQ(tuple, table.tuple(pair));
  EXPECT_NE(tuple, table.tuple(std::array{a, types::i64}));
  EXPECT_EQ(tuple->elements[1], a);
  TypeTable moved = std::move(table);
  EXPECT_EQ(tuple, moved.tuple(pair));
}

TEST(Types, Print) {
  TypeTable table;
  Type matrix = table.array(ScalarKind::F32, 2, AddressSpace::Global, Layout::COrder);
  EXPECT_EQ(to_string(types::bf16), "bf16");
  EXPECT_EQ(to_string(types::boolean), "bool");
  EXPECT_EQ(to_string(types::int_literal), "int literal");
  EXPECT_EQ(to_string(types::none), "None");
  EXPECT_EQ(to_string(table.array(ScalarKind::I64, 1)), "i64[:]");
  EXPECT_EQ(to_string(table.array(ScalarKind::U8, 1, AddressSpace::Global, Layout::COrder)), "u8[::1]");
  EXPECT_EQ(to_string(matrix), "f32[:, ::1]");
  EXPECT_EQ(to_string(table.array(ScalarKind::F64, 3, AddressSpace::Shared)), "shared f64[:, :, :]");
  EXPECT_EQ(to_string(table.tuple(std::array{types::i64, matrix})), "(i64, f32[:, ::1])");
  EXPECT_EQ(to_string(table.tuple(std::array{types::i64})), "(i64,)");
  EXPECT_EQ(to_string(table.tuple({})), "()");
}

TEST(Types, Mangle) {
  TypeTable table;
  EXPECT_EQ(mangle(types::f32), "f32");
  EXPECT_EQ(mangle(table.array(ScalarKind::F32, 2, AddressSpace::Global, Layout::COrder)), "f32_2c");
  EXPECT_EQ(mangle(table.array(ScalarKind::F32, 1)), "f32_1");
  EXPECT_EQ(mangle(table.array(ScalarKind::F32, 1, AddressSpace::Shared)), "f32_1s");
  EXPECT_EQ(mangle(table.tuple(std::array{types::i64, types::f32})), "t2_i64_f32");
}

TEST(Types, Predicates) {
  EXPECT_TRUE(is_integer(types::u8) && !is_signed(types::u8) && is_signed(types::i8));
  EXPECT_TRUE(is_integer(types::int_literal) && is_signed(types::int_literal) &&
              is_float(types::float_literal));
  EXPECT_FALSE(is_integer(types::boolean) || is_float(types::c64) || is_scalar(types::int_literal));
  EXPECT_TRUE(is_complex(types::c64) && is_boolean(types::boolean) && is_literal(types::float_literal));
  EXPECT_EQ(bit_width(ScalarKind::C128), 128);
  EXPECT_EQ(scalar_class(ScalarKind::BF16), ScalarClass::Float);
}

TEST(Types, NamesOfBothDialects) {
  EXPECT_EQ(find_scalar("i8"), ScalarKind::I8);
  EXPECT_EQ(find_scalar("float32"), ScalarKind::F32);
  EXPECT_EQ(find_scalar("i4"), std::nullopt);
  EXPECT_EQ(find_numba_scalar("i8"), ScalarKind::I64);
  EXPECT_EQ(find_numba_scalar("u1"), ScalarKind::U8);
  EXPECT_EQ(find_numba_scalar("float32"), ScalarKind::F32);
  EXPECT_EQ(find_numba_scalar("intp"), ScalarKind::I64);
  EXPECT_EQ(find_numba_scalar("i64"), std::nullopt);
  EXPECT_EQ(clashing_name("u8"), "uint8 or uint64");
  EXPECT_EQ(clashing_name("u16"), "");
}

} // namespace
} // namespace kern
