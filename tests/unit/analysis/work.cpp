// How much a thread does, as far as the arguments of a launch tell.
#include "compiler/analysis/launch/work.h"

#include <gtest/gtest.h>

#include "runtime/common/estimate.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct WorkOf : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand x = f.param("x", module.types.array(ScalarKind::F32, 1)), n = f.param("n", types::i64);
  ir::Operand i = f.temp(types::i64), extent = f.temp(types::i64), inside = f.temp(types::boolean);
  ir::Operand step = f.temp(types::i64), count = f.temp(types::i64), loaded = f.temp(types::f32);
  // The slots are those of x, then of n.
  std::uint64_t params[5] = {0, 1000, 1, 20, 0};
  ExpressionInput input{params, {64, 1, 1}, {32, 1, 1}};

  // i = the index of a thread in the grid, and extent = x.shape[0]
  ir::Body index() {
    ir::Operand block = f.temp(types::i64), size = f.temp(types::i64), base = f.temp(types::i64),
                thread = f.temp(types::i64);
    return body(pure(block, Builtin::BlockIndexX), pure(size, Builtin::BlockDimX),
                binary(base, ir::BinaryOp::Multiply, block, size), pure(thread, Builtin::ThreadIndexX),
                binary(i, ir::BinaryOp::Add, base, thread), assign(extent, ir::Extent{x, 0}));
  }
  static ir::Body joined(ir::Body first, ir::Body second) {
    for (ir::Stmt& stmt : second) first.push_back(std::move(stmt));
    return first;
  }
  // 100 loads
  ir::Body loads(int number = 100) {
    ir::Body all;
    for (int k = 0; k < number; ++k) all.push_back(load(loaded, x, {i64(0)}));
    return all;
  }
  std::optional<Work> of(ir::Body statements) {
    f.function().body = std::move(statements);
    return estimate_work(f.function());
  }
  // Returns the operations of a launch of 32 blocks of 64 threads; -1 where they are not known.
  double known(ir::Body statements) {
    std::optional<Work> work = of(std::move(statements));
    return work && work->is_known ? Estimate(work->operations).value(input).value_or(-2) : -1;
  }
};

TEST_F(WorkOf, StatementsIsTheirNumber) {
  EXPECT_EQ(known({}), 0);
  EXPECT_EQ(known(loads()), 100);
  EXPECT_EQ(known(index()), 0); // computed once for a vector
}

TEST_F(WorkOf, AGuardedKernelIsThatOfTheThreadsInside) {
  ir::Body all = joined(index(), body(compare(inside, ir::CompareOp::Less, i, extent), if_(inside, loads())));
  EXPECT_NEAR(known(std::move(all)), 100 * 1000.0 / 2048, 2);
  params[1] = 1 << 20; // all are inside
  all = joined(index(), body(compare(inside, ir::CompareOp::Less, i, extent), if_(inside, loads())));
  EXPECT_NEAR(known(std::move(all)), 100, 2);
}

TEST_F(WorkOf, ThreadsThatLeaveEarlyIsWhatTheyDidBefore) {
  ir::Body all = joined(index(), joined(body(compare(inside, ir::CompareOp::GreaterEqual, i, extent),
                                             if_(inside, body(return_()))),
                                        loads()));
  EXPECT_NEAR(known(std::move(all)), 100 * 1000.0 / 2048, 2);
}

TEST_F(WorkOf, AndIsThatOfThreadsForWhichBothHold) {
  ir::Operand y = f.temp(types::i64), low = f.temp(types::boolean), both = f.variable("", types::boolean);
  ir::Body all =
      joined(index(), body(pure(y, Builtin::ThreadIndexY), compare(low, ir::CompareOp::Less, i, extent)));
  all.push_back(if_(low, body(compare(inside, ir::CompareOp::Less, y, n), copy(both, inside)),
                    body(copy(both, ir::constant_bool(false)))));
  all.push_back(if_(both, loads()));
  input.block_dim = {64, 40, 1}; // half of which are less than n
  EXPECT_NEAR(known(std::move(all)), 100 * 1000.0 / 2048 / 2, 3);
}

