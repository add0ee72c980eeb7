// The store of facts. Each assumption also narrows the ranges of its atoms by one step, so that most
// questions are answered by ranges alone; prove.cpp adds up inequalities for the others.
#include "compiler/analysis/guards/facts.h"

#include <algorithm>
#include <iterator>

namespace kern {

namespace {

constexpr Wide farthest = Wide{1} << 66; // no value of any type is outside

std::size_t operation_hash(Facts::Kind kind, std::uint32_t code, const Affine& left, const Affine& right) {
  return (static_cast<std::size_t>(kind) * 7919 + code) * 1000003 + hash(left) * 31 + hash(right);
}

} // namespace

AtomId Facts::fresh(Interval range, Reason low, Reason high) {
  AtomId id{static_cast<std::uint32_t>(atoms_.size())};
  Atom& made = atoms_.emplace_back();
  made.range = {std::max(range.low, -farthest), std::min(range.high, farthest)};
  made.born = made.range;
  made.low = low;
  made.high = high;
  return id;
}

AtomId Facts::operation(Kind kind, std::uint32_t code, const Affine& left, const Affine& right,
                        Interval range) {
  std::size_t key = operation_hash(kind, code, left, right);
  auto [first, last] = operations_.equal_range(key);
  for (auto entry = first; entry != last; ++entry) {
    const Atom& known = atom(entry->second);
    if (known.kind == kind && known.code == code && known.left == left && known.right == right)
      return entry->second;
  }
  AtomId id = fresh(range);
  at(id).kind = kind;
  at(id).code = code;
  at(id).left = left;
  at(id).right = right;
  operations_.emplace(key, id);
  if (kind != Kind::Opaque) {
    mention(left);
    mention(right);
  }
  return id;
}

void Facts::mention(const Affine& form) {
  for (const Term& term : form.view()) at(term.atom).is_mentioned = true;
}

KeptFacts Facts::keep(std::vector<Fact> facts) {
  for (const Fact& fact : facts) mention(fact.form);
  kept_.push_back({std::move(facts)});
  return KeptFacts{static_cast<std::uint32_t>(kept_.size() - 1)};
}

AtomId Facts::choice(const Case& first, const Case& second, Interval range) {
  AtomId id = fresh(range);
  at(id).kind = Kind::Choice;
  at(id).choice = static_cast<std::uint32_t>(choices_.size());
  choices_.emplace_back(first, second);
  mention(first.value);
  mention(second.value);
  return id;
}

void Facts::axiom(AtomId id, const Affine& form) {
  std::vector<Affine>& axioms = at(id).axioms;
  if (std::ranges::find(axioms, form) != axioms.end()) return;
  axioms.push_back(form);
  mention(form);
  ++axioms_;
}

Interval Facts::bounds(const Affine& form) const {
  Interval result{form.constant, form.constant};
  for (const Term& term : form.view()) {
    const Interval& range = atom(term.atom).range;
    // Nearly all coefficients are 1 or -1.
    if (term.coefficient == 1) {
      result.low += range.low;
      result.high += range.high;
    } else if (term.coefficient == -1) {
      result.low -= range.high;
      result.high -= range.low;
    } else {
      bool positive = term.coefficient > 0;
      result.low += term.coefficient * (positive ? range.low : range.high);
      result.high += term.coefficient * (positive ? range.high : range.low);
    }
  }
  return result;
}

Reason Facts::reason_of(const Affine& form) const {
  Reason result;
  for (const Term& term : form.view()) {
    for (const Reason& reason : {atom(term.atom).low, atom(term.atom).high}) {
      if (is_place(reason)) return reason;
      if (reason.kind != Reason::Kind::Always) result = reason;
    }
  }
  return result;
}

void Facts::tighten(AtomId id, Interval range, const Reason& reason) {
  Atom& known = at(id);
  Interval narrowed{std::max(known.range.low, range.low), std::min(known.range.high, range.high)};
  // An empty range means that this point is never reached; the old one is as true.
  if (narrowed == known.range || narrowed.low > narrowed.high) return;
  undo_.push_back({id, known.range, known.low, known.high});
  if (narrowed.low != known.range.low) known.low = reason;
  if (narrowed.high != known.range.high) known.high = reason;
  known.range = narrowed;
}

void Facts::push(Fact fact) {
  facts_.push_back(std::move(fact));
  serials_.push_back(++serial_);
}

void Facts::assume(const Affine& form, Reason reason, bool is_index) {
  if (form.is_constant()) return;
  auto index = static_cast<std::uint32_t>(facts_.size());
  push({form, reason, {}, is_index});
  Wide most = bounds(form).high;
  std::vector<AtomId> pinned;
  for (const Term& term : form.view()) {
    bool was_pinned = is_pinned(term.atom);
    if (form.size > 1) at(term.atom).facts[term.coefficient > 0].push_back(index);
    // coefficient * atom >= -(the most that the rest can be)
    Interval range = atom(term.atom).range;
    if (term.coefficient > 0) {
      Wide rest = most - term.coefficient * range.high;
      tighten(term.atom, {ceil_divide(-rest, term.coefficient), range.high}, reason);
    } else {
      Wide rest = most - term.coefficient * range.low;
      tighten(term.atom, {range.low, -ceil_divide(-rest, -Wide{term.coefficient})}, reason);
    }
    if (!was_pinned && is_pinned(term.atom)) pinned.push_back(term.atom);
  }
  // The axioms of an operation whose result has become known, such as n % 4, tell about its operands.
  for (AtomId id : pinned) {
    for (const Affine& axiom : atom(id).axioms) assume(axiom, reason);
  }
}

void Facts::assume(const Fact& fact) {
  if (fact.either) {
    assume_either(fact.either->first, fact.either->second, fact.reason);
  } else {
    assume(fact.form, fact.reason, fact.is_index);
  }
}

// Returns the atoms that a list of facts mentions, ascending.
static std::vector<AtomId> atoms_of(const std::vector<Fact>& facts) {
  std::vector<AtomId> atoms;
  for (const Fact& fact : facts) {
    for (const Term& term : fact.form.view()) atoms.push_back(term.atom);
  }
  std::ranges::sort(atoms);
  atoms.erase(std::ranges::unique(atoms).begin(), atoms.end());
  return atoms;
}

// A disjunction is assumed again in each case that it is part of, and taken back each time.
const std::vector<AtomId>& Facts::common_atoms(KeptFacts first, KeptFacts second) {
  Kept& kept = at(first);
  if (kept.other == second) return kept.common;
  kept.other = second;
  kept.common.clear();
  std::ranges::set_intersection(atoms_of(kept.facts), atoms_of(at(second).facts),
                                std::back_inserter(kept.common));
  return kept.common;
}

void Facts::assume_either(KeptFacts first, KeptFacts second, const Reason& reason) {
  auto index = static_cast<std::uint32_t>(facts_.size());
  push({affine(0), reason, std::pair(first, second)});
  for (AtomId id : common_atoms(first, second)) at(id).disjunctions.push_back(index);
}

void Facts::assume(KeptFacts facts) {
  for (const Fact& fact : at(facts).facts) assume(fact);
}

void Facts::assume_within(const Affine& form, Interval range, Reason reason) {
  Interval known = bounds(form);
  if (known.low < range.low) {
    if (auto above = offset(form, -range.low)) assume(*above, reason);
  }
  if (known.high > range.high) {
    if (auto below = combine(affine(range.high), 1, form, -1)) assume(*below, reason);
  }
}

void Facts::rollback(Mark mark) {
  while (facts_.size() > mark.facts) {
    const Fact& fact = facts_.back();
    const Affine& form = fact.form;
    if (fact.either) {
      for (AtomId id : common_atoms(fact.either->first, fact.either->second)) at(id).disjunctions.pop_back();
    } else if (form.size > 1) {
      for (const Term& term : form.view()) at(term.atom).facts[term.coefficient > 0].pop_back();
    }
    facts_.pop_back();
    serials_.pop_back();
  }
  while (undo_.size() > mark.undo) {
    const Undo& undo = undo_.back();
    Atom& known = at(undo.atom);
    known.range = undo.range;
    known.low = undo.low;
    known.high = undo.high;
    undo_.pop_back();
  }
}

std::vector<Fact> Facts::limits(AtomId id, bool from_below) const {
  std::vector<Fact> result;
  const std::vector<std::uint32_t>& limiting = atom(id).facts[from_below];
  for (std::size_t i = limiting.size(); i-- > 0;) result.push_back(facts_[limiting[i]]);
  for (const Affine& axiom : atom(id).axioms)
    if ((coefficient(axiom, id) > 0) == from_below) result.push_back({axiom, {}});
  return result;
}

std::vector<Fact> Facts::since(Mark mark, std::size_t limit) const {
  auto first = facts_.begin() + static_cast<std::ptrdiff_t>(mark.facts);
  std::size_t count = std::min(limit, facts_.size() - mark.facts);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

} // namespace kern
