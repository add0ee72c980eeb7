#include "compiler/ir/definitions.h"

#include <gtest/gtest.h>

namespace kern::ir {
namespace {

Operand slot(std::uint32_t id, Type type = types::i64) { return {type, SlotId(id), 0}; }
Stmt stmt(auto node) { return {std::move(node), {}}; }
Stmt copy(std::uint32_t to, std::uint32_t from) { return stmt(Assign{SlotId(to), Copy{slot(from)}}); }

// Slot 0 is a parameter; the others are variables.
Function function(Body body) {
  Function function;
  function.body = std::move(body);
  function.param_count = 1;
  function.slots.assign(10, {"v", types::i64, Slot::Kind::Variable, {}});
  function.slots[0].kind = Slot::Kind::Param;
  return function;
}

// The slots that are steady, of those that are read or assigned.
std::string steady(const Function& function) {
  const Definitions definitions(function);
  std::string text;
  for (std::uint32_t id = 0; id < function.slots.size(); ++id) {
    const bool used = definitions.reads(SlotId(id)) + definitions.writes(SlotId(id)) > 0;
    if (used && definitions.is_steady(SlotId(id))) text += std::to_string(id);
  }
  return text;
}

TEST(Definitions, CountOperandsAndAssignments) {
  const Function f = function({
      copy(1, 0),
      stmt(For{SlotId(2), slot(1), slot(1), slot(1), {copy(3, 2), copy(3, 3)}}),
      stmt(Atomic{SlotId(4), Builtin::AtomicAdd, slot(5), {slot(1)}, {slot(3)}}),
      stmt(Call{{SlotId(6), SlotId(7)}, FunctionId(0), {slot(4), slot(4)}}),
  });
  const Definitions definitions(f);
  const std::size_t reads[] = {1, 4, 1, 2, 2, 1, 0, 0, 0, 0}, writes[] = {0, 1, 1, 2, 1, 0, 1, 1, 0, 0};
  for (std::uint32_t id = 0; id < 10; ++id) {
    EXPECT_EQ(definitions.reads(SlotId(id)), reads[id]) << id;
    EXPECT_EQ(definitions.writes(SlotId(id)), writes[id]) << id;
  }
}

TEST(Definitions, SoleIsTheOneStatement) {
  const Function f = function({
      copy(1, 0),
      stmt(If{slot(1), {copy(2, 1)}, {copy(2, 0)}}),
      stmt(Load{SlotId(3), slot(0), {slot(1)}}),
  });
  const Definitions definitions(f);
  EXPECT_EQ(definitions.sole(SlotId(1)), &f.body[0]);
  EXPECT_EQ(definitions.sole_assign(SlotId(1)), &std::get<Assign>(f.body[0].node));
  EXPECT_EQ(definitions.sole(SlotId(2)), nullptr);
  EXPECT_EQ(definitions.sole(SlotId(3)), &f.body[2]);
  EXPECT_EQ(definitions.sole_assign(SlotId(3)), nullptr);
  EXPECT_EQ(definitions.sole(SlotId(0)), nullptr);
}

TEST(Definitions, UsedOnceDoesNotCountProvedGuards) {
  auto guard = [](std::uint32_t index, GuardState state) {
    Guard guard{};
    guard.array = slot(0);
    guard.index = slot(index);
    guard.state = state;
    return stmt(guard);
  };
  const Function f = function({
      copy(1, 0), guard(1, GuardState::Proved), copy(2, 1), // once, and by a guard that is proved
      guard(2, GuardState::Kept), copy(3, 2),               // by a guard that is kept as well
      guard(3, GuardState::Proved),                         // by that alone
      copy(4, 0), copy(4, 0), copy(5, 4),                   // assigned twice
  });
  const Definitions definitions(f);
  const bool expected[] = {false, true, false, false, false, false};
  for (std::uint32_t id = 0; id < 6; ++id)
    EXPECT_EQ(definitions.is_used_once(SlotId(id)), expected[id]) << id;
}

TEST(Definitions, SteadyIsAssignedBeforeEveryRead) {
  EXPECT_EQ(steady(function({copy(1, 0), copy(2, 1)})), "012");
  // Read before it, as in the next iteration of a loop around.
  EXPECT_EQ(steady(function({copy(2, 1), copy(1, 0)})), "02");
  EXPECT_EQ(steady(function({stmt(While{{}, slot(0), {copy(2, 1), copy(1, 0)}})})), "02");
  // Assigned again.
  EXPECT_EQ(steady(function({copy(1, 0), copy(2, 1), copy(1, 0)})), "02");
  EXPECT_EQ(steady(function({copy(1, 0), copy(1, 1)})), "0");
  // A parameter that is assigned.
  EXPECT_EQ(steady(function({copy(1, 0), copy(0, 1)})), "1");
}

TEST(Definitions, SteadyIsSeenInTheBodyAndThoseInsideOnly) {
  EXPECT_EQ(steady(function({copy(1, 0), stmt(If{slot(0), {copy(2, 1)}, {copy(3, 1)}})})), "0123");
  EXPECT_EQ(steady(function({stmt(If{slot(0), {copy(1, 0)}, {copy(2, 1)}})})), "02");
  EXPECT_EQ(steady(function({stmt(If{slot(0), {copy(1, 0)}, {}}), copy(2, 1)})), "02");
  EXPECT_EQ(steady(function({stmt(For{SlotId(1), slot(0), slot(0), slot(0), {copy(2, 1)}})})), "012");
  EXPECT_EQ(steady(function({stmt(While{{copy(1, 0)}, slot(0), {copy(2, 1)}})})), "02");
  EXPECT_EQ(steady(function({stmt(Segment{{copy(1, 0)}}), stmt(Segment{{copy(2, 1)}})})), "02");
}

} // namespace
} // namespace kern::ir
