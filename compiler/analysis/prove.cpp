// The search for a proof that an affine form is never negative: the form by ranges alone, or minus a known
// inequality and so on, a few levels deep. Each step eliminates one atom; where coefficients do not divide,
// the query is scaled, and since all values are integers s * q >= -(s - 1) suffices for q >= 0. A minimum, a
// maximum or a choice is proved case by case.
#include "compiler/analysis/facts.h"

#include <algorithm>
#include <numeric>

namespace kern {

bool Facts::prove(const Affine& form, Effort effort) {
  steps_ = effort.steps;
  // Depth by depth, so that a short proof is found before a deep search has used up the steps.
  for (int depth = 0; depth <= effort.depth && steps_ >= 0; ++depth) {
    reasons_.clear();
    cut_ = false;
    if (search(form, depth, true)) return true;
    if (!cut_) return false;
  }
  reasons_.clear();
  return false;
}

bool Facts::fits(const Affine& form, Interval interval) {
  Interval known = bounds(form);
  if (contains(interval, known)) return true;
  if (known.low < interval.low) {
    auto above = offset(form, -interval.low);
    if (!above || !prove(*above, quick)) return false;
  }
  if (known.high > interval.high) {
    auto below = combine(affine(interval.high), 1, form, -1);
    if (!below || !prove(*below, quick)) return false;
  }
  return true;
}

bool Facts::search(const Affine& query, int depth, bool is_first_step) {
  if (bounds(query).low >= 0) {
    note_range_reasons(query);
    return true;
  }
  if (query.is_constant()) return false;
  if (depth == 0) {
    cut_ = true;
    return false;
  }
  // What makes the form look negative must go: the worst term, or where there is none any of them for a
  // better bound.
  const Term* worst = nullptr;
  for (const Term& term : query.view()) {
    if (least(term) < 0 && (!worst || least(term) < least(*worst))) worst = &term;
  }
  if (worst && search_term(query, *worst, depth)) return true;
  for (const Term& term : query.view()) {
    bool tried = worst == &term;
    bool may_help = !worst || is_first_step;
    if (!tried && may_help && search_term(query, term, depth)) return true;
  }
  return false;
}

Wide Facts::least(const Term& term) const {
  const Interval& range = atom(term.atom).range;
  return term.coefficient * (term.coefficient > 0 ? range.low : range.high);
}

bool Facts::take_step() {
  if (all_steps_ == 0) steps_ = 0;
  if (--steps_ < 0) return false;
  --all_steps_;
  return true;
}

bool Facts::search_term(const Affine& query, const Term& term, int depth) {
  return search_facts(query, term, depth) || search_cases(query, term, depth);
}

bool Facts::search_facts(const Affine& query, const Term& term, int depth) {
  const Atom& known = atom(term.atom);
  for (const Affine& axiom : known.axioms) {
    if (eliminate(query, term, axiom, {}, depth)) return true;
  }
  const std::vector<std::uint32_t>& bounding = known.facts[term.coefficient > 0];
  for (std::size_t i = bounding.size(); i-- > 0;) {
    const Fact& fact = facts_[bounding[i]];
    if (eliminate(query, term, fact.form, fact.reason, depth)) return true;
    if (steps_ < 0) return false;
  }
  return false;
}

bool Facts::eliminate(const Affine& query, const Term& term, const Affine& known, const Reason& reason,
                      int depth) {
  std::int64_t here = coefficient(known, term.atom);
  if (here == 0 || (here > 0) != (term.coefficient > 0)) return false;
  if (!take_step()) return false;
  std::int64_t common = std::gcd(here, term.coefficient);
  std::int64_t times = std::abs(here / common);
  auto rest = combine(query, times, known, -std::abs(term.coefficient / common));
  if (rest && times > 1) rest = offset(*rest, times - 1);
  if (!rest) return false;
  // From here on `known` and `reason` may move: a case adds facts.
  std::size_t reasons = reasons_.size();
  reasons_.push_back(reason);
  if (search(*rest, depth - 1)) return true;
  reasons_.resize(reasons);
  return false;
}

bool Facts::search_cases(const Affine& query, const Term& term, int depth) {
  const Atom& known = atom(term.atom);
  bool grows = term.coefficient > 0;
  std::size_t reasons = reasons_.size();
  bool proved = false;
  // The other sides (maximum >= each operand) are axioms.
  bool by_operands = (known.kind == Kind::Minimum && grows) || (known.kind == Kind::Maximum && !grows);
  if (by_operands && take_step()) {
    proved = substitute(query, term, known.left, depth) && substitute(query, term, known.right, depth);
  } else if (known.kind == Kind::Choice && take_step()) {
    proved = true;
    const auto& [first, second] = choices_[known.choice];
    for (const Case* each : {&first, &second}) {
      Mark before = mark();
      bool possible = enter(*each, term.atom);
      proved = proved && (!possible || substitute(query, term, each->value, depth));
      rollback(before);
    }
  }
  if (!proved) reasons_.resize(reasons);
  return proved;
}

bool Facts::enter(const Case& each, AtomId choice) {
  for (const Fact& fact : kept_[static_cast<std::size_t>(each.facts)]) {
    if (bounds(fact.form).high < 0) return false;
    assume(fact.form, fact.reason);
  }
  Interval value = bounds(each.value), range = atom(choice).range;
  return value.low <= range.high && range.low <= value.high;
}

bool Facts::substitute(const Affine& query, const Term& term, const Affine& value, int depth) {
  auto without = combine(query, 1, affine(term.atom), -term.coefficient);
  if (without) without = combine(*without, 1, value, term.coefficient);
  return without && search(*without, depth - 1);
}

void Facts::note_range_reasons(const Affine& query) {
  for (const Term& term : query.view()) {
    const Atom& known = atom(term.atom);
    reasons_.push_back(term.coefficient > 0 ? known.low : known.high);
  }
}

} // namespace kern
