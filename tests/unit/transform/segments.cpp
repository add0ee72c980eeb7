// Kernels cut at their barriers: what stays outside Segments, and what a lockstep loop looks like.
#include "compiler/transform/transform.h"

#include <gtest/gtest.h>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/verify.h"
#include "tests/unit/ir_interpreter.h"
#include "tests/unit/ir_random.h"

namespace kern {
namespace {

using namespace kern::test;

struct Segments : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand x = f.param("x", module.types.array(ScalarKind::F32, 1));
  ir::Operand n = f.param("n", types::i64);
  ir::Operand c = f.variable("c", types::boolean);
  ir::Operand i = f.variable("i", types::i64);

  ir::Stmt work() { return copy(i, n); }
  ir::Stmt test() { return compare(c, ir::CompareOp::Less, i, n); }
  std::string cut(ir::Body body) {
    f.function().body = std::move(body);
    cut_segments(module);
    EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
    return outline(f.function().body);
  }
};

TEST_F(Segments, without_barrier_is_one) {
  EXPECT_EQ(cut(body(work(), test(), if_(c, body(work())))), "segment{assign assign if{assign}}");
}

TEST_F(Segments, empty_kernel_is_one) { EXPECT_EQ(cut({}), "segment{}"); }

TEST_F(Segments, barrier_stands_between) {
  EXPECT_EQ(cut(body(work(), syncthreads(), syncthreads(), work(), return_())),
            "segment{assign} sync sync segment{assign return}");
}

TEST_F(Segments, condition_round_a_barrier_is_lockstep) {
  EXPECT_EQ(cut(body(test(), if_(c, body(work(), syncthreads()), body(work())), work())),
            "segment{assign} if{segment{assign} sync}else{segment{assign}} segment{assign}");
}

TEST_F(Segments, divergent_return_stays_in_its_segment) {
  EXPECT_EQ(cut(body(test(), if_(c, body(return_())), syncthreads())), "segment{assign if{return}} sync");
}

TEST_F(Segments, while_is_cut_in_head_and_body) {
  EXPECT_EQ(cut(body(while_(body(test(), syncthreads(), test()), c, body(work())))),
            "head{segment{assign} sync segment{assign}}while{segment{assign}}");
}

TEST_F(Segments, break_of_a_lockstep_loop_stands_outside) {
  ir::Body loop = body(test(), if_(c, body(work(), break_())), syncthreads());
  EXPECT_EQ(cut(body(while_({}, ir::constant_bool(true), std::move(loop)))),
            "head{}while{segment{assign} if{segment{assign} break} sync}");
}

TEST_F(Segments, break_of_an_inner_loop_stays_in_its_segment) {
  ir::Body inner = body(if_(c, body(continue_())), break_());
  ir::Body loop = body(while_(body(test()), c, std::move(inner)), syncthreads());
  EXPECT_EQ(cut(body(while_({}, ir::constant_bool(true), std::move(loop)))),
            "head{}while{segment{head{assign}while{if{continue} break}} sync}");
}

TEST_F(Segments, lockstep_for_counts_from_zero_in_a_slot_of_its_own) {
  ir::Operand k = f.variable("k", types::i32);
  EXPECT_EQ(cut(body(for_(k, i32(5), i32(2), n, body(syncthreads())))),
            "for{segment{assign assign assign assign} sync}");
  const auto& loop = std::get<ir::For>(f.function().body[0].node);
  EXPECT_NE(loop.variable, *k.slot);
  EXPECT_EQ(loop.start, i64(0));
  EXPECT_EQ(loop.step, i64(1));
  EXPECT_EQ(loop.count, n);
}

TEST_F(Segments, for_operand_that_its_loop_assigns_is_kept) {
  ir::Operand k = f.variable("k", types::i64);
  EXPECT_EQ(cut(body(for_(k, i64(0), i64(1), i, body(syncthreads(), work())))),
            "segment{assign} for{segment{assign} sync segment{assign}}");
  const auto& loop = std::get<ir::For>(f.function().body[1].node);
  EXPECT_NE(loop.count, i);
}

TEST_F(Segments, temps_across_segments_become_variables) {
  ir::Operand crossing = f.temp(types::i64), inside = f.temp(types::i64), condition = f.temp(types::boolean);
  cut(body(copy(crossing, n), copy(inside, crossing), copy(i, inside), copy(condition, c),
           if_(condition, body(syncthreads())), copy(i, crossing)));
  auto kind = [&](const ir::Operand& o) {
    return f.function().slots[static_cast<std::size_t>(*o.slot)].kind;
  };
  EXPECT_EQ(kind(crossing), ir::Slot::Kind::Variable);
  EXPECT_EQ(kind(condition), ir::Slot::Kind::Variable);
  EXPECT_EQ(kind(inside), ir::Slot::Kind::Temp);
}

// Says whether outside Segments there is only lockstep control flow, and inside none.
bool well_cut(const ir::Body& body, bool inside, bool in_loop) {
  for (const ir::Stmt& each : body) {
    const bool good = match(
        each.node, [&](const ir::Segment& node) { return !inside && well_cut(node.body, true, false); },
        [&](const ir::CallEffect&) { return !inside; },
        [&](const ir::If& node) {
          return well_cut(node.then_body, inside, in_loop) && well_cut(node.else_body, inside, in_loop);
        },
        [&](const ir::While& node) {
          return well_cut(node.head, inside, true) && well_cut(node.body, inside, true);
        },
        [&](const ir::For& node) { return well_cut(node.body, inside, true); },
        [&](const ir::Break&) { return in_loop; }, [&](const ir::Continue&) { return in_loop; },
        [&](const auto&) { return inside; });
    if (!good) return false;
  }
  return true;
}

TEST(SegmentsOfRandomKernels, do_what_they_did) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    ir::Module original, changed;
    for (ir::Module* module : {&original, &changed}) {
      module->sites.emplace_back(); // of every print
      FunctionBuilder f(*module, "k", true);
      std::vector<ir::Operand> variables{f.param("a", types::i64), f.variable("b", types::i64),
                                         f.variable("c", types::i64)};
      f.function().body = RandomBody(seed, f, variables, true, {}, seed % 4 != 0).body(4, false);
      std::vector<ir::Operand> all = variables;
      f.function().body.push_back(stmt(ir::Print{{"", "", "", ""}, all, {}}));
    }
    cut_segments(changed);
    ASSERT_EQ(ir::verify(changed), std::vector<std::string>{});
    ASSERT_TRUE(well_cut(changed.functions[0].body, false, false)) << outline(changed.functions[0].body);
    for (std::int64_t arg : {-1, 0, 3}) {
      Interpreter before(original), after(changed);
      before.run(ir::FunctionId{0}, {arg});
      if (before.steps_left <= 0) continue; // it does not end
      after.steps_left = 1'000'000;
      after.run(ir::FunctionId{0}, {arg});
      ASSERT_EQ(before.trace, after.trace) << "seed " << seed << ", argument " << arg;
    }
  }
}

} // namespace
} // namespace kern
