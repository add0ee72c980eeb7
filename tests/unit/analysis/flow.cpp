// The walk over control flow, by a domain of ranges, which grow, and by that of reaching definitions: what it says of those of
// random programs is what all of their ways together say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "compiler/analysis/flow/walk.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;
using ir::SlotId;
using ir::Stmt;

// ---- Ranges ----

struct Range {
  std::int64_t low = 0, high = 0;
  bool operator==(const Range&) const = default;
};
constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();

std::ostream& operator<<(std::ostream& out, const Range& range) {
  return out << "[" << range.low << ", " << range.high << "]";
}

// Copies of constants and sums; whatever else is assigned is 0 to 9. Constants decide.
struct Ranges : flow::Domain<Range> {
  std::map<const Stmt*, int> visits;
  static constexpr int rounds = 4;

  static Range of(const ir::Operand& operand, const flow::Slots<Range>& slots) {
    return operand.slot ? slots[*operand.slot] : Range{ir::int_value(operand), ir::int_value(operand)};
  }
  void transfer(const Stmt& stmt, flow::Slots<Range>& slots) {
    ++visits[&stmt];
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign) return;
    const auto* copy = std::get_if<ir::Copy>(&assign->value);
    const auto* sum = std::get_if<ir::Binary>(&assign->value);
    if (copy) return slots.set(assign->slot, of(copy->value, slots));
    if (!sum) return slots.set(assign->slot, {0, 9});
    const Range left = of(sum->left, slots), right = of(sum->right, slots);
    slots.set(assign->slot, {std::max(-far, left.low + right.low), std::min(far, left.high + right.high)});
  }
  static void start_round(const ir::For& loop, flow::Slots<Range>& slots) {
    slots.set(loop.variable, {of(loop.start, slots).low, far});
  }
  static std::optional<bool> decide(const Stmt& stmt) {
    std::optional<bool> known;
    const auto take = [&](const ir::Operand& condition) {
      if (!condition.slot) known = ir::int_value(condition) > 0;
    };
    match(
        stmt.node, [&](const ir::If& node) { take(node.condition); },
        [&](const ir::While& node) { take(node.condition); }, [&](const ir::For& node) { take(node.count); },
        [](const auto&) {});
    return known;
  }
  static Range join(SlotId, Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
  static Range widen(SlotId, Range before, Range now) {
    return {now.low < before.low ? -far : now.low, now.high > before.high ? far : now.high};
  }
};

struct ShortRanges : Ranges {
  static constexpr std::size_t most_steps = 5;
};

struct Flow : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand c = f.param("c", types::boolean), n = f.param("n", types::i64);
  ir::Operand x = f.variable("x", types::i64), y = f.variable("y", types::i64),
              i = f.variable("i", types::i64), j = f.variable("j", types::i64);
  const ir::Operand yes = ir::constant_bool(true), no = ir::constant_bool(false);
  Ranges ranges;
  bool is_left = false;

  Stmt set(const ir::Operand& slot, std::int64_t value) { return copy(slot, i64(value)); }
  Stmt add(const ir::Operand& slot, std::int64_t value) {
    return binary(slot, ir::BinaryOp::Add, slot, i64(value));
  }
  Stmt loop(ir::Body inner) { return for_(i, i64(0), i64(1), n, std::move(inner)); }
  Stmt exactly(std::int64_t count, ir::Body inner) {
    return for_(i, i64(0), i64(1), i64(count), std::move(inner));
  }

  // Returns the values of x with which a function is left.
  Range leaves(ir::Body body) { return leaves(std::move(body), x); }
  Range leaves(ir::Body body, const ir::Operand& slot) {
    f.function().body = std::move(body);
    ranges.visits.clear();
    flow::Walk walk(ranges, std::vector<Range>(f.function().slots.size()));
    EXPECT_TRUE(walk.run(f.function().body));
    is_left = walk.is_left();
    return walk.slots()[*slot.slot];
  }
  int visits(const Stmt& stmt) { return ranges.visits[&stmt]; }
};

