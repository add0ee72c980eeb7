#include "compiler/ir/walk.h"

#include <gtest/gtest.h>

namespace kern::ir {
namespace {

Operand slot(std::uint32_t id, Type type = types::i64) { return {type, SlotId(id), 0}; }
Stmt stmt(auto node) { return {std::move(node), {}}; }

std::string operands_of(const Stmt& stmt) {
  std::string text;
  visit_operands(stmt, [&](const Operand& operand) {
    text += operand.slot ? "s" + std::to_string(std::uint32_t(*operand.slot))
                         : "c" + std::to_string(operand.bits);
  });
  return text;
}

std::string results_of(const Stmt& stmt) {
  std::string text;
  visit_results(stmt, [&](SlotId id) { text += std::to_string(std::uint32_t(id)); });
  return text;
}

TEST(Walk, OperandsOfStatements) {
  EXPECT_EQ(operands_of(stmt(Assign{SlotId(9), Binary{BinaryOp::Add, slot(1), constant_int(types::i32, 5)}})),
            "s1c5");
  EXPECT_EQ(operands_of(stmt(Assign{SlotId(9), Fma{slot(1), slot(2), slot(3)}})), "s1s2s3");
  EXPECT_EQ(operands_of(stmt(Store{slot(1), {slot(2), slot(3)}, slot(4)})), "s1s2s3s4");
  EXPECT_EQ(operands_of(stmt(Atomic{SlotId(9), Builtin::AtomicAdd, slot(1), {slot(2)}, {slot(3)}})),
            "s1s2s3");
  EXPECT_EQ(operands_of(stmt(For{SlotId(9), slot(1), slot(2), slot(3), {stmt(Return{{slot(4)}})}})),
            "s1s2s3");
  View view{slot(1),
            {{ViewAxis::Kind::Index, slot(2), slot(7), slot(8)},
             {ViewAxis::Kind::Range, slot(3), slot(4), slot(5)}}};
  EXPECT_EQ(operands_of(stmt(Assign{SlotId(9), view})), "s1s2s3s4s5");
  EXPECT_EQ(operands_of(stmt(Break{})), "");
}

TEST(Walk, Results) {
  EXPECT_EQ(results_of(stmt(Call{{SlotId(1), SlotId(2)}, FunctionId(0), {slot(3)}})), "12");
  EXPECT_EQ(results_of(stmt(For{SlotId(4), slot(1), slot(2), slot(3), {}})), "4");
  EXPECT_EQ(results_of(stmt(Atomic{std::nullopt, Builtin::AtomicAdd, slot(1), {}, {}})), "");
}

TEST(Walk, ElementsOfAccesses) {
  const Operand array{types::i32, SlotId{1}}, index = constant_int(types::i64, 7);
  const Stmt accesses[] = {{Load{SlotId{0}, array, {index}}, {}},
                           {Store{array, {index}, index}, {}},
                           {Atomic{{}, Builtin::AtomicAdd, array, {index}, {index}}, {}}};
  for (const Stmt& stmt : accesses) {
    ASSERT_TRUE(element_of(stmt));
    EXPECT_EQ(element_of(stmt)->array, array);
    EXPECT_EQ(element_of(stmt)->indices.at(0), index);
  }
  EXPECT_FALSE(element_of({Break{}, {}}));
}

TEST(Walk, OuterBeforeInnerAndEditable) {
  Body body;
  body.push_back(stmt(While{{stmt(Assign{SlotId(1), Copy{slot(0)}})},
                            slot(1),
                            {stmt(If{slot(1), {stmt(Break{})}, {stmt(Continue{})}})}}));
  std::string order;
  walk(std::as_const(body), [&](const Stmt& inner) { order += std::to_string(inner.node.index()) + " "; });
  EXPECT_EQ(order, "11 0 10 13 14 ");
  walk(body, [](Stmt& inner) { visit_operands(inner, [](Operand& operand) { operand.slot = SlotId(7); }); });
  EXPECT_EQ(operands_of(std::get<While>(body[0].node).head[0]), "s7");
}

bool is_break(const Stmt& stmt) { return std::holds_alternative<Break>(stmt.node); }

TEST(Walk, AnyLooksIntoEveryBody) {
  const Stmt nested[] = {
      stmt(If{slot(1), {stmt(Break{})}, {}}),
      stmt(If{slot(1), {}, {stmt(Break{})}}),
      stmt(While{{stmt(Break{})}, slot(1), {}}),
      stmt(While{{}, slot(1), {stmt(Break{})}}),
      stmt(For{SlotId(1), slot(1), slot(1), slot(1), {stmt(Break{})}}),
      stmt(Segment{{stmt(Break{})}}),
  };
  for (const Stmt& outer : nested) {
    EXPECT_TRUE(any(outer, is_break)) << outer.node.index();
    EXPECT_TRUE(any(Body{stmt(Continue{}), outer}, is_break)) << outer.node.index();
    EXPECT_FALSE(any(outer, is_break, [](const Stmt&) { return false; })) << outer.node.index();
  }
  EXPECT_TRUE(any(stmt(Break{}), is_break, [](const Stmt&) { return false; }));
  EXPECT_FALSE(any(Body{}, is_break));
}

TEST(Walk, AnyStopsAtTheFirst) {
  int seen = 0;
  auto third = [&](const Stmt&) { return ++seen == 3; };
  EXPECT_TRUE(
      any(Body{stmt(If{slot(1), {stmt(Break{}), stmt(Break{})}, {stmt(Break{})}}), stmt(Break{})}, third));
  EXPECT_EQ(seen, 3);
}

TEST(Walk, AnyEntersWhatItIsTold) {
  auto enters = [](const Stmt& stmt) { return !is_loop(stmt); };
  const Stmt loop = stmt(For{SlotId(1), slot(1), slot(1), slot(1), {stmt(Break{})}});
  EXPECT_FALSE(any(Body{stmt(If{slot(1), {loop}, {}})}, is_break, enters));
  EXPECT_TRUE(any(Body{stmt(If{slot(1), {loop, stmt(Break{})}, {}})}, is_break, enters));
}

TEST(Walk, Assigns) {
  const Body body{stmt(
      If{slot(1),
         {},
         {stmt(For{
             SlotId(4), slot(1), slot(2), slot(3), {stmt(Call{{SlotId(5)}, FunctionId(0), {slot(6)}})}})}})};
  for (std::uint32_t id : {4u, 5u})
    EXPECT_TRUE(assigns(body, SlotId(id)) && assigns(body[0], SlotId(id))) << id;
  for (std::uint32_t id : {1u, 2u, 3u, 6u}) EXPECT_FALSE(assigns(body, SlotId(id))) << id;
}

TEST(Constants, AreBits) {
  EXPECT_EQ(constant_int(types::i8, 200).bits, static_cast<std::uint64_t>(-56));
  EXPECT_EQ(constant_int(types::u8, -1).bits, 255u);
  EXPECT_EQ(int_value(constant_int(types::i64, INT64_MIN)), INT64_MIN);
  EXPECT_EQ(float_value(constant_float(types::f32, 0.1)), 0.1f);
  EXPECT_EQ(float_value(constant_int(types::f64, 3)), 3.0);
  EXPECT_EQ(constant_bool(true), constant_int(types::boolean, 2));
}

} // namespace
} // namespace kern::ir
