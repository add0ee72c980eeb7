// Tests each rule about values along a row: how they change, and which part of the thread's number in the
// grid they are.
#include "compiler/analysis/threads/row_values.h"

#include <gtest/gtest.h>

#include "compiler/ir/walk.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;
using ir::BinaryOp;

struct RowValuesTest : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand n = f.param("n", types::i32);
  ir::Operand a = f.temp(types::i32), b = f.temp(types::i32), c = f.temp(types::i32), d = f.temp(types::i32);
  ir::Operand narrow = f.temp(types::i16), twice = f.variable("v", types::i32);

  // The value of an operand behind a body.
  RowValue behind(ir::Body all, const ir::Operand& operand) {
    f.function().body = std::move(all);
    RowValues values(f.function());
    ir::walk(f.function().body, [&](const ir::Stmt& stmt) {
      if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) values.see(*assign);
    });
    return values.of(operand);
  }
  // How `builtin op right` changes.
  AlongRow along(Builtin builtin, BinaryOp op, const ir::Operand& right) {
    return behind(body(pure(a, builtin), binary(b, op, a, right)), b).along;
  }
};

TEST_F(RowValuesTest, BuiltinsAreTheLeaves) {
  struct Row {
    Builtin builtin;
    AlongRow along;
    GridPart part;
  };
  for (auto [builtin, along, part] : {
           Row{Builtin::ThreadIndexX, AlongRow::Apart, GridPart::Thread},
           Row{Builtin::ThreadIndexY, AlongRow::Fixed, GridPart::Other},
           Row{Builtin::ThreadIndexZ, AlongRow::Fixed, GridPart::Other},
           Row{Builtin::BlockIndexX, AlongRow::Fixed, GridPart::Block},
           Row{Builtin::BlockIndexY, AlongRow::Fixed, GridPart::Other},
           Row{Builtin::BlockDimX, AlongRow::Fixed, GridPart::Size},
           Row{Builtin::GridDimX, AlongRow::Fixed, GridPart::Other},
           Row{Builtin::LaneId, AlongRow::Apart, GridPart::InWarp},
       }) {
    RowValue value = behind(body(pure(a, builtin)), a);
    EXPECT_EQ(value.along, along) << row(builtin).name;
    EXPECT_EQ(value.part, part) << row(builtin).name;
  }
}

TEST_F(RowValuesTest, WhatKeepsThreadsApart) {
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::Add, n), AlongRow::Apart);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::Subtract, n), AlongRow::Apart);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::Modulo, i32(32)), AlongRow::Apart);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::Modulo, i32(31)), AlongRow::Other);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::Modulo, n), AlongRow::Other);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::BitAnd, i32(31)), AlongRow::Apart);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::BitAnd, i32(30)), AlongRow::Other);
  EXPECT_EQ(along(Builtin::ThreadIndexX, BinaryOp::BitAnd, i32(15)), AlongRow::Other);
  for (BinaryOp op : {BinaryOp::Multiply, BinaryOp::FloorDivide, BinaryOp::ShiftLeft, BinaryOp::ShiftRight,
                      BinaryOp::BitOr, BinaryOp::BitXor}) {
    EXPECT_EQ(along(Builtin::ThreadIndexX, op, n), AlongRow::Other) << static_cast<int>(op);
    EXPECT_EQ(along(Builtin::ThreadIndexY, op, n), AlongRow::Fixed) << static_cast<int>(op);
  }
  EXPECT_EQ(behind(body(pure(a, Builtin::ThreadIndexX), binary(b, BinaryOp::Subtract, n, a)), b).along,
            AlongRow::Other);
  EXPECT_EQ(behind(body(pure(a, Builtin::ThreadIndexX), binary(b, BinaryOp::Add, a, a)), b).along,
            AlongRow::Other);
}

TEST_F(RowValuesTest, PartsOfTheNumberInTheGrid) {
  const ir::Body sum = body(pure(a, Builtin::BlockIndexX), pure(b, Builtin::BlockDimX),
                            binary(c, BinaryOp::Multiply, b, a), pure(d, Builtin::ThreadIndexX));
  EXPECT_EQ(behind(sum, c).part, GridPart::FirstOfBlock);
  ir::Body all = sum;
  all.push_back(assign(twice, ir::Binary{BinaryOp::Add, c, d}));
  EXPECT_EQ(behind(all, twice).part, GridPart::InGrid);
  EXPECT_EQ(behind(all, twice).along, AlongRow::Apart);
  all.push_back(assign(narrow, ir::Convert{d}));
  EXPECT_EQ(behind(all, narrow).part, GridPart::Other); // it may not hold the sum
  EXPECT_EQ(behind(all, narrow).along, AlongRow::Apart);
}

TEST_F(RowValuesTest, NothingIsKnownOfWhatIsAssignedTwice) {
  const ir::Body all = body(pure(a, Builtin::ThreadIndexX), copy(twice, a), copy(twice, a));
  EXPECT_EQ(behind(all, twice).along, AlongRow::Other);
  EXPECT_EQ(behind(all, twice).part, GridPart::Other);
  EXPECT_EQ(behind(all, n).along, AlongRow::Fixed);
  EXPECT_EQ(behind(body(copy(n, a)), n).along, AlongRow::Other);
}

TEST_F(RowValuesTest, AFixedSizeOfBlocksIsANumber) {
  f.function().options.block = {{64, 1, 1}};
  EXPECT_EQ(behind({}, i32(64)).part, GridPart::Size);
  EXPECT_EQ(behind({}, i32(32)).part, GridPart::Other);
}

} // namespace
} // namespace kern