TEST_F(Flow, statements_follow_each_other) {
  EXPECT_EQ(leaves(body(set(x, 1), add(x, 2))), (Range{3, 3}));
  EXPECT_EQ(leaves(body()), (Range{0, 0}));
  EXPECT_TRUE(is_left);
}

TEST_F(Flow, arms_join) {
  EXPECT_EQ(leaves(body(if_(c, body(set(x, 1)), body(set(x, 5))))), (Range{1, 5}));
  EXPECT_EQ(leaves(body(set(x, 3), if_(c, body(set(x, 7))))), (Range{3, 7})) << "the other arm keeps it";
  EXPECT_EQ(leaves(body(set(x, 3), if_(c, {}, body(set(x, 7))))), (Range{3, 7}));
  EXPECT_EQ(leaves(body(set(x, 3), if_(c, body(set(x, 4), set(x, 9)), body(set(y, 1))))), (Range{3, 9}));
  EXPECT_EQ(leaves(body(set(x, 3), if_(c, body(set(y, 4)), body(set(y, 1))))), (Range{3, 3}));
}

TEST_F(Flow, arms_begin_alike) {
  EXPECT_EQ(leaves(body(if_(c, body(set(x, 4)), body(copy(y, x)))), y), (Range{0, 0}));
}

TEST_F(Flow, what_is_decided_has_one_arm) {
  EXPECT_EQ(leaves(body(if_(yes, body(set(x, 1)), body(set(x, 5))))), (Range{1, 1}));
  EXPECT_EQ(leaves(body(if_(no, body(set(x, 1)), body(set(x, 5))))), (Range{5, 5}));
  EXPECT_EQ(visits(std::get<ir::If>(f.function().body[0].node).then_body[0]), 0);
}

TEST_F(Flow, an_arm_that_leaves_does_not_join) {
  EXPECT_EQ(leaves(body(loop(body(set(x, 1), if_(c, body(set(x, 5), continue_())), copy(y, x)))), y),
            (Range{0, 1}));
  EXPECT_EQ(leaves(body(loop(body(set(x, 1), if_(c, {}, body(set(x, 5), break_())), copy(y, x)))), y),
            (Range{0, 1}));
}

TEST_F(Flow, ways_out_of_the_function_meet) {
  EXPECT_EQ(leaves(body(set(x, 1), if_(c, body(set(x, 5), return_())), set(x, 2))), (Range{2, 5}));
  EXPECT_EQ(leaves(body(loop(body(if_(c, body(set(x, 5), return_())), set(x, 2))))), (Range{0, 5}));
  EXPECT_EQ(leaves(body(if_(c, body(set(x, 1), return_()), body(set(x, 3), return_())), set(x, 100))),
            (Range{1, 3}));
  EXPECT_EQ(visits(f.function().body[1]), 0) << "nothing comes here";
}

TEST_F(Flow, what_never_ends_is_not_left) {
  leaves(body(while_({}, yes, body(add(x, 1))), set(x, 3)));
  EXPECT_FALSE(is_left);
  EXPECT_EQ(visits(f.function().body[1]), 0);
  EXPECT_EQ(leaves(body(while_({}, yes, body(set(x, 4), if_(c, body(return_())))))), (Range{4, 4}));
  EXPECT_TRUE(is_left);
}

TEST_F(Flow, unreachable_code_is_not_looked_at) {
  EXPECT_EQ(leaves(body(loop(body(set(x, 1), break_(), set(x, 9))))), (Range{0, 1}));
  EXPECT_EQ(leaves(body(loop(body(set(x, 1), continue_(), set(x, 9))))), (Range{0, 1}));
  EXPECT_EQ(leaves(body(set(x, 1), return_(), loop(body(set(x, 9))), if_(c, body(set(x, 8))))),
            (Range{1, 1}));
  EXPECT_EQ(leaves(body(while_(body(set(x, 2), break_()), c, body(set(x, 9))))), (Range{2, 2}));
}

// ---- Loops ----

