// The walk that proves guards: forward over the statements, each branch with the facts of its condition, each
// loop with what is true on every way round it. Other files ask it for what the same walk finds on its way:
// small values, facts that a launch could test, and the guards that transform/ takes out of loops.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/guards/small_values.h"
#include "compiler/analysis/guards/symbolic.h"

namespace kern {

// The proof of a guard or a fit: its kind in words, and the places that it rests on.
struct GuardReasons {
  bool proved = false;
  bool fails_if_empty = false; // and only then
  std::vector<Reason> reasons;
  Interval index, extent; // their ranges at the guard; of a fit those of the value and of its type
};

// The outcome of each Guard and Fit statement, and the way that each Select goes if it is known, both in the order of
// ir::walk.
struct GuardFindings {
  std::vector<GuardReasons> guards;
  std::vector<std::optional<bool>> selects;
  std::vector<std::uint32_t> exact_by = {}; // facts, by which operations do not wrap
};

// A fact that a launch could test so that a guard is proved: a number of the launch is at least a polynomial over
// others, or at most a constant.
struct WantedFact {
  bool is_most = false;     // then it is at most `least`, a constant
  std::uint32_t number = 0; // of Extremes::numbers
  Polynomial least;
};

class GuardWalk {
public:
  GuardWalk(const ir::Module& module, const ir::Function& function);
  GuardFindings run();
  // Walks, and returns the facts that would prove guards which stay, each once and none that another one covers; where
  // there are several, those that were asked for before.
  std::vector<WantedFact> run_for_facts(const std::vector<WantedFact>& asked);
  bool has_two_ways(const std::vector<WantedFact>& facts) const;
  // Returns them, with all that they rest on, as the launch tests them.
  std::vector<Expression> expressions_of(const std::vector<WantedFact>& kept) const;
  // Walks, and returns which integers are small.
  SmallValues run_for_small_values();

private:
  // A function whose nested loops need more visits than this for each of its statements keeps its guards.
  static constexpr std::size_t most_visits = 64;

  // A slot that a loop assigns.
  struct LoopSlot {
    ir::SlotId slot;
    bool carried = false;   // an iteration may read what an earlier one left in it
    bool goes_back = false; // not only on ways that leave the loop at once
  };
  // The use of a slot by a loop, found by one scan of its bodies.
  struct SlotUse {
    std::size_t home = 0; // the number of the body that assigns it first
    bool carried = false;
    bool goes_back = false;
  };
  // The place of a scanned body in the loop.
  struct ScanPlace {
    std::size_t home = 0;
    bool in_inner_loop = false;
    bool leaves = false;
  };
  struct SlotUses {
    std::unordered_map<std::uint32_t, SlotUse> slots;
    std::vector<ir::SlotId> assigned;
    std::vector<bool> open; // the bodies being scanned, by number
  };
  // An assumption about a carried slot at the head of a loop, which is then checked on each way back to it.
  struct Invariant {
    ir::SlotId slot;
    Value start;                             // before the loop
    AtomId atom{};                           // at the head, where no stride is known
    Interval range;                          // integers: at the head
    Interval seen;                           // on the ways back so far
    bool not_below = true, not_above = true; // at the head: compared with `start`
    std::optional<std::int64_t> stride;      // at the head: start + stride * iteration
    std::optional<Affine> step;              // what the ways back so far added
    bool steps_agree = true, stride_fails = false;
    std::optional<Interval> drift; // at the head: start + what `iteration` rounds have added, each so much
    AtomId drifted{};              // what they have added
    std::optional<Interval> steps; // what the ways back so far added, where all of them have bounds
    bool has_far_step = false, drift_fails = false, has_drifted = false;
    std::vector<bool> fixed; // arrays: the axes whose extents stay equal to those of `start`
    bool was_near = false;   // the range has been one of an i32
    bool changed = false;    // a way back broke what was assumed; it is weaker now
  };
  // A loop that the walk is inside of.
  struct Loop {
    Symbolic::Mark before;
    std::vector<Invariant> invariants;
    std::vector<Symbolic::Branch> exits;
    bool too_many_exits = false;
    Affine iteration; // how often the body has run
    Wide most_rounds = Wide{1} << 65;
  };

