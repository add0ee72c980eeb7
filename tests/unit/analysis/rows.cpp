// Tests each rule about what a kernel sees of where its threads are.
#include "compiler/analysis/threads/rows.h"

#include <gtest/gtest.h>

#include "compiler/ir/verify.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Rows : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand x = f.param("x", module.types.array(ScalarKind::F32, 1));
  ir::Operand thread = f.temp(types::i32), block = f.temp(types::i32), size = f.temp(types::i32);
  ir::Operand first = f.temp(types::i32), sum = f.temp(types::i32), more = f.temp(types::i32);
  ir::Operand narrow = f.temp(types::i16), wide = f.temp(types::i64), variable = f.variable("v", types::i32);

  // A kernel that begins with grid(1) in i32.
  bool sees_grid_only_with(ir::Body rest) {
    ir::Body all =
        body(pure(thread, Builtin::ThreadIndexX), pure(block, Builtin::BlockIndexX),
             pure(size, Builtin::BlockDimX), assign(first, ir::Binary{ir::BinaryOp::Multiply, size, block}),
             assign(sum, ir::Binary{ir::BinaryOp::Add, thread, first}));
    all.insert(all.end(), rest.begin(), rest.end());
    f.function().body = std::move(all);
    return sees_grid_only(f.function());
  }
};

TEST_F(Rows, TheSumIsSeen) {
  EXPECT_TRUE(sees_grid_only_with({}));
  EXPECT_TRUE(sees_grid_only_with(body(assign(wide, ir::Convert{sum}))));
  EXPECT_TRUE(sees_grid_only_with(body(assign(more, ir::Binary{ir::BinaryOp::Add, sum, size}))));
  EXPECT_TRUE(sees_grid_only_with(body(pure(more, Builtin::ThreadIndexY))));
}

TEST_F(Rows, ItsPartsAreNot) {
  EXPECT_FALSE(sees_grid_only_with(body(assign(more, ir::Binary{ir::BinaryOp::Add, thread, size}))));
  EXPECT_FALSE(sees_grid_only_with(body(assign(more, ir::Binary{ir::BinaryOp::Add, block, first}))));
  EXPECT_FALSE(sees_grid_only_with(body(assign(more, ir::Binary{ir::BinaryOp::Multiply, block, block}))));
  EXPECT_FALSE(sees_grid_only_with(body(assign(narrow, ir::Convert{thread}))));
  EXPECT_FALSE(
      sees_grid_only_with(body(assign(variable, ir::Copy{thread}), assign(variable, ir::Copy{sum}))));
  EXPECT_FALSE(
      sees_grid_only_with(body(pure(variable, Builtin::BlockIndexX), assign(variable, ir::Copy{sum}))));
  for (Builtin in_warp : {Builtin::LaneId, Builtin::LanemaskLt})
    EXPECT_FALSE(sees_grid_only_with(
        body(pure(more, in_warp), assign(variable, ir::Binary{ir::BinaryOp::Add, more, sum}))));
  EXPECT_FALSE(sees_grid_only_with(body(if_(more, body(load(more, x, {thread}))))));
}

// In the next iteration a loop reads what stands below.
TEST_F(Rows, WhatIsAssignedBelowCountsToo) {
  ir::Operand late = f.variable("late", types::i32);
  ir::Body inner =
      body(assign(more, ir::Binary{ir::BinaryOp::Add, late, size}), pure(late, Builtin::ThreadIndexX));
  EXPECT_FALSE(sees_grid_only_with(body(for_(variable, i32(0), i32(1), i32(3), inner))));
}

TEST_F(Rows, AFixedSizeOfBlocksIsKnown) {
  f.function().options.block = {8, 1, 1};

  auto with = [&](const ir::Operand& factor) {
    f.function().body = body(pure(thread, Builtin::ThreadIndexX), pure(block, Builtin::BlockIndexX),
                             assign(first, ir::Binary{ir::BinaryOp::Multiply, block, factor}),
                             assign(sum, ir::Binary{ir::BinaryOp::Add, first, thread}));
    return sees_grid_only(f.function());
  };
  EXPECT_TRUE(with(i32(8)));
  EXPECT_FALSE(with(i32(9)));
}

} // namespace
} // namespace kern
