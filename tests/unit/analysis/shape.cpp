// Shapes by rule, and of random kernels against the threads one by one.
#include "compiler/analysis/threads/shape.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "tests/unit/analysis/lane_interpreter.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct ShapeOf : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand x = f.param("x", module.types.array(ScalarKind::F32, 2));
  ir::Operand n = f.param("n", types::i64), m = f.param("m", types::i32);
  ir::Operand t = f.temp(types::i32), w = f.temp(types::i64);
  ir::Operand v = f.variable("v", types::i64), s = f.variable("s", types::i32);
  ir::Operand c = f.temp(types::boolean);
  LaneFacts facts{16};
  Shapes shapes;

  // Analyses a kernel that begins with `t = threadIdx.x; w = i64(t)`.
  void analyze(ir::Body rest) {
    ir::Body all = body(pure(t, Builtin::ThreadIndexX), assign(w, ir::Convert{t}));
    all.insert(all.end(), rest.begin(), rest.end());
    f.function().body = std::move(all);
    shapes = analyze_shapes(module, f.id, facts);
  }
  std::string text(const ir::Operand& operand) const { return text(shapes.of(operand)); }
  static std::string text(Shape shape) {
    switch (shape.kind) {
    case Shape::Kind::Uniform: return "uniform";
    case Shape::Kind::Linear: return "linear " + std::to_string(shape.step);
    case Shape::Kind::Varying: return "varying";
    }
    return "";
  }
  std::string of(const ir::Operand& slot, ir::Expr expr) {
    analyze(body(assign(slot, std::move(expr))));
    return text(slot);
  }
  ir::Stmt test(const ir::Operand& a, const ir::Operand& b) { return compare(c, ir::CompareOp::Less, a, b); }
  const ControlShape& control(std::size_t index) { return shapes.control(f.function().body[index + 2]); }
};

TEST_F(ShapeOf, thread_index) {
  analyze({});
  EXPECT_EQ(text(t), "linear 1");
  EXPECT_EQ(text(w), "linear 1");
  facts.lanes = 1;
  analyze({});
  EXPECT_EQ(text(t), "uniform");
}

TEST_F(ShapeOf, thread_index_of_warps) {
  facts = {32, true};
  analyze({});
  EXPECT_EQ(text(t), "varying");
  facts.block_x_multiple = true;
  analyze({});
  EXPECT_EQ(text(t), "linear 1");
  facts.block_x_multiple = false;
  f.function().options.block = {64, 2, 1};
  analyze({});
  EXPECT_EQ(text(t), "linear 1");
  f.function().options.block = {48, 2, 1};
  analyze({});
  EXPECT_EQ(text(t), "varying");
  f.function().options.block = {48, 1, 1};
  analyze({});
  EXPECT_EQ(text(t), "linear 1");
}

TEST_F(ShapeOf, sums_and_products) {
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::Add, w, n}), "linear 1");
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::Subtract, n, w}), "linear -1");
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::Subtract, w, w}), "uniform");
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::Multiply, w, i64(6)}), "linear 6");
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::Multiply, w, n}), "varying");
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::ShiftLeft, w, i64(3)}), "linear 8");
  EXPECT_EQ(of(v, ir::Unary{ir::UnaryOp::Negate, w}), "linear -1");
  EXPECT_EQ(of(v, ir::Unary{ir::UnaryOp::BitNot, w}), "linear -1");
  EXPECT_EQ(of(v, ir::Binary{ir::BinaryOp::BitXor, w, i64(1)}), "varying");
}

TEST_F(ShapeOf, division_into_whole_vectors) {
  EXPECT_EQ(of(s, ir::Binary{ir::BinaryOp::FloorDivide, t, i32(32)}), "uniform");
  EXPECT_EQ(of(s, ir::Binary{ir::BinaryOp::ShiftRight, t, i32(4)}), "uniform");
  EXPECT_EQ(of(s, ir::Binary{ir::BinaryOp::Modulo, t, i32(32)}), "linear 1");
  EXPECT_EQ(of(s, ir::Binary{ir::BinaryOp::BitAnd, t, i32(31)}), "linear 1");
  EXPECT_EQ(of(s, ir::Binary{ir::BinaryOp::FloorDivide, t, i32(8)}), "varying");
  EXPECT_EQ(of(s, ir::Binary{ir::BinaryOp::BitAnd, t, i32(30)}), "varying");
}

