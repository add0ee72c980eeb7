// Holds what is known at one point of a function: for each atom a range, and inequalities between affine
// forms. Facts are added on the way into a branch or after a test and rolled back on the way out. An atom
// never changes its value, so an assignment kills nothing here: it gives the slot another value.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/ranges.h"
#include "compiler/support/source.h"

namespace kern {

// Why a fact holds: the words of a proof.
struct Reason {
  enum class Kind : std::uint8_t {
    Always, // by types and arithmetic
    Test,   // a comparison of the program came out so
    Loop,   // the range of a for
    Guard,  // an earlier guard passed
    Block,  // block= of the kernel
    Launch, // the limits of every launch
    Fact,   // a fact of the variant, which the launch tests
  };
  Kind kind = Kind::Always;
  Span span = {};
  std::uint32_t fact = 0; // of ir::Function::facts
  bool operator==(const Reason&) const = default;
};

// Says whether a reason is a place in the program, and not what always holds.
inline bool is_place(const Reason& reason) {
  return reason.kind == Reason::Kind::Test || reason.kind == Reason::Kind::Loop ||
         reason.kind == Reason::Kind::Guard;
}

// Facts that held at the end of one branch, kept for later: Facts::keep.
enum class KeptFacts : std::uint32_t {};

// form >= 0, or one of two lists of facts holds
struct Fact {
  Affine form;
  Reason reason;
  std::optional<std::pair<KeptFacts, KeptFacts>> either = {};
  bool is_index = false; // an index that a test of the launch has shown to be in range
};

// One way in which a choice got its value, and what held there.
struct Case {
  Affine value;
  KeptFacts facts{};
};

// How hard to look for a proof: how many inequalities may be added up, and how many sums may be tried.
struct Effort {
  int depth;
  int steps;
};
inline constexpr Effort quick{3, 30}, thorough{8, 300};

class Facts {
public:
  // The operation that an atom stands for, if a proof can use it.
  enum class Kind : std::uint8_t {
    Opaque,
    FloorDivide,
    Minimum,
    Maximum,
    Choice,
    Wrapped, // `left` brought into the type's range: equal to it where it fits
  };
  struct Atom {
    Kind kind = Kind::Opaque;
    std::uint32_t code = 0; // distinguishes operations; 0 for an atom that equals no other
    Affine left, right;     // of an operation
    std::uint32_t choice = 0;
    std::vector<Affine> axioms; // >= 0 wherever the atom is
    // Facts that mention it and another atom: those where it has a negative coefficient, and a positive one.
    std::array<std::vector<std::uint32_t>, 2> facts;
    std::vector<std::uint32_t> disjunctions; // of which both parts mention it
    bool is_mentioned = false;               // by an axiom, a case, or what another atom stands for
    Interval born;                           // its range wherever it is evaluated
    Interval range;                          // here
    Reason low, high;                        // of the range
  };
  struct Mark {
    std::size_t facts = 0;
    std::size_t undo = 0;
  };

  // Returns the reason, if it is a part of the program, of a range that bounds(form) rests on.
  Reason reason_of(const Affine& form) const;
  // Makes an atom of which only the range is known.
  AtomId fresh(Interval range, Reason low = {}, Reason high = {});
  // Returns the atom of an operation on two operands: the same for the same code and operands. `range` must
  // hold wherever the operation is evaluated, not only here.
  AtomId operation(Kind kind, std::uint32_t code, const Affine& left, const Affine& right, Interval range);
  // Keeps facts for the cases of choices.
  KeptFacts keep(std::vector<Fact> facts);
  // Makes the atom whose value is that of one of two cases.
  AtomId choice(const Case& first, const Case& second, Interval range);
  // Returns the two cases of a choice.
  const std::pair<Case, Case>& cases(AtomId id) const { return choices_[atom(id).choice]; }
  // Says from here to the rollback what held in a case.
  void assume(KeptFacts facts);
  void assume(const Fact& fact);
  // Says that one of two lists holds from here to the rollback.
  void assume_either(KeptFacts first, KeptFacts second, const Reason& reason);
  // Returns what a form is without wrapping, where that is known to be its value here.
  Affine resolve(const Affine& form);
  // Says that form >= 0 wherever the atom is evaluated.
  void axiom(AtomId atom, const Affine& form);
  // Returns an atom by its id.
  const Atom& atom(AtomId id) const { return atoms_[static_cast<std::size_t>(id)]; }

  // Says that form >= 0 from here to the rollback.
  void assume(const Affine& form, Reason reason, bool is_index = false);
  // Says that low <= form <= high from here to the rollback.
  void assume_within(const Affine& form, Interval range, Reason reason);
  // Returns the place to roll back to.
  Mark mark() const { return {facts_.size(), undo_.size()}; }
  // Forgets what was assumed since.
  void rollback(Mark mark);
  // Returns what was assumed since, at most `limit` of them, the first ones first.
  std::vector<Fact> since(Mark mark, std::size_t limit = SIZE_MAX) const;