TEST_F(Flow, a_loop_may_have_no_round) {
  EXPECT_EQ(leaves(body(set(x, 5), loop(body(set(x, 1))))), (Range{1, 5}));
  EXPECT_EQ(leaves(body(set(x, 5), exactly(3, body(set(x, 1))))), (Range{1, 1}));
  EXPECT_EQ(leaves(body(set(x, 5), exactly(3, body(if_(c, body(continue_())), set(x, 1))))), (Range{1, 5}))
      << "a last round may end at a continue";
  EXPECT_EQ(leaves(body(set(x, 5), while_({}, no, body(set(x, 1))))), (Range{5, 5}));
}

TEST_F(Flow, rounds_go_on_from_the_last) {
  EXPECT_EQ(leaves(body(loop(body(copy(y, x), set(x, 6)))), y), (Range{0, 6}));
  EXPECT_EQ(leaves(body(loop(body(copy(y, x), copy(x, j), set(j, 6)))), y), (Range{0, 6}))
      << "two rounds later";
  EXPECT_EQ(leaves(body(loop(body(copy(y, x), if_(c, body(set(x, 7), continue_())), set(x, 2)))), y),
            (Range{0, 7}));
}

TEST_F(Flow, what_grows_is_widened) {
  EXPECT_EQ(leaves(body(loop(body(add(x, 1))))), (Range{0, far}));
  EXPECT_EQ(leaves(body(loop(body(add(x, -1))))), (Range{-far, 0}));
  EXPECT_EQ(leaves(body(while_({}, c, body(add(x, 1), add(y, -2))))), (Range{0, far}));
  EXPECT_EQ(leaves(body(while_({}, c, body(add(x, 1), add(y, -2)))), y), (Range{-far, 0}));
}

TEST_F(Flow, what_is_assigned_anew_is_not_widened) {
  EXPECT_EQ(leaves(body(loop(body(set(x, 0), add(x, 1), add(y, 1))))), (Range{0, 1}));
}

TEST_F(Flow, the_head_of_a_while_is_in_each_round) {
  EXPECT_EQ(leaves(body(while_(body(set(x, 3)), c, body(set(x, 9))))), (Range{3, 3}));
  EXPECT_EQ(leaves(body(while_(body(copy(y, x)), c, body(set(x, 9)))), y), (Range{0, 9}));
  EXPECT_EQ(leaves(body(while_(body(add(x, 1)), c, body(if_(c, body(set(x, 20), continue_())))))),
            (Range{1, far}));
}

TEST_F(Flow, breaks_meet_behind_the_loop) {
  EXPECT_EQ(leaves(body(while_({}, yes,
                               body(set(x, 1), if_(c, body(set(x, 2), break_())),
                                    if_(c, body(set(x, 8), break_())), set(x, 100))))),
            (Range{2, 8}));
  EXPECT_EQ(leaves(body(set(x, 4), exactly(2, body(if_(c, body(set(x, 9), break_())), set(x, 3))))),
            (Range{3, 9}));
}

TEST_F(Flow, jumps_are_those_of_the_inner_loop) {
  EXPECT_EQ(leaves(body(while_({}, yes,
                               body(set(x, 1), while_({}, yes, body(set(x, 2), break_())), copy(y, x),
                                    if_(c, body(set(x, 7), break_())))))),
            (Range{7, 7}));
  EXPECT_EQ(
      leaves(body(exactly(2, body(while_({}, c, body(set(x, 5), continue_(), set(x, 99))), copy(y, x)))), y),
      (Range{0, 5}));
}

TEST_F(Flow, the_variable_begins_each_round) {
  EXPECT_EQ(leaves(body(exactly(3, body(copy(x, i), set(i, -50))))), (Range{0, far}));
  EXPECT_EQ(leaves(body(set(i, -7), loop(body(copy(x, i))))), (Range{0, far}));
  EXPECT_EQ(leaves(body(set(i, -7), loop(body(copy(x, i)))), i), (Range{-7, far}))
      << "with no round it stays";
}