TEST_F(ShapeOf, widening_needs_that_nothing_wraps) {
  ir::Operand sum = f.temp(types::i32);
  analyze(body(binary(sum, ir::BinaryOp::Add, t, i32(1)), assign(v, ir::Convert{sum})));
  EXPECT_EQ(text(v), "linear 1");
  analyze(body(binary(sum, ir::BinaryOp::Add, t, m), assign(v, ir::Convert{sum})));
  EXPECT_EQ(text(sum), "linear 1");
  EXPECT_EQ(text(v), "varying") << "m may be near 2^31";
}

TEST_F(ShapeOf, grid_index_in_i32_needs_a_small_grid) {
  ir::Operand b = f.temp(types::i32), d = f.temp(types::i32), p = f.temp(types::i32),
              sum = f.temp(types::i32);
  auto grid = [&] {
    analyze(body(pure(b, Builtin::BlockIndexX), pure(d, Builtin::BlockDimX),
                 binary(p, ir::BinaryOp::Multiply, b, d), binary(sum, ir::BinaryOp::Add, t, p),
                 assign(v, ir::Convert{sum})));
    return text(v);
  };
  EXPECT_EQ(grid(), "varying");
  facts.small_grid = true;
  EXPECT_EQ(grid(), "linear 1");
}

TEST_F(ShapeOf, narrowing_commutes_with_wrapping) {
  ir::Operand sum = f.temp(types::i64);
  analyze(body(binary(sum, ir::BinaryOp::Add, w, n), assign(s, ir::Convert{sum})));
  EXPECT_EQ(text(s), "linear 1");
}

TEST_F(ShapeOf, comparisons_and_selects) {
  analyze(body(test(w, n), assign(v, ir::Select{c, n, n})));
  EXPECT_EQ(text(c), "varying");
  EXPECT_EQ(text(v), "varying");
  analyze(body(test(n, i64(3)), assign(v, ir::Select{c, w, w})));
  EXPECT_EQ(text(c), "uniform");
  EXPECT_EQ(text(v), "linear 1");
}

TEST_F(ShapeOf, assignments_are_joined) {
  analyze(body(copy(v, n), copy(v, w)));
  EXPECT_EQ(text(v), "varying");
  analyze(body(copy(v, w), binary(v, ir::BinaryOp::Add, v, n)));
  EXPECT_EQ(text(v), "linear 1");
}

TEST_F(ShapeOf, variable_assigned_under_a_varying_condition) {
  analyze(body(copy(v, n), test(w, n), if_(c, body(copy(v, i64(3)))), copy(s, m)));
  EXPECT_EQ(text(v), "varying");
  analyze(body(copy(v, n), test(n, i64(3)), if_(c, body(copy(v, i64(3))))));
  EXPECT_EQ(text(v), "uniform");
}

TEST_F(ShapeOf, variable_at_home_under_a_varying_condition) {
  ir::Operand k = f.variable("k", types::i64);
  analyze(body(test(w, n), if_(c, body(copy(v, i64(0)), for_(k, i64(0), i64(1), n,
                                                             body(binary(v, ir::BinaryOp::Add, v, k)))))));
  EXPECT_EQ(text(v), "uniform");
  EXPECT_EQ(text(k), "uniform");
  EXPECT_TRUE(control(1).varying);
}

TEST_F(ShapeOf, loops_that_lanes_leave_one_by_one) {
  ir::Operand k = f.variable("k", types::i64);
  analyze(body(copy(v, i64(0)), for_(k, i64(0), i64(1), w, body(binary(v, ir::BinaryOp::Add, v, i64(1)))),
               copy(v, v)));
  EXPECT_TRUE(control(1).varying);
  EXPECT_EQ(text(v), "varying");
  EXPECT_EQ(text(k), "uniform") << "lanes in one iteration agree on it, and nobody reads it later";
  analyze(body(for_(k, w, n, i64(9), body(copy(v, k)))));
  EXPECT_EQ(text(k), "linear 1");
  EXPECT_FALSE(control(0).varying);
}

