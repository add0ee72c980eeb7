// Which barriers are under divergent control, and the reasons that are given.
#include "compiler/analysis/threads/uniformity.h"

#include <gtest/gtest.h>

#include "compiler/diagnostics/diagnostics.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Uniform : testing::Test {
  ir::Module module;
  Type floats = module.types.array(ScalarKind::I64, 1);

  // Returns how many barriers are reported, and the notes of the first one below it.
  std::string notes;
  std::size_t reported() {
    Diagnostics diagnostics;
    check_barriers(module, false, diagnostics);
    notes.clear();
    if (!diagnostics.all().empty())
      for (const Note& note : diagnostics.all()[0].notes) notes += note.text + "\n";
    return diagnostics.all().size();
  }
};

// A kernel with `t = threadIdx.x` in front and names for what most tests need.
struct UniformKernel : Uniform {
  FunctionBuilder f{module, "k", true};
  ir::Operand x = f.param("x", floats), y = f.param("y", floats);
  ir::Operand n = f.param("n", types::i64);
  ir::Operand raw = f.temp(types::i32), wide = f.temp(types::i64);
  ir::Operand t = f.variable("t", types::i64), v = f.variable("v", types::i64);
  ir::Operand c = f.variable("c", types::boolean), i = f.variable("i", types::i64);

  ir::Stmt less(const ir::Operand& a, const ir::Operand& b) { return compare(c, ir::CompareOp::Less, a, b); }
  std::size_t reported(ir::Body rest) {
    ir::Body all = body(pure(raw, Builtin::ThreadIndexX), assign(wide, ir::Convert{raw}), copy(t, wide));
    all.insert(all.end(), rest.begin(), rest.end());
    f.function().body = std::move(all);
    return Uniform::reported();
  }
};

TEST_F(UniformKernel, barrier_alone) { EXPECT_EQ(reported(body(syncthreads())), 0u); }
TEST_F(UniformKernel, uniform_condition) {
  EXPECT_EQ(reported(body(less(n, i64(5)), if_(c, body(syncthreads())))), 0u);
}
TEST_F(UniformKernel, divergent_condition) {
  ir::Operand test = f.temp(types::boolean);
  EXPECT_EQ(reported(body(compare(test, ir::CompareOp::Less, t, n), if_(test, body(syncthreads())))), 1u);
  EXPECT_EQ(notes,
            "`t < n` decides which threads come to the barrier\n"
            "`t` depends on `threadIdx.x`, which differs between threads\n"
            "let every thread of the block come to the barrier, or leave the kernel by `return` before it; "
            "where all threads agree, say so: `uniform(t < n)`\n");
}
TEST_F(UniformKernel, else_arm_is_under_it_too) {
  EXPECT_EQ(reported(body(less(t, n), if_(c, {}, body(syncthreads())))), 1u);
}
TEST_F(UniformKernel, slot_reused_for_a_uniform_value) {
  EXPECT_EQ(
      reported(body(less(t, n), if_(c, body(copy(v, n))), less(n, i64(5)), if_(c, body(syncthreads())))), 0u);
}
TEST_F(UniformKernel, value_chosen_by_a_divergent_condition) {
  EXPECT_EQ(reported(body(less(t, n), if_(c, body(copy(v, i64(1))), body(copy(v, i64(2)))), less(v, i64(2)),
                          if_(c, body(syncthreads())))),
            1u);
}
TEST_F(UniformKernel, value_within_the_divergent_arm_is_uniform_there) {
  EXPECT_EQ(reported(body(less(t, n), if_(c, body(copy(v, i64(1)))), copy(v, n), less(v, i64(2)),
                          if_(c, body(syncthreads())))),
            0u);
}
TEST_F(UniformKernel, divergent_return_is_legal) {
  EXPECT_EQ(reported(body(less(t, n), if_(c, body(return_())), syncthreads())), 0u);
}
TEST_F(UniformKernel, loop_with_uniform_count) {
  EXPECT_EQ(reported(body(for_(i, t, i64(1), n, body(syncthreads())))), 0u)
      << "start may differ, the count may not";
}
TEST_F(UniformKernel, loop_with_divergent_count) {
  EXPECT_EQ(reported(body(for_(i, i64(0), i64(1), t, body(syncthreads())))), 1u);
}
TEST_F(UniformKernel, while_with_a_uniform_halving) {
  EXPECT_EQ(
      reported(body(copy(v, n), while_(body(less(i64(0), v)), c,
                                       body(syncthreads(), binary(v, ir::BinaryOp::ShiftRight, v, i64(1)))))),
      0u);
}
TEST_F(UniformKernel, while_with_a_divergent_counter) {
  EXPECT_EQ(reported(body(copy(v, t), while_(body(less(v, n)), c,
                                             body(syncthreads(), binary(v, ir::BinaryOp::Add, v, i64(1)))))),
            1u);
}
TEST_F(UniformKernel, divergent_break_makes_the_loop_divergent) {
  EXPECT_EQ(
      reported(body(for_(i, i64(0), i64(1), n, body(syncthreads(), less(t, i), if_(c, body(break_())))))),
      1u);
}
TEST_F(UniformKernel, uniform_break) {
  EXPECT_EQ(
      reported(body(for_(i, i64(0), i64(1), n, body(less(n, i), if_(c, body(break_())), syncthreads())))),
      0u);
}
TEST_F(UniformKernel, divergent_break_leaves_different_values) {
  EXPECT_EQ(reported(body(for_(i, i64(0), i64(1), n, body(less(t, i), if_(c, body(break_())))),
                          less(i, i64(3)), if_(c, body(syncthreads())))),
            1u);
}
TEST_F(UniformKernel, after_a_divergent_loop_all_are_together) {
  EXPECT_EQ(reported(body(for_(i, i64(0), i64(1), t, body(copy(v, i))), syncthreads())), 0u);
}
TEST_F(UniformKernel, divergent_continue_holds_for_the_rest_of_the_iteration) {
  EXPECT_EQ(reported(body(for_(i, i64(0), i64(1), n,
                               body(syncthreads(), less(t, i), if_(c, body(continue_())), syncthreads())))),
            1u);
}
TEST_F(UniformKernel, divergent_continue_brings_different_values_to_the_next_iteration) {
  EXPECT_EQ(reported(body(for_(i, i64(0), i64(1), n,
                               body(less(v, i64(9)), if_(c, body(syncthreads())), less(t, i),
                                    if_(c, body(continue_())), binary(v, ir::BinaryOp::Add, v, i64(1)))))),
            1u);
}
TEST_F(UniformKernel, return_in_a_loop_is_legal) {
  EXPECT_EQ(
      reported(body(for_(i, i64(0), i64(1), n, body(less(t, i), if_(c, body(return_())), syncthreads())))),
      0u);
}

