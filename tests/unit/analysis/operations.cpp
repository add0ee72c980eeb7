// How much a thread does, as far as that is known before the launch.
#include "compiler/analysis/operations.h"

#include <gtest/gtest.h>

#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Operations : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand n = f.param("n", types::i64), k = f.variable("k", types::i64), flag = f.temp(types::boolean);
  ir::Stmt step = binary(k, ir::BinaryOp::Add, k, i64(1));

  std::uint32_t of(ir::Body statements) {
    f.function().body = std::move(statements);
    return count_operations(module, f.function());
  }
  ir::Body loop(ir::Operand count, ir::Body inner) {
    ir::Body all;
    all.push_back(
        stmt(ir::For{f.variable("j", types::i64).slot.value(), i64(0), i64(1), count, std::move(inner)}));
    return all;
  }
};

TEST_F(Operations, OfStatementsAreTheirNumber) {
  EXPECT_EQ(of({}), 1u); // 0 says that it is not known
  EXPECT_EQ(of({step, step, step}), 3u);
  EXPECT_EQ(of(body(pure(f.temp(types::i32), Builtin::ThreadIndexX))), 4u);
}

TEST_F(Operations, OfALoopOfConstantLengthAreThoseOfItsRounds) {
  EXPECT_EQ(of(loop(i64(32), {step})), 64u);
  EXPECT_EQ(of(loop(i64(0), {step})), 1u);
  EXPECT_EQ(of(loop(i64(-5), {step})), 1u);
  EXPECT_EQ(of(loop(i64(10), loop(i64(10), {step}))), 210u);
  EXPECT_EQ(of(loop(i64(1'000'000'000), loop(i64(1'000'000'000), {step}))), most_operations);
}

TEST_F(Operations, AreNotKnownWhereAnArgumentSaysHowOftenALoopGoesRound) {
  EXPECT_EQ(of(loop(n, {step})), 0u);
  EXPECT_EQ(of(loop(i64(4), loop(n, {step}))), 0u);
  ir::Body waits;
  waits.push_back(stmt(ir::While{{}, flag, {step}}));
  EXPECT_EQ(of(waits), 0u);
  ir::Body branch;
  branch.push_back(stmt(ir::If{flag, loop(n, {step}), {}}));
  EXPECT_EQ(of(branch), 0u);
}

TEST_F(Operations, AreThoseOfBothBranchesButNotOfARerun) {
  ir::Body branch;
  branch.push_back(stmt(ir::If{flag, {step, step}, {step}}));
  EXPECT_EQ(of(branch), 4u);
  ir::Body rerun;
  rerun.push_back(stmt(ir::If{flag, loop(n, {step}), {step}, true}));
  EXPECT_EQ(of(rerun), 2u);
}

} // namespace
} // namespace kern
