#include "compiler/ir/verify.h"

#include <gtest/gtest.h>

#include <functional>

namespace kern::ir {
namespace {

Stmt stmt(auto node) { return {std::move(node), {}}; }
Operand i64(std::int64_t value) { return constant_int(types::i64, value); }

// A sound kernel of every kind of statement; a test breaks one thing.
struct Verify : testing::Test {
  Module module;
  Operand x, n, i, value, condition;

  Operand slot(Type type, Slot::Kind kind, std::string name = "") {
    Function& function = module.functions[0];
    function.slots.push_back({std::move(name), type, kind, {}});
    if (kind == Slot::Kind::Param) ++function.param_count;
    return {type, SlotId(function.slots.size() - 1), 0};
  }
  void SetUp() override {
    module.sites = {{FaultKind::IndexOutOfRange, {}, "x", "x", {}, {}},
                    {FaultKind::AssertFailed, {}, "", "", {}, {}},
                    {FaultKind::DoesNotFit, {}, "a u8", "", {}, {}}};
    module.functions.resize(2);
    module.functions[0].name = module.functions[0].symbol = "k";
    module.functions[0].is_kernel = true;
    module.functions[1].name = module.functions[1].symbol = "d";
    module.functions[1].results = {types::f32};
    Type array = module.types.array(ScalarKind::F32, 2);
    module.params = {{{"x", array, 0}, {"n", types::i64, 1}}, {}};
    x = slot(array, Slot::Kind::Param, "x");
    n = slot(types::i64, Slot::Kind::Param, "n");
    i = slot(types::i64, Slot::Kind::Variable, "i");
    value = slot(types::f32, Slot::Kind::Variable, "v");
    condition = slot(types::boolean, Slot::Kind::Variable, "c");
  }
  void then(auto node) { module.functions[0].body.push_back(stmt(std::move(node))); }
  void let(const Operand& target, Expr expr) { then(Assign{*target.slot, std::move(expr)}); }