  void walk(const ir::Body& body);
  void walk(const ir::Stmt& stmt);
  void assign(const ir::Assign& node, Span span);
  void walk_if(const ir::If& node);
  bool is_clamped(const Affine& form) const;
  bool fails_if_empty(const Affine& index, const Affine& above, const Affine& extent);
  bool is_in_range(const ir::View& view);
  void guard(const ir::Guard& node, Span span);
  void fit(const ir::Fit& node, Span span);
  void check(const ir::Check& node);
  void set_unknown(ir::SlotId slot) {
    symbolic_.set(slot, symbolic_.unknown(symbolic_.declaration(slot).type));
  }

  // small_values.cpp
  bool is_within(Value value, Interval range);
  bool is_small(const ir::Operand& operand);
  bool is_small(Value value);
  void note_range(const ir::Operand& operand);
  void note_operands(const ir::Assign& node);
  void note_result(const ir::Assign& node);
  void note_count(const ir::For& node);
  void note_variable(const ir::For& node);

  // wanted_facts.cpp: the facts of the variant, and those that a launch could test
  void find_known();
  void find_shape();
  void find_dynamic_shared();
  void assume_facts();
  void assume_fact(const Expression& fact, std::uint32_t index);
  std::optional<WantedFact> wanted_fact(const Affine& index, const Affine& extent, const Affine& above);
  std::optional<WantedFact> wanted_extent(const Affine& index, const Affine& above);
  std::optional<WantedFact> wanted_farthest(const Affine& index, const Affine& extent);
  std::optional<WantedFact> wanted_block(const Affine& above);
  std::optional<WantedFact> wanted_most(const Affine& above);
  Affine exact(const Affine& form) const;
  Affine from_the_start(const Affine& index, const Affine& extent) const;
  std::optional<Affine> without_clamps(Affine form) const;
  bool covers(const WantedFact& fact, const WantedFact& other) const;
  Expression expression_of(const WantedFact& fact) const;
  struct LeastExtent {
    std::int64_t value;
    // The weakest of what its proof needs: Launch, else Guard, else Test, else Always.
    Reason::Kind rests_on;
  };
  std::optional<LeastExtent> least_extent(const Affine& rest);

  // guard_loops.cpp
  void scan(const ir::Body& body, ScanPlace place, SlotUses& uses);
  const std::vector<LoopSlot>& loop_slots(const ir::Stmt& stmt);
  void walk_loop(const ir::Stmt& stmt);
  std::vector<Invariant> first_invariants(const std::vector<LoopSlot>& slots);
  bool settle(Loop& loop, int round);
  void weaken(Invariant& invariant);
  void widen(Invariant& invariant);
  void run_loop(const ir::Stmt& stmt, Loop& loop);
  void run_while(const ir::While& node, const ir::Stmt& stmt, Loop& loop);
  Affine count_of_some(Affine count);
  void run_for(const ir::For& node, const ir::Stmt& stmt, Loop& loop);
  void enter(const ir::Stmt& stmt, Loop& loop);
  void assume_invariant(Invariant& invariant, const Loop& loop, const Reason& reason);
  bool assume_drift(Invariant& invariant, const Loop& loop, const Reason& reason);
  std::optional<Affine> last_of(const Affine& start, const Affine& step, const Affine& count);
  Value for_variable(const ir::For& node, const Affine& start, const Affine& step, const Affine& count,
                     const Affine& iteration, const Reason& reason);
  void go_back();
  void check_integer(Invariant& invariant, const Affine& iteration);
  bool check_drift(Invariant& invariant, const Affine& form);
  static void note_step(Invariant& invariant, std::optional<Interval> step);
  bool is_wanted_to_rise(const Affine& step);
  void check_range(Invariant& invariant, const Affine& form);
  void check_array(Invariant& invariant);
  void leave();
  void join_exits(const ir::Stmt& stmt, Loop& loop);

  Symbolic symbolic_;
  const ir::Function& function_;
  bool clamps_;                                          // a guard that fails does not end the thread
  std::unordered_map<const void*, std::size_t> numbers_; // of the guards and fits, and of the selects
  GuardFindings results_;
  std::vector<std::optional<WantedFact>> wanted_; // by guard or fit; empty where nobody asks
  std::vector<Fact> served_;                      // what proved guards show, while somebody asks
  SmallValues small_;
  bool asks_small_ = false;
  std::unordered_map<const ir::Stmt*, std::vector<LoopSlot>> loop_slots_;
  std::vector<Loop*> loops_;
  bool reachable_ = true;
  std::size_t statements_ = 0; // of the function
  std::size_t visits_ = 0;     // of statements, over all rounds of all loops
};

// Walks a function, and returns what became of its guards and fits.
GuardFindings find_guards(const ir::Module& module, const ir::Function& function);

} // namespace kern