// Memory.
TEST_F(UniformKernel, load_of_memory_that_is_only_read) {
  EXPECT_EQ(reported(body(load(v, x, {i64(0)}), less(v, n), if_(c, body(syncthreads())), store(y, {t}, v))),
            0u);
}
TEST_F(UniformKernel, load_of_memory_that_is_written) {
  EXPECT_EQ(reported(body(load(v, y, {i64(0)}), less(v, n), if_(c, body(syncthreads())), store(y, {t}, v))),
            1u);
  EXPECT_NE(notes.find("`y[0]` is memory that the kernel writes"), std::string::npos) << notes;
  EXPECT_NE(notes.find("`uniform(v)`"), std::string::npos) << notes;
}
TEST_F(UniformKernel, uniform_makes_it_legal) {
  EXPECT_EQ(reported(body(load(v, y, {i64(0)}), stmt(ir::CallEffect{v.slot, Builtin::Uniform, {v}}),
                          less(v, n), if_(c, body(syncthreads())), store(y, {t}, v))),
            0u);
}
TEST_F(UniformKernel, load_at_a_divergent_index) {
  EXPECT_EQ(reported(body(load(v, x, {t}), less(v, n), if_(c, body(syncthreads())))), 1u);
}
TEST_F(UniformKernel, load_of_shared_memory) {
  module.shared.push_back({"s", ScalarKind::I64, {4}, {}, false, 16, {}});
  ir::Operand s = f.variable("s", module.types.array(ScalarKind::I64, 1, AddressSpace::Shared));
  EXPECT_EQ(reported(body(assign(s, ir::SharedArray{ir::SharedId{0}, {i64(4)}}), load(v, s, {i64(0)}),
                          less(v, n), if_(c, body(syncthreads())))),
            1u);
}
TEST_F(UniformKernel, local_memory_is_as_uniform_as_what_is_stored) {
  ir::Operand a = f.variable("a", module.types.array(ScalarKind::I64, 1, AddressSpace::Local));
  auto with = [&](const ir::Operand& value) {
    return reported(body(assign(a, ir::LocalArray{{4}}), store(a, {i64(0)}, value), load(v, a, {i64(1)}),
                         less(v, n), if_(c, body(syncthreads()))));
  };
  EXPECT_EQ(with(n), 0u);
  EXPECT_EQ(with(t), 1u);
}
TEST_F(UniformKernel, atomic_results_differ) {
  EXPECT_EQ(reported(body(stmt(ir::Atomic{v.slot, Builtin::AtomicAdd, y, {i64(0)}, {i64(1)}}), less(v, n),
                          if_(c, body(syncthreads())))),
            1u);
}
TEST_F(UniformKernel, view_at_a_divergent_start_has_a_uniform_extent) {
  using Axis = ir::ViewAxis;
  ir::Operand part = f.variable("part", floats);
  ir::View view{x, {{Axis::Kind::Range, t, n, i64(1)}}};
  EXPECT_EQ(reported(body(assign(part, view), assign(v, ir::Extent{part, 0}), less(v, n),
                          if_(c, body(syncthreads())))),
            0u);
  EXPECT_EQ(
      reported(body(assign(part, view), load(v, part, {i64(0)}), less(v, n), if_(c, body(syncthreads())))),
      1u);
}