  // Expects exactly one broken rule, whose sentence holds the words.
  void expect(std::string_view words) {
    std::vector<std::string> broken = verify(module);
    ASSERT_EQ(broken.size(), 1u) << testing::PrintToString(broken);
    EXPECT_NE(broken[0].find(words), std::string::npos) << broken[0];
  }
};

TEST_F(Verify, SoundModule) {
  Operand temp = slot(types::f32, Slot::Kind::Temp),
          row = slot(module.types.array(ScalarKind::F32, 1), Slot::Kind::Temp);
  let(i, CallPure{Builtin::Max, {n, i64(2)}});
  let(condition, Compare{CompareOp::Less, i, n});
  then(Check{condition, SiteId(1), std::nullopt});
  then(Guard{x, 0, i, SiteId(0)});
  then(Fit{i, types::u8, SiteId(2)});
  then(Load{*temp.slot, x, {i, i}});
  let(row, View{x, {{ViewAxis::Kind::Index, i, n, n}, {ViewAxis::Kind::Range, i, n, n}}});
  then(Store{row, {i}, temp});
  then(Atomic{*value.slot, Builtin::AtomicAdd, x, {i, i}, {temp}});
  then(Call{{*value.slot}, FunctionId(1), {}});
  then(CallEffect{
      *value.slot, Builtin::ShflSync, {constant_int(types::i32, -1), value, constant_int(types::i32, 0)}});
  Operand inner = slot(types::boolean, Slot::Kind::Temp);
  Body head, body;
  head.push_back(stmt(Assign{*inner.slot, Compare{CompareOp::Less, i, n}}));
  body.push_back(stmt(If{inner, {stmt(Break{})}, {stmt(Continue{})}}));
  then(While{std::move(head), inner, std::move(body)});
  then(For{*i.slot, i64(0), i64(1), n, {stmt(Break{})}});
  then(Print{{"v", ""}, {value}, SiteId(1)});
  then(Return{});
  EXPECT_EQ(verify(module), std::vector<std::string>());
}

TEST_F(Verify, OperandTypes) {
  let(value, Copy{i});
  expect("the value is i64 and the slot f32");
}
TEST_F(Verify, OperandOfAnotherType) {
  Operand wrong = i;
  wrong.type = types::f32;
  let(value, Copy{wrong});
  expect("`i` is used as f32 and is i64");
}
TEST_F(Verify, BinaryTypes) {
  let(i, Binary{BinaryOp::Add, i, constant_int(types::i32, 1)});
  expect("the right operand is i32, not i64");
}
TEST_F(Verify, ShiftCountsAreFree) {
  let(i, Binary{BinaryOp::ShiftLeft, i, constant_int(types::u8, 1)});
  EXPECT_TRUE(verify(module).empty());
}
TEST_F(Verify, DivideIsOfFloats) {
  let(i, Binary{BinaryOp::Divide, i, i});
  expect("`/` is of floats");
}
TEST_F(Verify, ConstantsAreExtended) {
  let(slot(types::i8, Slot::Kind::Variable, "b"), Copy{Operand{types::i8, std::nullopt, 255}});
  expect("not extended");
}
TEST_F(Verify, TempsAreAssignedOnce) {
  Operand temp = slot(types::i64, Slot::Kind::Temp);
  let(temp, Copy{n});
  let(temp, Copy{n});
  expect("is assigned twice");
}
TEST_F(Verify, TempsAreAssignedBeforeUse) {
  Operand temp = slot(types::i64, Slot::Kind::Temp);
  let(i, Copy{temp});
  let(temp, Copy{n});
  expect("before it is assigned");
}
TEST_F(Verify, TempsEndWithTheirBody) {
  Operand temp = slot(types::i64, Slot::Kind::Temp);
  then(If{condition, {stmt(Assign{*temp.slot, Copy{n}})}, {}});
  let(i, Copy{temp});
  expect("outside its body");
}
TEST_F(Verify, BreakNeedsALoop) {
  then(If{condition, {stmt(Break{})}, {}});
  expect("there is no loop around it");
}
TEST_F(Verify, BreakDoesNotLeaveASegment) {
  Body segment;
  segment.push_back(stmt(Segment{{stmt(Break{})}}));
  then(For{*i.slot, i64(0), i64(1), n, std::move(segment)});
  expect("there is no loop around it");
}
TEST_F(Verify, SegmentsDoNotNest) {
  Body inner;
  inner.push_back(stmt(Segment{}));
  then(Segment{std::move(inner)});
  expect("a segment is inside another");
}
TEST_F(Verify, IndexCounts) {
  then(Load{*value.slot, x, {i}});
  expect("one index for each axis");
}
TEST_F(Verify, IndexTypes) {
  then(Store{x, {i, constant_int(types::i32, 0)}, value});
  expect("an index is i32, not i64");
}
TEST_F(Verify, GuardAxis) {
  then(Guard{x, 2, i, SiteId(0)});
  expect("there is no such axis");
}
TEST_F(Verify, GuardSite) {
  then(Guard{x, 1, i, SiteId(7)});
  expect("there is no such site");
}
TEST_F(Verify, GuardProof) {
  then(Guard{x, 1, i, SiteId(0), GuardState::Proved});
  expect("a guard has a proof");
}
TEST_F(Verify, FitOfAnInteger) {
  then(Fit{value, types::u8, SiteId(2)});
  expect("what is to fit is no integer");
}
TEST_F(Verify, FitThatMayFail) {
  then(Fit{constant_int(types::u32, 1), types::i64, SiteId(2)});
  expect("every value fits");
}
TEST_F(Verify, FitSite) {
  then(Fit{i, types::u8, SiteId(0)});
  expect("the site is of another fault");
}
TEST_F(Verify, FitProof) {
  then(Fit{i, types::u8, SiteId(2), GuardState::Proved});
  expect("a fit has a proof");
}
TEST_F(Verify, KernelsReturnNothing) {
  then(Return{{i}});
  expect("a kernel returns nothing");
}
TEST_F(Verify, DeviceFunctionsReturn) {
  module.functions[1].body.push_back(stmt(Return{}));
  expect("one value for each result");
}
TEST_F(Verify, EffectsFitTheNode) {
  then(CallEffect{*value.slot, Builtin::Sin, {value}});
  expect("no effect that a statement is for");
}
TEST_F(Verify, PureCallsArePure) {
  let(value, CallPure{Builtin::Uniform, {value}});
  expect("the builtin is not pure");
}
TEST_F(Verify, BuiltinArguments) {
  let(value, CallPure{Builtin::Atan2, {value, constant_float(types::f64, 1)}});
  std::vector<std::string> broken = verify(module);
  ASSERT_EQ(broken.size(), 2u); // the argument, and the f64 that comes out
  EXPECT_NE(broken[0].find("the arguments are not converted"), std::string::npos) << broken[0];
}
TEST_F(Verify, AtomicsOfElements) {
  then(Atomic{std::nullopt, Builtin::AtomicAdd, x, {i, i}, {i}});
  expect("`value` of `atomic.add` must be f32, not i64");
}
TEST_F(Verify, CallArguments) {
  then(Call{{}, FunctionId(1), {i}});
  expect("one argument for each parameter");
}
TEST_F(Verify, Conditions) {
  then(If{i, {}, {}});
  expect("the condition is i64, not bool");
}
TEST_F(Verify, ViewsKeepTheirRank) {
  let(x, View{x, {{ViewAxis::Kind::Index, i, n, n}, {ViewAxis::Kind::Range, i, n, n}}});
  expect("no f32 of rank 1");
}
TEST_F(Verify, Symbols) {
  module.functions[0].symbol = "a.b";
  expect("`a.b` is no symbol");
}
TEST_F(Verify, SlotTypes) {
  slot(types::int_literal, Slot::Kind::Variable, "w");
  expect("has the type int literal");
}
TEST_F(Verify, ParamsCoverSlots) {
  module.params[0].pop_back();
  expect("do not cover the slots");
}

} // namespace
} // namespace kern::ir