// A loop within a loop begins where it was: each level adds its own rounds, and does not multiply.
TEST_F(Flow, nested_loops_cost_a_sum) {
  constexpr int depth = 24;
  ir::Body inner = body(add(x, 1));
  for (int level = 0; level < depth; ++level) inner = body(while_({}, c, std::move(inner)));
  EXPECT_EQ(leaves(std::move(inner)), (Range{0, far}));
  const ir::Body* at = &f.function().body;
  for (int level = 0; level < depth; ++level) at = &std::get<ir::While>(at->front().node).body;
  EXPECT_LT(visits(at->front()), depth * (Ranges::rounds + 3));
}

TEST_F(Flow, too_many_steps_end_the_walk) {
  ShortRanges domain;
  f.function().body = body(loop(body(add(x, 1), add(x, 1), add(x, 1))));
  flow::Walk walk(domain, std::vector<Range>(f.function().slots.size()));
  EXPECT_FALSE(walk.run(f.function().body));
}

// ---- Slots ----

TEST(Slots, changes_are_taken_back) {
  flow::Slots<int> slots({10, 20, 30});
  const SlotId a{0}, b{1}, c{2};
  slots.set(c, 31);
  const auto mark = slots.mark();
  slots.set(b, 21), slots.set(a, 11), slots.set(b, 22);
  const flow::Changes<int> changes = slots.take_back(mark);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].slot, a);
  EXPECT_EQ(changes[1].before, 20);
  EXPECT_EQ(changes[1].now, 22);
  EXPECT_EQ(slots[b], 20);
  EXPECT_EQ(slots[c], 31) << "that was before the mark";
  slots.apply(changes);
  EXPECT_EQ(slots[b], 22);
  EXPECT_EQ(slots.since(mark).size(), 2u) << "and is there to be taken back again";
}

TEST(Slots, join_takes_what_was_before_where_one_way_changes_nothing) {
  const flow::Changes<int> first{{SlotId{0}, 1, 2}, {SlotId{2}, 5, 6}},
      second{{SlotId{1}, 3, 4}, {SlotId{2}, 5, 9}};
  const auto sum = flow::joined(first, second, [](SlotId, int a, int b) { return 100 * a + b; });
  ASSERT_EQ(sum.size(), 3u);
  EXPECT_EQ(sum[0].now, 201);
  EXPECT_EQ(sum[1].now, 304);
  EXPECT_EQ(sum[2].now, 609);
}

// ---- Reaching definitions ----

constexpr std::size_t slot_count = 3;
using Definitions = std::set<const Stmt*>;
using Seen = std::map<const Stmt*, Definitions>; // by a copy of a slot: what it may have been assigned by

const ir::Operand* read_by(const Stmt& stmt) {
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  const auto* copy = assign ? std::get_if<ir::Copy>(&assign->value) : nullptr;
  return copy && copy->value.slot ? &copy->value : nullptr;
}

struct Reaching : flow::Domain<Definitions> {
  Seen seen;
  void transfer(const Stmt& stmt, flow::Slots<Definitions>& slots) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (const ir::Operand* read = read_by(stmt))
      seen[&stmt].insert(slots[*read->slot].begin(), slots[*read->slot].end());
    if (assign) slots.set(assign->slot, {&stmt});
  }
  static Definitions join(SlotId, Definitions a, const Definitions& b) {
    a.insert(b.begin(), b.end());
    return a;
  }
  static Definitions widen(SlotId, const Definitions&, const Definitions& now) { return now; }
};

// Follows all ways of a program at once: a state is what each slot was assigned by.
class AllWays {
public:
  using State = std::array<const Stmt*, slot_count>;
  using States = std::set<State>;
  Seen seen;
  States left;

  States visit(const ir::Body& body, States states) {
    for (const Stmt& stmt : body) {
      if (states.empty()) return states;
      states = visit(stmt, std::move(states));
    }
    return states;
  }

private:
  struct Jumps {
    States out, again;
  };

  static States both(States a, const States& b) {
    a.insert(b.begin(), b.end());
    return a;
  }

