// Variables that may be read unset, and what lives across segments.
#include "compiler/analysis/flow/assignment.h"

#include <gtest/gtest.h>

#include "compiler/analysis/flow/crossing.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Unset : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand n = f.param("n", types::i64), c = f.param("c", types::boolean);
  ir::Operand v = f.variable("v", types::i64), r = f.variable("r", types::i64),
              i = f.variable("i", types::i64);

  ir::Stmt set() { return copy(v, n); }
  ir::Stmt use() { return copy(r, v); }
  bool unset(ir::Body body) {
    f.function().body = std::move(body);
    return find_unset_reads(f.function())[static_cast<std::size_t>(*v.slot)].has_value();
  }
  bool crosses(ir::Body body) {
    f.function().body = std::move(body);
    return find_crossing_slots(f.function())[static_cast<std::size_t>(*v.slot)];
  }
  static ir::Stmt segment(ir::Body inner) { return stmt(ir::Segment{std::move(inner)}); }
};

TEST_F(Unset, straight) {
  EXPECT_FALSE(unset(body(set(), use())));
  EXPECT_TRUE(unset(body(use(), set())));
}
TEST_F(Unset, both_arms) {
  EXPECT_FALSE(unset(body(if_(c, body(set()), body(set())), use())));
  EXPECT_TRUE(unset(body(if_(c, body(set())), use())));
  EXPECT_FALSE(unset(body(if_(c, body(set()), body(return_())), use()))) << "the other path ends";
}
TEST_F(Unset, loop_that_may_not_run) {
  EXPECT_TRUE(unset(body(for_(i, i64(0), i64(1), n, body(set())), use())));
  EXPECT_FALSE(unset(body(for_(i, i64(0), i64(1), i64(3), body(set())), use())));
  EXPECT_TRUE(unset(body(for_(i, i64(0), i64(1), i64(3), body(if_(c, body(continue_())), set())), use())));
  EXPECT_TRUE(unset(body(while_({}, c, body(set())), use())));
  EXPECT_FALSE(unset(body(while_(body(set()), c, {}), use()))) << "a head runs at least once";
}
TEST_F(Unset, loop_left_by_break) {
  const ir::Operand yes = ir::constant_bool(true);
  EXPECT_FALSE(unset(body(while_({}, yes, body(set(), if_(c, body(break_())))), use())));
  EXPECT_TRUE(unset(body(while_({}, yes, body(if_(c, body(break_())), set())), use())));
  EXPECT_TRUE(
      unset(body(while_({}, yes, body(if_(c, body(set(), break_())), if_(c, body(break_())))), use())));
}
TEST_F(Unset, earlier_iterations_do_not_count) {
  EXPECT_TRUE(unset(body(for_(i, i64(0), i64(1), n, body(use(), set())))));
}

TEST_F(Unset, crossing) {
  EXPECT_FALSE(crosses(body(segment(body(set(), use())), segment(body(copy(r, n))))));
  EXPECT_TRUE(crosses(body(segment(body(set())), syncthreads(), segment(body(use())))));
  auto loop = [&](ir::Body inner) {
    return crosses(body(for_(i, i64(0), i64(1), n, body(segment(std::move(inner)), syncthreads()))));
  };
  EXPECT_FALSE(loop(body(set(), use())));
  EXPECT_TRUE(loop(body(use(), set()))) << "the next iteration reads it";
}
TEST_F(Unset, condition_outside_segments_crosses) {
  f.function().body = body(segment(body(copy(v, n))), for_(i, i64(0), i64(1), v, body(syncthreads())));
  EXPECT_TRUE(find_crossing_slots(f.function())[static_cast<std::size_t>(*v.slot)]);
  EXPECT_FALSE(find_crossing_slots(f.function())[static_cast<std::size_t>(*n.slot)]) << "nothing assigns it";
}

} // namespace
} // namespace kern
