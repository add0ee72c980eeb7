// One walk over structured control flow, in the order of the program, with the values that slots have on the ways to each
// place. A domain says what statements do; the walk joins where ways meet: behind an if its arms, behind a loop its breaks and
// where its condition ends it, before a round what comes into the loop and what ended the rounds before, by `continue` or at
// the end of the body. Rounds are repeated until the next one would begin with the same values; from some round on they are
// widened, so that there is one. What no way leads to is not looked at.
//
// A loop keeps what its rounds begin with until the walk is over. So one inside of another begins, in each round of that, where
// it was before, and all loops together cost what their values change, not rounds to the power of their depth.
//
// There is no general solver for unstructured graphs, nor one that goes backwards: IR is structured, and nothing asks for it.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/analysis/flow/slots.h"
#include "compiler/ir/ir.h"
#include "compiler/support/overloaded.h"

namespace kern::flow {

// What a domain is derived from; it hides what it knows better, and has besides:
//   void transfer(const Stmt&, Slots<Value>&)   what a statement itself reads and assigns, of an If and a For before its bodies,
//                                               of a While behind its head; again in each round
//   Value join(SlotId, const Value&, const Value&)
//   Value widen(SlotId, const Value& before, const Value& now)   what is over both, and over which there is not much more
template <class T> struct Domain {
  using Value = T;
  static constexpr int rounds = 8; // that are not widened
  static constexpr std::size_t most_steps =
      50'000'000; // a bound on hostile input: statements, and values that are joined

  // Returns whether the condition of an If or a While holds, or a For has a round, where that is known.
  std::optional<bool> decide(const ir::Stmt&) const { return std::nullopt; }
  // Assigns the variable of a loop, at the start of each round.
  void start_round(const ir::For&, Slots<T>&) {}
};

template <class Of> class Walk {
public:
  using Value = typename Of::Value;

  Walk(Of& domain, std::vector<Value> first) : domain_(domain), slots_(std::move(first)) {}

  // Goes through a function; false where that would take too many steps.
  bool run(const ir::Body& body) {
    visit(body);
    leave(left_, 0);
    slots_.rollback(0);
    slots_.apply(left_.changes);
    return steps_ <= Of::most_steps;
  }

  // Says whether some way leaves the function, and returns the values that slots are left with.
  bool is_left() const { return left_.any; }
  const Slots<Value>& slots() const { return slots_; }

private:
  using Mark = typename Slots<Value>::Mark;

  // The ways that go on at one place: what they assigned since another one, from which all of them come.
  struct Ways {
    bool any = false;
    Changes<Value> changes = {};
  };
  struct Loop {
    Mark entry;
    Ways out = {}, again = {};
  };

  // Adds the present way, which comes from a mark, to those that go on at some place.
  void meet(Ways& ways, Mark from) {
    if (is_reached_) add(ways, {true, slots_.since(from)});
  }
  void add(Ways& ways, Ways more) {
    if (!more.any) return;
    steps_ += ways.changes.size() + more.changes.size();
    if (ways.any)
      more.changes = joined(ways.changes, more.changes, [&](ir::SlotId slot, const Value& a, const Value& b) {
        return domain_.join(slot, a, b);
      });
    ways = std::move(more);
  }
  void go_on(const Ways& ways) {
    is_reached_ = ways.any;
    slots_.apply(ways.changes);
  }
  void leave(Ways& ways, Mark from) {
    meet(ways, from);
    is_reached_ = false;
  }

  void visit(const ir::Body& body) {
    for (const ir::Stmt& stmt : body) {
      if (++steps_ > Of::most_steps) is_reached_ = false;
      if (!is_reached_) return;
      visit(stmt);
    }
  }

  void visit(const ir::Stmt& stmt) {
    if (!std::holds_alternative<ir::While>(stmt.node)) domain_.transfer(stmt, slots_);
    match(
        stmt.node, [&](const ir::If& node) { visit_if(node, stmt); },
        [&](const ir::While& node) { visit_while(node, stmt); },
        [&](const ir::For& node) { visit_for(node, stmt); },
        [&](const ir::Break&) { leave(loops_.back()->out, loops_.back()->entry); },
        [&](const ir::Continue&) { leave(loops_.back()->again, loops_.back()->entry); },
        [&](const ir::Return&) { leave(left_, 0); }, [&](const ir::Segment& node) { visit(node.body); },
        [](const auto&) {});
  }

  void visit_if(const ir::If& node, const ir::Stmt& stmt) {
    const std::optional<bool> holds = domain_.decide(stmt);
    const Mark before = slots_.mark();
    Ways behind;
    for (const bool arm : {true, false}) {
      if (holds == !arm) continue;
      is_reached_ = true;
      visit(arm ? node.then_body : node.else_body);
      meet(behind, before);
      slots_.rollback(before);
    }
    go_on(behind);
  }

  void visit_while(const ir::While& node, const ir::Stmt& stmt) {
    go_on(repeat(stmt, [&](Loop& loop) {
            visit(node.head);
            if (!is_reached_) return;
            domain_.transfer(stmt, slots_);
            const std::optional<bool> holds = domain_.decide(stmt);
            if (holds != true) meet(loop.out, loop.entry);
            is_reached_ = holds != false;
            visit(node.body);
          }).out);
  }

  void visit_for(const ir::For& node, const ir::Stmt& stmt) {
    const bool has_round = domain_.decide(stmt) == true;
    Loop loop = repeat(stmt, [&](Loop& round) {
      if (!has_round) meet(round.out, round.entry);
      domain_.start_round(node, slots_);
      visit(node.body);
    });
    if (has_round) add(loop.out, std::move(loop.again));
    go_on(loop.out);
  }

  // Repeats the rounds of a loop until they begin alike; returns what the last one led to.
  template <class Round> Loop repeat(const ir::Stmt& stmt, const Round& round) {
    std::map<ir::SlotId, Value>& first = first_[&stmt];
    for (auto& [slot, value] : first) value = domain_.join(slot, slots_[slot], value);
    const Mark entry = slots_.mark();
    for (int number = 0;; ++number) {
      is_reached_ = true;
      for (const auto& [slot, value] : first) slots_.set(slot, value);
      Loop loop{entry};
      loops_.push_back(&loop);
      round(loop);
      loops_.pop_back();
      meet(loop.again, entry);
      slots_.rollback(entry);
      if (!grow(first, loop.again.changes, number >= Of::rounds)) return loop;
    }
  }

  // Takes the ends of rounds into what the next one begins with; says whether that is something else.
  bool grow(std::map<ir::SlotId, Value>& first, const Changes<Value>& ends, bool widens) {
    bool grows = false;
    for (const Change<Value>& change : ends) {
      const auto found = first.find(change.slot);
      const Value& begun = found == first.end() ? change.before : found->second;
      Value next = domain_.join(change.slot, begun, change.now);
      if (next == begun) continue;
      grows = true;
      if (widens) next = domain_.widen(change.slot, begun, next);
      first.insert_or_assign(change.slot, std::move(next));
    }
    return grows;
  }

  Of& domain_;
  Slots<Value> slots_;
  std::vector<Loop*> loops_;
  std::unordered_map<const ir::Stmt*, std::map<ir::SlotId, Value>> first_; // by loop: what rounds begin with
  Ways left_;                                                              // the function
  std::size_t steps_ = 0;
  bool is_reached_ = true;
};

} // namespace kern::flow