  // Returns what limits an atom by other atoms, the latest first: facts >= 0 in which its coefficient is negative, or, from
  // below, positive.
  std::vector<Fact> limits(AtomId atom, bool from_below) const;

  // Returns a range of the form by the ranges of its atoms alone.
  Interval bounds(const Affine& form) const;
  // Says whether form >= 0 is proved here; reasons() then tells by what.
  bool prove(const Affine& form, Effort effort);
  // Says whether every value of the form lies in the interval.
  bool fits(const Affine& form, Interval interval, Effort effort = quick);
  // Lets all proofs together try so many sums; afterwards only ranges prove anything.
  void limit_steps(std::size_t steps) { all_steps_ = steps; }
  // Returns what the last successful prove() used.
  const std::vector<Reason>& reasons() const { return reasons_; }

private:
  struct Undo {
    AtomId atom;
    Interval range;
    Reason low, high;
  };

  struct Kept {
    std::vector<Fact> facts;
    // The list that this one is an alternative to, and the atoms that both mention, once somebody has asked.
    std::optional<KeptFacts> other = {};
    std::vector<AtomId> common = {};
  };

  // The answer of an earlier proof, with the state in which it was found: a condition is decided again on
  // each way out of it.
  struct Answer {
    std::uint64_t state = 0, axioms = 0;
    Affine query;
    Effort effort{-1, -1};
    bool proved = false;
    std::vector<Reason> reasons;
  };

  Kept& at(KeptFacts id) { return kept_[static_cast<std::size_t>(id)]; }
  Atom& at(AtomId id) { return atoms_[static_cast<std::size_t>(id)]; }
  void push(Fact fact);
  void mention(const Affine& form);
  std::uint64_t state() const { return serials_.empty() ? 0 : serials_.back(); }
  bool is_refuted(const Affine& query) const;
  bool look_for_proof(const Affine& query, Effort effort);
  void tighten(AtomId id, Interval range, const Reason& reason);
  bool search(const Affine& query, int depth, bool is_first_step = false);
  bool is_new(const Affine& query, int depth);
  bool search_terms(const Affine& query, int depth, bool is_first_step);
  bool search_term(const Affine& query, const Term& term, int depth);
  bool take_step();
  Wide least(const Term& term) const;
  // With `only_multiples` by those that a query may be rounded after.
  bool search_facts(const Affine& query, const Term& term, int depth, bool only_multiples);
  bool search_cases(const Affine& query, const Term& term, int depth);
  bool search_disjunctions(const Affine& query, const Term& term, int depth);
  bool search_within(const Affine& form, Interval range, int depth);
  bool search_rounded(const Affine& query, int depth);
  bool is_pinned(AtomId id) const { return atom(id).range.low == atom(id).range.high; }
  std::int64_t common_factor(const Affine& query) const;
  std::optional<Affine> rounded(const Affine& query);
  const std::vector<AtomId>& common_atoms(KeptFacts first, KeptFacts second);
  // Assumes a case of a choice; says whether it can be the present one.
  bool enter(const Case& each, AtomId choice);
  bool enter(KeptFacts facts);
  bool eliminate(const Affine& query, const Term& term, const Affine& known, const Reason& reason, int depth);
  bool substitute(const Affine& query, const Term& term, const Affine& value, int depth);
  void note_range_reasons(const Affine& query);

  std::deque<Atom> atoms_;
  std::unordered_multimap<std::size_t, AtomId> operations_;
  std::deque<Kept> kept_;
  std::deque<std::pair<Case, Case>> choices_;
  std::vector<Fact> facts_;
  std::vector<std::uint64_t> serials_; // of the facts: the last one stands for all that holds
  std::uint64_t serial_ = 0, axioms_ = 0;
  std::vector<Undo> undo_;
  std::vector<Reason> reasons_;
  std::vector<std::uint32_t> open_disjunctions_; // whose cases are being tried
  // The queries of the present search: a proof that failed so deep is not tried again.
  struct Tried {
    std::size_t search = 0, case_number = 0;
    int depth = 0;
    Affine query;
  };
  std::vector<Tried> tried_;
  std::array<std::uint16_t, 256> tried_at_{}; // one more than the place in tried_; by hash
  std::vector<Answer> answers_;
  std::size_t searches_ = 0;
  std::size_t case_ = 0, cases_ = 0; // the case that is being looked at, and their number so far
  std::size_t all_steps_ = SIZE_MAX;
  int steps_ = 0;
  bool cut_ = false; // the search stopped at its depth, not for want of facts
};

} // namespace kern