// Calls.
TEST_F(Uniform, early_return_of_a_device_function_is_divergent_control) {
  FunctionBuilder f(module, "f", false);
  ir::Operand t = f.temp(types::i32), c = f.temp(types::boolean);
  f.function().body = body(pure(t, Builtin::ThreadIndexX), compare(c, ir::CompareOp::Less, t, i32(5)),
                           if_(c, body(return_())), syncthreads());
  EXPECT_EQ(reported(), 1u);
}

struct UniformCall : Uniform {
  ir::FunctionId callee, outer, identity;

  UniformCall() {
    FunctionBuilder f(module, "f", false);
    ir::Operand p = f.param("p", types::i64), c = f.temp(types::boolean);
    f.function().body = body(compare(c, ir::CompareOp::Less, p, i64(5)), if_(c, body(syncthreads())));
    callee = f.id;
    FunctionBuilder g(module, "g", false);
    ir::Operand q = g.param("q", types::i64);
    g.function().body = body(call({}, callee, {q}));
    outer = g.id;
    FunctionBuilder h(module, "h", false);
    ir::Operand r = h.param("r", types::i64);
    h.function().results = {types::i64};
    h.function().body = body(return_({r}));
    identity = h.id;
  }
};

TEST_F(UniformCall, is_judged_by_its_arguments) {
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.param("n", types::i64), raw = k.temp(types::i32), t = k.variable("t", types::i64);
  k.function().body = body(pure(raw, Builtin::ThreadIndexX), assign(t, ir::Convert{raw}),
                           call({}, callee, {n}), call({}, outer, {n}));
  EXPECT_EQ(reported(), 0u);
  k.function().body.push_back(call({}, outer, {t}));
  EXPECT_EQ(reported(), 1u);
  EXPECT_NE(notes.find("`t` depends on `threadIdx.x`"), std::string::npos) << notes;
}

TEST_F(UniformCall, under_divergent_control) {
  FunctionBuilder k(module, "k", true);
  ir::Operand raw = k.temp(types::i32), c = k.temp(types::boolean);
  k.function().body = body(pure(raw, Builtin::ThreadIndexX), compare(c, ir::CompareOp::Less, raw, i32(3)),
                           if_(c, body(call({}, callee, {i64(1)}))));
  EXPECT_EQ(reported(), 1u);
}

TEST_F(UniformCall, results_are_as_uniform_as_what_they_come_from) {
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.param("n", types::i64), raw = k.temp(types::i32), t = k.variable("t", types::i64);
  ir::Operand a = k.variable("a", types::i64), b = k.variable("b", types::i64);
  ir::Operand used = k.variable("used", types::i64);
  k.function().body = body(pure(raw, Builtin::ThreadIndexX), assign(t, ir::Convert{raw}),
                           call({a}, identity, {n}), call({b}, identity, {t}), copy(used, a), copy(used, b));
  Uniformity result = analyze_uniformity(module, k.id);
  EXPECT_TRUE(result.block_uniform[static_cast<std::size_t>(*a.slot)]);
  EXPECT_FALSE(result.block_uniform[static_cast<std::size_t>(*b.slot)]);
}

} // namespace
} // namespace kern