TEST_F(ShapeOf, varying_break_and_continue) {
  ir::Operand k = f.variable("k", types::i64);
  analyze(body(for_(k, i64(0), i64(1), n, body(test(w, k), if_(c, body(break_())))), copy(v, k)));
  EXPECT_TRUE(control(0).varying_break);
  EXPECT_FALSE(control(0).varying);
  EXPECT_EQ(text(v), "varying");
  analyze(body(copy(v, i64(0)),
               for_(k, i64(0), i64(1), n,
                    body(test(w, k), if_(c, body(continue_())), binary(v, ir::BinaryOp::Add, v, i64(1)))),
               copy(v, v)));
  EXPECT_TRUE(control(1).varying_continue);
  EXPECT_EQ(text(v), "varying");
  EXPECT_EQ(text(k), "uniform");
}

TEST_F(ShapeOf, break_behind_a_varying_continue) {
  ir::Operand k = f.variable("k", types::i64);
  auto loop = [&](ir::Stmt before) {
    analyze(body(for_(k, i64(0), i64(1), n, body(test(w, k), before, break_()))));
    return shapes.control(std::get<ir::For>(f.function().body[2].node).body[2]).varying;
  };
  EXPECT_TRUE(loop(if_(c, body(continue_())))) << "the lanes that continued go on";
  EXPECT_FALSE(loop(if_(c, body(return_()))));
}

TEST_F(ShapeOf, value_from_the_iteration_before) {
  ir::Operand k = f.variable("k", types::i64), last = f.variable("last", types::i64);
  // `last` is read before it is assigned: lanes that skipped the assignment see an older value.
  analyze(body(for_(k, i64(0), i64(1), n, body(test(w, k), if_(c, body(copy(v, last), copy(last, k)))))));
  EXPECT_EQ(text(last), "varying");
}

TEST_F(ShapeOf, loads) {
  ir::Operand e = f.variable("e", types::f32);
  analyze(body(load(e, x, {n, i64(0)})));
  EXPECT_EQ(text(e), "uniform");
  analyze(body(load(e, x, {n, w})));
  EXPECT_EQ(text(e), "varying");
  ir::Operand a = f.variable("a", module.types.array(ScalarKind::F32, 1, AddressSpace::Local));
  analyze(body(assign(a, ir::LocalArray{{4}}), load(e, a, {i64(0)})));
  EXPECT_EQ(text(e), "varying") << "each thread has its own";
}

TEST_F(ShapeOf, elements) {
  analyze({});
  EXPECT_EQ(text(shapes.element(x, {n, w})), "varying") << "the stride is not known";
  facts.contiguous = true;
  analyze({});
  EXPECT_EQ(text(shapes.element(x, {n, w})), "linear 1");
  EXPECT_EQ(text(shapes.element(x, {w, n})), "varying");
  EXPECT_EQ(text(shapes.element(x, {n, n})), "uniform");
}

TEST_F(ShapeOf, views) {
  using Axis = ir::ViewAxis;
  ir::Operand row = f.variable("row", module.types.array(ScalarKind::F32, 1));
  ir::Operand length = f.variable("length", types::i64);
  facts.contiguous = true;
  analyze(body(assign(row, ir::View{x, {{Axis::Kind::Index, n, {}, {}}, {Axis::Kind::Range, w, n, i64(2)}}}),
               assign(length, ir::Extent{row, 0})));
  EXPECT_EQ(text(shapes.arrays[static_cast<std::size_t>(*row.slot)].offset), "linear 1");
  EXPECT_EQ(text(shapes.element(row, {w})), "linear 3");
  EXPECT_EQ(text(length), "uniform");
  analyze(body(
      assign(row, ir::View{x, {{Axis::Kind::Index, w, {}, {}}, {Axis::Kind::Range, i64(0), n, i64(1)}}})));
  EXPECT_EQ(text(shapes.element(row, {n})), "varying");
}