  States visit(const Stmt& stmt, States states) {
    if (const auto* branch = std::get_if<ir::If>(&stmt.node))
      return both(visit(branch->then_body, states), visit(branch->else_body, states));
    if (const auto* loop = std::get_if<ir::While>(&stmt.node)) return repeat(&loop->head, loop->body, states);
    if (const auto* loop = std::get_if<ir::For>(&stmt.node)) return repeat(nullptr, loop->body, states);
    States* to = std::holds_alternative<ir::Break>(stmt.node)      ? &jumps_.back().out
                 : std::holds_alternative<ir::Continue>(stmt.node) ? &jumps_.back().again
                 : std::holds_alternative<ir::Return>(stmt.node)   ? &left
                                                                   : nullptr;
    if (to) return to->insert(states.begin(), states.end()), States{};
    return assign(stmt, states);
  }

  States assign(const Stmt& stmt, const States& states) {
    States next;
    for (State state : states) {
      if (const ir::Operand* read = read_by(stmt)) seen[&stmt].insert(state[index_of(*read->slot)]);
      state[index_of(std::get<ir::Assign>(stmt.node).slot)] = &stmt;
      next.insert(state);
    }
    return next;
  }

  States repeat(const ir::Body* head, const ir::Body& body, States states) {
    States out;
    for (std::size_t known = 0; known != states.size();) {
      known = states.size();
      jumps_.emplace_back();
      const States entered = head ? visit(*head, states) : states;
      States again = visit(body, entered);
      out = both(both(std::move(jumps_.back().out), entered), {});
      states = both(both(std::move(states), again), jumps_.back().again);
      jumps_.pop_back();
    }
    return out;
  }

  std::vector<Jumps> jumps_;
};

class RandomBody {
public:
  explicit RandomBody(unsigned seed) : random_(seed) {}

  ir::Body body(int depth, bool in_loop) {
    ir::Body result;
    for (int rest = below(5); rest >= 0; --rest) result.push_back(statement(depth, in_loop));
    return result;
  }

private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  ir::Operand slot() { return {types::i64, SlotId(below(slot_count))}; }

  Stmt statement(int depth, bool in_loop) {
    const ir::Operand unknown{types::boolean, SlotId{slot_count}}, count{types::i64, SlotId{slot_count + 1}};
    const int kind = below(depth > 0 ? 14 : 8);
    if (kind == 7) {
      const int jump = below(in_loop ? 3 : 8);
      return jump == 0 && in_loop   ? break_()
             : jump == 1 && in_loop ? continue_()
             : jump == 2            ? return_()
                                    : copy(slot(), i64(1));
    }
    if (kind < 4) return copy(slot(), i64(0));
    if (kind < 7) return copy(slot(), slot());
    if (kind < 10) return if_(unknown, body(depth - 1, in_loop), body(depth - 1, in_loop));
    if (kind < 12) return while_(below(2) ? body(0, false) : ir::Body{}, unknown, body(depth - 1, true));
    return for_(count, i64(0), i64(1), count, body(depth - 1, true));
  }

  std::mt19937 random_;
};

TEST(Reaching, random_programs_say_what_all_ways_say) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const ir::Body body = RandomBody(seed).body(3, false);
    AllWays ways;
    const AllWays::States states = ways.visit(body, {AllWays::State{}});
    ways.left.insert(states.begin(), states.end());
    Reaching reaching;
    std::vector<Definitions> first(slot_count + 2, Definitions{nullptr});
    flow::Walk walk(reaching, first);
    ASSERT_TRUE(walk.run(body));
    ASSERT_EQ(reaching.seen, ways.seen) << seed;
    ASSERT_EQ(walk.is_left(), !ways.left.empty()) << seed;
    for (std::size_t slot = 0; slot < slot_count && walk.is_left(); ++slot) {
      Definitions at_end;
      for (const AllWays::State& state : ways.left) at_end.insert(state[slot]);
      ASSERT_EQ(walk.slots()[SlotId(slot)], at_end) << seed;
    }
  }
}

} // namespace
} // namespace kern