// for j in range(i, x.shape[0], gridsize(1))
TEST_F(WorkOf, AGridStrideLoopIsThatOfTheElements) {
  ir::Operand blocks = f.temp(types::i64), size = f.temp(types::i64), j = f.variable("j", types::i64);
  for (std::uint64_t elements : {10u, 1000u, 100'000u}) {
    params[1] = elements;
    ir::Body all = joined(index(), body(pure(blocks, Builtin::GridDimX), pure(size, Builtin::BlockDimX),
                                        binary(step, ir::BinaryOp::Multiply, blocks, size)));
    ir::For loop{*j.slot, i, step, count, loads()};
    loop.stop = extent;
    all.push_back(stmt(std::move(loop)));
    EXPECT_NEAR(known(std::move(all)), static_cast<double>(elements) / 2048 * 100.5, 0.1) << elements;
  }
}

TEST_F(WorkOf, LoopsIsThatOfTheirRounds) {
  ir::Operand j = f.variable("j", types::i64), k = f.variable("k", types::i64);
  EXPECT_NEAR(known(body(for_(j, i64(0), i64(1), i64(32), loads()))), 3200, 32);
  EXPECT_NEAR(known(body(for_(j, i64(0), i64(1), i64(-5), loads()))), 0, 0.1);
  EXPECT_NEAR(known(body(for_(j, i64(0), i64(1), n, loads()))), 2000, 20);
  EXPECT_NEAR(known(body(for_(j, i64(0), i64(1), n, body(for_(k, i64(0), i64(1), n, loads()))))), 40'000,
              400);
  // A triangle is half of a square.
  EXPECT_NEAR(known(body(for_(j, i64(0), i64(1), n, body(for_(k, i64(0), i64(1), j, loads()))))), 20'000,
              400);
}

// width = 128; while width > 0: ...; width //= 2
TEST_F(WorkOf, ALoopOverConstantsIsThatOfItsRounds) {
  ir::Operand width = f.variable("width", types::i64);
  auto halving = [&](ir::Operand start) {
    ir::Body round = joined(loads(), body(binary(width, ir::BinaryOp::FloorDivide, width, i64(2))));
    return body(copy(width, start), while_(body(compare(inside, ir::CompareOp::Greater, width, i64(0))),
                                           inside, std::move(round)));
  };
  EXPECT_NEAR(known(halving(i64(128))), 800, 10);
  EXPECT_EQ(known(halving(n)), -1);
}

TEST_F(WorkOf, WhatMemoryDecidesIsNotKnown) {
  ir::Operand j = f.variable("j", types::i64), found = f.temp(types::i64);
  ir::Operand lengths = f.param("lengths", module.types.array(ScalarKind::I64, 1));
  EXPECT_EQ(known(body(load(found, lengths, {i64(0)}), for_(j, i64(0), i64(1), found, loads()))), -1);
  EXPECT_EQ(
      known(body(while_(body(load(found, lengths, {i64(0)}), compare(inside, ir::CompareOp::Less, found, n)),
                        inside, loads()))),
      -1);
  EXPECT_EQ(known(body(for_(j, i64(0), i64(1), n, body(if_(inside, body(break_())))))), -1);
  ir::Operand test = f.temp(types::boolean);
  EXPECT_NEAR(known(body(load(found, lengths, {i64(0)}), compare(test, ir::CompareOp::Less, found, n),
                         if_(test, loads(10), loads(20)))),
              30, 3); // both branches
}

TEST_F(WorkOf, ARerunIsNone) {
  ir::Body all = body(stmt(ir::If{inside, loads(), loads(3), true}));
  EXPECT_EQ(known(std::move(all)), 3);
}

// Each `if` adds a term; and its threads are others each time.
TEST_F(WorkOf, LongKernelsHasAnExpressionThatIsShort) {
  ir::Body all = index();
  for (int k = 1; k < 500; ++k) {
    ir::Operand bound = f.temp(types::i64), test = f.temp(types::boolean);
    all.push_back(binary(bound, ir::BinaryOp::Add, extent, i64(k)));
    all.push_back(compare(test, ir::CompareOp::Less, i, bound));
    all.push_back(if_(test, loads(k % 30)));
    if (k % 7 == 0) all.push_back(if_(test, body(return_())));
  }
  std::optional<Work> work = of(std::move(all));
  ASSERT_TRUE(work);
  EXPECT_TRUE(Estimate(work->operations).value(input));
  EXPECT_LE(to_string(work->operations, {}).size(), 2500u);
}

} // namespace
} // namespace kern