TEST_F(ShapeOf, transposed_arrays) {
  ir::Operand t = f.variable("t", module.types.array(ScalarKind::F32, 2));
  ir::Operand outer = f.variable("outer", types::i64), inner = f.variable("inner", types::i64);
  facts.contiguous = true;
  analyze(body(assign(outer, ir::Stride{x, 0}), assign(inner, ir::Stride{x, 1}),
               assign(t, ir::Restride{x, {n, n}, {inner, outer}})));
  EXPECT_EQ(text(shapes.element(t, {w, n})), "linear 1");
  EXPECT_EQ(text(shapes.element(t, {n, w})), "varying");
  EXPECT_EQ(text(shapes.arrays[static_cast<std::size_t>(*t.slot)].base), "uniform");
}

TEST_F(ShapeOf, shared_tile) {
  module.shared.push_back({"tile", ScalarKind::F32, {16, 17}, {}, false, 16, {}});
  ir::Operand tile = f.variable("tile", module.types.array(ScalarKind::F32, 2, AddressSpace::Shared));
  analyze(body(assign(tile, ir::SharedArray{ir::SharedId{0}, {i64(16), i64(17)}})));
  EXPECT_EQ(text(shapes.element(tile, {n, w})), "linear 1");
  EXPECT_EQ(text(shapes.element(tile, {w, n})), "linear 17");
}

TEST_F(ShapeOf, swapped_arrays) {
  ir::Operand a = f.variable("a", x.type);
  analyze(body(copy(a, x), test(n, i64(3)), if_(c, body(copy(a, x)))));
  EXPECT_EQ(text(shapes.arrays[static_cast<std::size_t>(*a.slot)].base), "uniform");
  analyze(body(copy(a, x), test(w, n), if_(c, body(copy(a, x)))));
  EXPECT_EQ(text(shapes.arrays[static_cast<std::size_t>(*a.slot)].base), "varying");
}

TEST_F(ShapeOf, lockstep_control_is_uniform) {
  ir::Operand d = f.variable("d", types::boolean);
  auto segment = [](ir::Body inner) { return stmt(ir::Segment{std::move(inner)}); };
  ir::Stmt tested = compare(d, ir::CompareOp::Less, w, n);
  analyze(body(copy(v, n), tested, if_(d, body(syncthreads(), copy(v, i64(3)))), copy(s, m)));
  EXPECT_EQ(text(v), "varying");
  f.function().body =
      body(segment(body(pure(t, Builtin::ThreadIndexX), assign(w, ir::Convert{t}), copy(v, n), tested)),
           if_(d, body(syncthreads(), segment(body(copy(v, i64(3)))))), segment(body(copy(s, m))));
  shapes = analyze_shapes(module, f.id, facts);
  EXPECT_EQ(text(v), "uniform") << "threads that disagree on the condition are a fault";
}

TEST(ShapeOfCalls, parameters_are_what_all_calls_pass) {
  ir::Module module;
  FunctionBuilder g(module, "g", false);
  ir::Operand a = g.param("a", types::i32), b = g.param("b", types::i32), d = g.param("d", types::i32);
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.param("n", types::i32), t = k.temp(types::i32);
  k.function().body =
      body(pure(t, Builtin::ThreadIndexX), call({}, g.id, {n, t, n}), call({}, g.id, {i32(3), t, t}));
  Shapes shapes = analyze_shapes(module, g.id, {16});
  EXPECT_EQ(shapes.of(a), uniform_shape);
  EXPECT_EQ(shapes.of(b), linear_shape(1));
  EXPECT_EQ(shapes.of(d), varying_shape);
}

// ---- Random kernels ----

class RandomLanes {
public:
  RandomLanes(unsigned seed, FunctionBuilder& f) : random_(seed), f_(f) {
    longs_ = {f.param("a", types::i64), f.param("b", types::i64)};
    ints_ = {f.param("c", types::i32)};
    for (const char* name : {"u", "v", "w"}) longs_.push_back(f.variable(name, types::i64));
    for (const char* name : {"p", "q", "r"}) ints_.push_back(f.variable(name, types::i32));
  }

