#include "compiler/ir/print.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kern::ir {
namespace {

Stmt stmt(auto node) { return {std::move(node), {}}; }

struct Fixture {
  Module module;
  Function function;
  Operand add(std::string name, Type type, Slot::Kind kind) {
    function.slots.push_back({std::move(name), type, kind, {}});
    if (kind == Slot::Kind::Param) ++function.param_count;
    return {type, SlotId(function.slots.size() - 1), 0};
  }
  Operand temp(Type type) { return add("", type, Slot::Kind::Temp); }
  void then(auto node) { function.body.push_back(stmt(std::move(node))); }
};

TEST(Print, EveryStatement) {
  Fixture f;
  f.function.name = "k";
  f.function.symbol = "k$i32";
  f.function.is_kernel = true;
  f.function.options.block = {16, 16, 1};
  Operand x = f.add("x", f.module.types.array(ScalarKind::F32, 2), Slot::Kind::Param);
  Operand n = f.add("n", types::i64, Slot::Kind::Param);
  Operand i = f.add("i", types::i64, Slot::Kind::Variable);
  f.module.sites = {{FaultKind::IndexOutOfRange, {}, "x", "x", {}, {}},
                    {FaultKind::AssertFailed, {}, "n > 0", "", {}, {}}};
  Expression condition;
  condition.op = ExpressionOp::Greater;
  condition.operands.resize(2);
  condition.operands[0].op = ExpressionOp::Scalar;
  condition.operands[0].value = 5; // after the five slots of x
  f.function.contracts.push_back({condition, SiteId(1)});
  Operand positive = f.temp(types::boolean), value = f.temp(types::f32),
          row_view = f.temp(f.module.types.array(ScalarKind::F32, 1));
  f.then(Assign{*i.slot, CallPure{Builtin::ThreadIndexX, {}}});
  f.then(Assign{*positive.slot, Compare{CompareOp::Greater, n, constant_int(types::i64, 0)}});
  f.then(Check{positive, SiteId(1), 0});
  Body then_body;
  then_body.push_back(stmt(Guard{x, 1, i, SiteId(0)}));
  then_body.push_back(stmt(Load{*value.slot, x, {constant_int(types::i64, 0), i}}));
  then_body.push_back(stmt(Store{x, {i, i}, constant_float(types::f32, 0.1)}));
  Body else_body;
  else_body.push_back(stmt(Atomic{std::nullopt, Builtin::AtomicAdd, x, {i, i}, {value}}));
  f.then(If{positive, std::move(then_body), std::move(else_body)});
  f.then(Assign{*row_view.slot, View{x,
                                     {{ViewAxis::Kind::Index, i, n, n},
                                      {ViewAxis::Kind::Range, constant_int(types::i64, 0), n,
                                       constant_int(types::i64, 1)}}}});
  Body loop;
  loop.push_back(stmt(Print{{"i = ", "!"}, {i}, SiteId(0)}));
  loop.push_back(stmt(Break{}));
  f.then(For{*i.slot, constant_int(types::i64, 0), constant_int(types::i64, 2), n, std::move(loop)});
  Body head, body;
  head.push_back(stmt(Guard{x, 0, i, SiteId(0), GuardState::Proved, "by hand"}));
  head.push_back(stmt(Fit{i, types::u8, SiteId(0)}));
  head.push_back(stmt(Fit{i, types::i32, SiteId(0), GuardState::Shadow, "by hand"}));
  body.push_back(stmt(CallEffect{std::nullopt, Builtin::Syncthreads, {}}));
  body.push_back(stmt(Continue{}));
  f.then(While{std::move(head), positive, std::move(body)});
  f.then(Return{});
  EXPECT_EQ(print(f.function, f.module), R"(kernel k(x: f32[:, :], n: i64)
  symbol k$i32
  block (16, 16, 1)
  contract n > 0
  var i: i64
  i = threadIdx.x
  %3: bool = n > 0
  check %3 else assert "n > 0" contract 0
  if %3:
    guard x[1] i
    %4: f32 = load x[0, i]
    store x[i, i] = 0.1
  else:
    atomic.add x[i, i], %4
  %5: f32[:] = view x[i, 0:n:1]
  for i = 0 step 2 count n:
    print "i = " i "!"
    break
  while:
    guard x[0] i proved: by hand
    fit i: u8
    fit i: i32 shadow: by hand
  do %3:
    syncthreads()
    continue
  return
)");
}

TEST(Print, ExpressionsAndCalls) {
  Fixture f;
  f.function.name = f.function.symbol = "d";
  f.function.results = {types::f32, types::i64};
  Operand a = f.add("a", types::f32, Slot::Kind::Param), b = f.add("a", types::f32, Slot::Kind::Variable);
  f.module.functions.push_back(f.function);
  auto put = [&](Expr expr) { f.then(Assign{*b.slot, std::move(expr)}); };
  put(Unary{UnaryOp::Negate, a});
  put(Binary{BinaryOp::FloorDivide, a, constant_float(types::f32, INFINITY)});
  put(Convert{constant_int(types::u8, 255)});
  put(Select{constant_bool(true), a, b});
  put(Fma{a, a, constant_float(types::f32, 2)});
  put(CallPure{Builtin::Sin, {a}});
  put(SharedArray{SharedId(0), {constant_int(types::i64, 4)}});
  put(LocalArray{{4, 5}});
  f.then(Call{{*b.slot}, FunctionId(0), {a}});
  f.then(Return{{a, b}});
  EXPECT_EQ(print(f.function, f.module), R"(device d(a.0: f32) -> f32, i64
  var a.1: f32
  a.1 = -a.0
  a.1 = a.0 // inf
  a.1 = f32(255)
  a.1 = a.0 if True else a.1
  a.1 = fma(a.0, a.0, 2.0)
  a.1 = math.sin(a.0)
  a.1 = shared #0[4]
  a.1 = local [4, 5]
  a.1 = call d(a.0)
  return a.0, a.1
)");
}

TEST(Print, DeclarationsAndPlaces) {
  Fixture f;
  SourceManager sources;
  FileId file = sources.add("a.kern", "x\n  y[i]\n");
  f.module.sites = {{FaultKind::IndexOutOfRange, {file, 4, 8}, "y", "", {}, {}}};
  f.module.shared.push_back({"tile", ScalarKind::F32, {16, 17}, {}, false, 16, {}});
  f.module.constants.push_back({"W", ScalarKind::I32, {2}, {3, 4}});
  f.function.name = f.function.symbol = "k";
  f.function.is_kernel = true;
  Operand y = f.add("y", f.module.types.array(ScalarKind::F32, 1), Slot::Kind::Param);
  f.then(Guard{y, 0, constant_int(types::i64, 3), SiteId(0)});
  f.module.functions.push_back(f.function);
  EXPECT_EQ(print(f.module, &sources), R"(shared #0 tile: f32[16, 17] align 16
const #0 W: i32[2] = 3, 4

kernel k(y: f32[:])
  guard y[0] 3 @2:3
)");
}

} // namespace
} // namespace kern::ir
