// Inlining: which calls go, what early returns become, and that random programs do what they did.
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/transform/transform.h"

#include <gtest/gtest.h>

#include "compiler/ir/verify.h"
#include "tests/unit/ir_interpreter.h"
#include "tests/unit/ir_random.h"

namespace kern {
namespace {

using namespace kern::test;

struct Inline : testing::Test {
  ir::Module module;
  Diagnostics diagnostics;

  std::string inlined() {
    inline_calls(module, diagnostics);
    EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
    EXPECT_FALSE(diagnostics.has_errors());
    return outline(module.functions.back().body);
  }
};

// def f(a): return a + 1
ir::FunctionId add_one(ir::Module& module) {
  FunctionBuilder f(module, "f", false);
  ir::Operand a = f.param("a", types::i64), sum = f.temp(types::i64);
  f.function().results = {types::i64};
  f.function().body = body(binary(sum, ir::BinaryOp::Add, a, i64(1)), return_({sum}));
  return f.id;
}

TEST_F(Inline, straight_line_leaves_no_trace_of_the_call) {
  ir::FunctionId callee = add_one(module);
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.param("n", types::i64), r = k.variable("r", types::i64);
  k.function().body = body(call({r}, callee, {n}), call({r}, callee, {r}));
  EXPECT_EQ(inlined(), "assign assign assign assign");
  EXPECT_EQ(module.functions.size(), 1u);
  const auto& first = std::get<ir::Assign>(module.functions[0].body[0].node);
  EXPECT_EQ(std::get<ir::Binary>(first.value).left, n) << "a parameter that is not assigned is the argument";
}

TEST_F(Inline, assigned_param_is_a_copy) {
  FunctionBuilder f(module, "f", false);
  ir::Operand a = f.param("a", types::i64);
  f.function().results = {types::i64};
  f.function().body = body(copy(a, i64(3)), return_({a}));
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.variable("n", types::i64), r = k.variable("r", types::i64);
  k.function().body = body(call({r}, f.id, {n}));
  EXPECT_EQ(inlined(), "assign assign assign");
  EXPECT_NE(std::get<ir::Assign>(module.functions[0].body[1].node).slot, *n.slot);
}

TEST_F(Inline, results_are_assigned_at_once) {
  FunctionBuilder f(module, "swap", false);
  ir::Operand a = f.param("a", types::i64), b = f.param("b", types::i64);
  f.function().results = {types::i64, types::i64};
  f.function().body = body(return_({b, a}));
  FunctionBuilder k(module, "k", true);
  ir::Operand x = k.param("x", types::i64), y = k.param("y", types::i64);
  k.function().body = body(call({x, y}, f.id, {x, y}), stmt(ir::Print{{"", "", ""}, {x, y}, {}}));
  inline_calls(module, diagnostics);
  Interpreter run(module);
  run.run(ir::FunctionId{0}, {1, 2});
  EXPECT_EQ(run.trace, (std::vector<std::int64_t>{2, 1}));
}

TEST_F(Inline, early_return_moves_the_rest_into_the_other_arm) {
  FunctionBuilder f(module, "f", false);
  ir::Operand a = f.param("a", types::i64), c = f.temp(types::boolean), r = f.variable("r", types::i64);
  f.function().results = {types::i64};
  f.function().body = body(compare(c, ir::CompareOp::Less, a, i64(0)), if_(c, body(return_({i64(0)}))),
                           copy(r, a), return_({r}));
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.param("n", types::i64), v = k.variable("v", types::i64);
  k.function().body = body(call({v}, f.id, {n}));
  EXPECT_EQ(inlined(), "assign if{assign}else{assign assign} assign");
}

TEST_F(Inline, return_in_a_loop_breaks_and_skips_the_rest) {
  FunctionBuilder f(module, "f", false);
  ir::Operand a = f.param("a", types::i64), i = f.variable("i", types::i64),
              c = f.variable("c", types::boolean);
  f.function().body = body(for_(i, i64(0), i64(1), a, body(if_(c, body(return_())))), copy(i, a));
  FunctionBuilder k(module, "k", true);
  k.function().body = body(call({}, f.id, {i64(5)}));
  // i and c may be read unset: they are zeroed; then the flag.
  EXPECT_EQ(inlined(), "assign assign for{if{assign break}} if{}else{assign}");
}

TEST_F(Inline, variable_that_may_be_unset_is_zeroed_each_time) {
  FunctionBuilder f(module, "f", false);
  ir::Operand c = f.param("c", types::boolean), v = f.variable("v", types::i64);
  f.function().results = {types::i64};
  f.function().body = body(if_(c, body(copy(v, i64(7)))), return_({v}));
  FunctionBuilder k(module, "k", true);
  ir::Operand i = k.variable("i", types::i64), t = k.temp(types::boolean), r = k.variable("r", types::i64);
  k.function().body = body(for_(i, i64(0), i64(1), i64(2),
                                body(compare(t, ir::CompareOp::Less, i, i64(1)), call({r}, f.id, {t}),
                                     stmt(ir::Print{{"", ""}, {r}, {}}))));
  inline_calls(module, diagnostics);
  Interpreter run(module);
  run.run(ir::FunctionId{0}, {});
  EXPECT_EQ(run.trace, (std::vector<std::int64_t>{7, 0}));
}

TEST_F(Inline, sites_learn_the_call) {
  FunctionBuilder f(module, "f", false);
  ir::Operand a = f.param("a", types::i64);
  module.sites.push_back({ir::FaultKind::None, {}, "", "", {}, f.id});
  f.function().body = body(stmt(ir::Print{{"", ""}, {a}, ir::SiteId{0}}));
  FunctionBuilder k(module, "k", true);
  k.function().body = body(call({}, f.id, {i64(1)}), call({}, f.id, {i64(2)}));
  const Span second = k.function().body[1].span;
  inline_calls(module, diagnostics);
  const auto& print = std::get<ir::Print>(module.functions[0].body[1].node);
  EXPECT_EQ(module.sites[static_cast<std::size_t>(print.site)].calls, std::vector{second});
}

TEST_F(Inline, sites_name_the_parameter_of_the_kernel) {
  const Type floats = module.types.array(ScalarKind::F32, 1);
  FunctionBuilder f(module, "f", false);
  ir::Operand p = f.param("p", floats);
  module.sites.push_back({ir::FaultKind::IndexOutOfRange, {}, "p", "", {}, f.id});
  f.function().body = body(stmt(ir::Guard{p, 0, i64(3), ir::SiteId{0}}));
  FunctionBuilder k(module, "k", true);
  ir::Operand x = k.param("x", floats);
  k.function().body = body(call({}, f.id, {x}));
  inline_calls(module, diagnostics);
  const auto& guard = std::get<ir::Guard>(module.functions[0].body[0].node);
  EXPECT_EQ(module.sites[static_cast<std::size_t>(guard.site)].param, "x");
}

TEST_F(Inline, large_functions_called_twice_stay_unless_they_hold_a_collective) {
  for (bool collective : {false, true}) {
    ir::Module fresh;
    FunctionBuilder f(fresh, "f", false);
    ir::Operand v = f.variable("v", types::i64);
    for (int i = 0; i < 100; ++i) f.function().body.push_back(copy(v, i64(i)));
    if (collective) f.function().body.push_back(syncthreads());
    FunctionBuilder k(fresh, "k", true);
    k.function().body = body(call({}, f.id, {}), call({}, f.id, {}));
    inline_calls(fresh, diagnostics);
    EXPECT_EQ(fresh.functions.size(), collective ? 1u : 2u);
    EXPECT_EQ(fresh.functions.back().body.size(), collective ? 202u : 2u);
  }
}

TEST_F(Inline, growth_past_the_limit_is_an_error_where_inlining_must_be) {
  ir::FunctionId callee{};
  for (int level = 0; level < 19; ++level) {
    FunctionBuilder f(module, "f", false);
    f.function().body = level == 0 ? body(syncthreads()) : body(call({}, callee, {}), call({}, callee, {}));
    callee = f.id;
  }
  FunctionBuilder k(module, "k", true);
  k.function().body = body(call({}, callee, {}));
  inline_calls(module, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.all()[0].row->code, "E0550");
}

TEST_F(Inline, chain_of_early_returns_does_not_nest_without_end) {
  FunctionBuilder f(module, "f", false);
  ir::Operand a = f.param("a", types::i64);
  f.function().results = {types::i64};
  for (int i = 0; i < 3000; ++i) {
    ir::Operand c = f.temp(types::boolean);
    append(f.function().body, compare(c, ir::CompareOp::Less, a, i64(i)), if_(c, body(return_({i64(i)}))));
  }
  append(f.function().body, return_({a}));
  FunctionBuilder k(module, "k", true);
  ir::Operand n = k.param("n", types::i64), r = k.variable("r", types::i64);
  k.function().body = body(call({r}, f.id, {n}), stmt(ir::Print{{"", ""}, {r}, {}}));
  inline_calls(module, diagnostics);
  ASSERT_EQ(module.functions.size(), 1u);
  for (std::int64_t value : {-5, 10, 1000, 2998, 2999, 5000}) {
    Interpreter run(module);
    run.run(ir::FunctionId{0}, {value});
    EXPECT_EQ(run.trace,
              std::vector<std::int64_t>{value < 2999 ? std::max<std::int64_t>(value + 1, 0) : value});
  }
}

// A kernel that calls g, which calls f, all random.
void make_random(unsigned seed, ir::Module& module) {
  std::optional<ir::FunctionId> callee;
  module.sites.emplace_back(); // of every print
  for (int level = 0; level < 3; ++level) {
    const bool kernel = level == 2;
    FunctionBuilder f(module, "f" + std::to_string(level), kernel);
    std::vector<ir::Operand> variables{f.param("a", types::i64), f.variable("b", types::i64),
                                       f.variable("c", types::i64)};
    if (!kernel) f.function().results = {types::i64};
    f.function().body =
        RandomBody(seed * 3 + static_cast<unsigned>(level), f, variables, true, callee).body(4, false);
    if (!kernel) f.function().body.push_back(return_({variables[1]}));
    callee = f.id;
  }
}

TEST_F(Inline, random_programs_do_what_they_did) {
  int ended = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    ir::Module original, changed;
    make_random(seed, original);
    make_random(seed, changed);
    inline_calls(changed, diagnostics);
    ASSERT_EQ(ir::verify(changed), std::vector<std::string>{});
    for (std::int64_t arg : {-1, 0, 3}) {
      Interpreter before(original), after(changed);
      before.run(ir::FunctionId{2}, {arg});
      after.steps_left = 1'000'000;
      if (before.steps_left <= 0) continue; // it does not end
      ++ended;
      after.run(static_cast<ir::FunctionId>(changed.functions.size() - 1), {arg});
      ASSERT_EQ(before.trace, after.trace) << "seed " << seed << ", argument " << arg;
    }
  }
  EXPECT_GT(ended, 3000);
}

} // namespace
} // namespace kern