  ir::Body body(int depth, bool in_loop) {
    // Variables of this body alone: what is at home in it.
    const std::vector<ir::Operand> longs = longs_, ints = ints_;
    if (pick(2)) longs_ = {longs_[0], f_.variable("x", types::i64), f_.variable("y", types::i64)};
    if (pick(2)) ints_ = {ints_[0], f_.variable("z", types::i32)};
    ir::Body result;
    for (int i = 0, n = 2 + pick(4); i < n; ++i) {
      add(result, depth, in_loop);
      if (std::holds_alternative<ir::Break>(result.back().node)) break;
    }
    longs_ = longs;
    ints_ = ints;
    return result;
  }

private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  const ir::Operand& one_of(const std::vector<ir::Operand>& list) {
    return list[static_cast<std::size_t>(pick(static_cast<int>(list.size())))];
  }
  const ir::Operand& variable(Type type) { return one_of(type == types::i64 ? longs_ : ints_); }

  ir::Operand thread(Type type, ir::Body& before) {
    ir::Operand index = f_.temp(types::i32);
    append(before, pure(index, Builtin::ThreadIndexX));
    if (pick(2)) {
      ir::Operand sum = f_.temp(types::i32);
      append(before, binary(sum, ir::BinaryOp::Add, index, pick(2) ? ints_[0] : variable(types::i32)));
      index = sum;
    }
    if (type == types::i32) return index;
    ir::Operand wide = f_.temp(types::i64);
    append(before, assign(wide, ir::Convert{index}));
    return wide;
  }

  ir::Operand operand(Type type, ir::Body& before) {
    const int kind = pick(10);
    if (kind == 0) return thread(type, before);
    if (kind == 1 && type == types::i32) return ir::constant_int(type, 0x7fffffff - pick(20));
    if (kind <= 4) return ir::constant_int(type, pick(40) - 8);
    return variable(type);
  }

  ir::Expr expression(Type type, ir::Body& before) {
    using Op = ir::BinaryOp;
    const int kind = pick(10);
    if (kind == 0) return ir::Copy{operand(type, before)};
    if (kind == 1) return ir::Convert{operand(type == types::i64 ? types::i32 : types::i64, before)};
    if (kind == 2)
      return ir::Unary{pick(2) ? ir::UnaryOp::Negate : ir::UnaryOp::BitNot, operand(type, before)};
    if (kind == 3) return ir::Select{condition(before), operand(type, before), operand(type, before)};
    if (kind <= 6)
      return ir::Binary{pick(2) ? Op::Add : Op::Subtract, operand(type, before), operand(type, before)};
    if (kind == 7)
      return ir::Binary{Op::Multiply, operand(type, before), ir::constant_int(type, pick(9) - 3)};
    const Op division[] = {Op::FloorDivide, Op::Modulo, Op::BitAnd, Op::ShiftRight, Op::ShiftLeft};
    const Op op = division[pick(5)];
    const std::int64_t by = op == Op::BitAnd                            ? (4 << pick(5)) - 1
                            : op == Op::FloorDivide || op == Op::Modulo ? 4 << pick(5)
                                                                        : pick(7);
    return ir::Binary{op, operand(type, before), ir::constant_int(type, by)};
  }

  ir::Operand condition(ir::Body& before) {
    const Type type = pick(2) ? types::i64 : types::i32;
    const ir::CompareOp ops[] = {ir::CompareOp::Less, ir::CompareOp::GreaterEqual, ir::CompareOp::NotEqual};
    ir::Operand left = pick(2) ? thread(type, before) : operand(type, before),
                right = pick(2) ? operand(type, before) : variable(type);
    ir::Operand result = f_.temp(types::boolean);
    append(before, compare(result, ops[pick(3)], left, right));
    return result;
  }

