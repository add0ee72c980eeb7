// Tests what is found to be done to a parameter, through whatever it was called on the way.
#include "compiler/analysis/memory/access.h"

#include <gtest/gtest.h>

#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Access : testing::Test {
  ir::Module module;
  Type floats = module.types.array(ScalarKind::F32, 1);
  FunctionBuilder f{module, "k", true};
  ir::Operand x = f.param("x", floats), n = f.param("n", types::i64), y = f.param("y", floats);
  ir::Operand a = f.variable("a", floats), b = f.variable("b", floats), v = f.variable("v", types::f32);

  // "x:rw y:" and so on: r read, w written, a atomic.
  std::string access(ir::Body body) {
    f.function().body = std::move(body);
    std::string text;
    std::vector<ParamAccess> found = analyze_access(module, f.id);
    for (std::size_t i : {0, 2}) {
      text += (i ? " y:" : "x:");
      text += std::string(found[i].read ? "r" : "") + (found[i].written ? "w" : "") +
              (found[i].atomic ? "a" : "");
    }
    return text;
  }
  std::vector<ir::SlotId> views_of(const ir::Operand& array) {
    return analyze_views(module, f.id)[static_cast<std::size_t>(*array.slot)];
  }
};

TEST_F(Access, directly) {
  EXPECT_EQ(access(body(load(v, x, {n}), store(y, {n}, v))), "x:r y:w");
  EXPECT_EQ(access(body(stmt(ir::Atomic{{}, Builtin::AtomicAdd, y, {n}, {v}}))), "x: y:a");
}

TEST_F(Access, through_a_view) {
  ir::View view{x, {{ir::ViewAxis::Kind::Range, i64(0), n, i64(1)}}};
  EXPECT_EQ(access(body(assign(a, view), store(a, {n}, v))), "x:w y:");
}

TEST_F(Access, through_other_strides) {
  EXPECT_EQ(access(body(assign(a, ir::Restride{x, {n}, {i64(1)}}), store(a, {n}, v))), "x:w y:");
}

TEST_F(Access, through_a_swap) {
  // The assignment may follow the access: a loop comes back to it.
  EXPECT_EQ(access(body(copy(a, x), store(a, {n}, v), copy(b, y), copy(a, b))), "x:w y:w");
  EXPECT_EQ(views_of(a), (std::vector<ir::SlotId>{*x.slot, *y.slot}));
  EXPECT_EQ(views_of(b), (std::vector<ir::SlotId>{*y.slot}));
}

TEST_F(Access, through_calls) {
  FunctionBuilder g(module, "g", false);
  ir::Operand p = g.param("p", floats), q = g.param("q", floats);
  g.function().results = {floats};
  g.function().body = body(store(p, {i64(0)}, ir::constant_float(types::f32, 1)), return_({q}));
  FunctionBuilder h(module, "h", false);
  ir::Operand r = h.param("r", floats), s = h.param("s", floats), t = h.temp(floats);
  h.function().results = {floats};
  h.function().body = body(call({t}, g.id, {s, r}), return_({t}));
  EXPECT_EQ(access(body(call({a}, h.id, {x, y}), load(v, a, {n}))), "x:r y:w");
  EXPECT_EQ(views_of(a), (std::vector<ir::SlotId>{*x.slot}));
}

TEST_F(Access, shared_arrays_are_no_parameter) {
  module.shared.push_back({"s", ScalarKind::F32, {4}, {}, false, 16, {}});
  ir::Operand s = f.variable("s", module.types.array(ScalarKind::F32, 1, AddressSpace::Shared));
  EXPECT_EQ(access(body(assign(s, ir::SharedArray{ir::SharedId{0}, {i64(4)}}), store(s, {n}, v))), "x: y:");
}

} // namespace
} // namespace kern