  void add(ir::Body& out, int depth, bool in_loop) {
    const Type type = pick(2) ? types::i64 : types::i32;
    const int kind = pick(depth > 0 ? 16 : 9);
    if (kind <= 4) {
      ir::Expr expr = expression(type, out);
      return append(out, assign(variable(type), std::move(expr)));
    }
    if (kind == 5 && in_loop) {
      ir::Operand test = condition(out);
      return append(out, if_(test, pick(2) ? kern::test::body(break_()) : kern::test::body(continue_())));
    }
    if (kind == 6 && in_loop && pick(4) == 0) return append(out, break_());
    if (kind == 6 && pick(4) == 0) return append(out, return_());
    if (kind <= 8) return append(out, stmt(ir::Print{{"", ""}, {variable(type)}, {}}));
    if (kind <= 12) {
      ir::Operand test = condition(out);
      ir::Body then_body = body(depth - 1, in_loop);
      return append(out, if_(test, std::move(then_body), pick(2) ? body(depth - 1, in_loop) : ir::Body{}));
    }
    if (kind <= 14) {
      // Small numbers: a for never wraps in i32.
      ir::Operand start = f_.temp(type), count = f_.temp(types::i64);
      append(out, binary(start, ir::BinaryOp::Modulo, operand(type, out), ir::constant_int(type, 50)));
      append(out, binary(count, ir::BinaryOp::Modulo, operand(types::i64, out), i64(5)));
      return append(out, for_(variable(type), start, ir::constant_int(type, pick(5) - 2), count,
                              body(depth - 1, true)));
    }
    ir::Body head;
    ir::Operand test = condition(head);
    append(out, while_(std::move(head), test, body(depth - 1, true)));
  }

  std::mt19937 random_;
  FunctionBuilder& f_;
  std::vector<ir::Operand> longs_, ints_;
};

// Says whether lanes by shapes do what threads do one by one; nothing where the threads do not come to an
// end.
std::optional<bool> lanes_agree(const ir::Module& module, const LaneFacts& facts, int first, int active,
                                const std::vector<std::int64_t>& args, std::string& what) {
  const Shapes shapes = analyze_shapes(module, ir::FunctionId{0}, facts);
  std::vector<std::vector<std::int64_t>> traces;
  for (int lane = 0; lane < active; ++lane) {
    Interpreter thread(module);
    thread.steps_left = 2000;
    thread.thread = first + lane;
    thread.run(ir::FunctionId{0}, args);
    if (thread.steps_left <= 0) return std::nullopt;
    traces.push_back(std::move(thread.trace));
  }
  LaneInterpreter vector(module.functions[0], shapes, facts.lanes, first);
  std::vector<bool> mask(static_cast<std::size_t>(facts.lanes));
  std::fill_n(mask.begin(), active, true);
  vector.run(args, mask);
  traces.resize(static_cast<std::size_t>(facts.lanes));
  for (std::size_t lane = 0; lane < traces.size(); ++lane)
    if (vector.trace[lane] != traces[lane]) what = "lane " + std::to_string(lane);
  return vector.trace == traces;
}

TEST(ShapeOfRandomKernels, lanes_do_what_threads_do) {
  int ended = 0, scalars = 0, slots = 0;
  for (unsigned seed = 0; seed < 2500; ++seed) {
    ir::Module module;
    module.sites.emplace_back(); // of every print
    FunctionBuilder f(module, "k", true);
    f.function().body = RandomLanes(seed, f).body(4, false);
    ASSERT_EQ(ir::verify(module), std::vector<std::string>{});
    const LaneFacts facts{seed % 2 ? 4 : 8};
    const Shapes shapes = analyze_shapes(module, f.id, facts);
    for (std::size_t i = 3; i < shapes.slots.size(); ++i)
      if (f.function().slots[i].kind == ir::Slot::Kind::Variable && ++slots)
        scalars += shapes.slots[i].kind != Shape::Kind::Varying;
    for (int active : {facts.lanes, facts.lanes - 3}) {
      std::string what;
      const auto agree = lanes_agree(module, facts, facts.lanes * 3, active,
                                     {3, 25, 0x7fffffff - 3 * facts.lanes - 1}, what);
      if (!agree) continue;
      ++ended;
      ASSERT_TRUE(*agree) << "seed " << seed << ", " << what << "\n"
                          << ir::print(module.functions[0], module);
    }
  }
  EXPECT_GT(ended, 2000);
  EXPECT_GT(scalars * 10, slots) << "the test would show little if nearly everything were varying";
}

} // namespace
} // namespace kern
