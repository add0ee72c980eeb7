// The search for a proof that an affine form is never negative: the form by ranges alone, or minus a known
// inequality and so on, a few levels deep. Each step eliminates one atom; where coefficients do not divide,
// the query is scaled, and since all values are integers s * q >= -(s - 1) suffices for q >= 0. In the same way
// a sum of multiples of g is rounded: 4 * a - 4 * b - 4 >= 0 is 4 * a - 4 * b - 1 >= 0. A minimum, a maximum, a
// choice or a disjunction is proved case by case, and what may wrap is taken for exact where it fits.
#include "compiler/analysis/guards/facts.h"
#include "runtime/common/integers.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kern {

// Says whether a form is negative whatever its atoms are, where those that no fact is about are as bad as they can
// be: an extent that nothing was compared with proves nothing.
bool Facts::is_refuted(const Affine& query) const {
  Wide most = query.constant;
  for (const Term& term : query.view()) {
    const Atom& known = atom(term.atom);
    const bool is_free =
        known.kind == Kind::Opaque && !known.is_mentioned && known.facts[0].empty() && known.facts[1].empty();
    const bool takes_high = (term.coefficient > 0) != is_free;
    most += term.coefficient * (takes_high ? known.range.high : known.range.low);
  }
  return most < 0;
}

bool Facts::prove(const Affine& form, Effort effort) {
  constexpr std::size_t kept_answers = 64;
  answers_.resize(kept_answers);
  Answer& answer = answers_[(hash(form) * 31 + state()) % kept_answers];
  const bool is_known = answer.state == state() && answer.axioms == axioms_ && answer.query == form;
  if (is_known && (answer.proved || answer.effort.steps >= effort.steps) && answer.effort.steps >= 0) {
    reasons_ = answer.reasons;
    return answer.proved;
  }
  const bool proved = !is_refuted(form) && look_for_proof(form, effort);
  if (!proved) reasons_.clear();
  answer = {state(), axioms_, form, effort, proved, reasons_};
  return proved;
}

bool Facts::look_for_proof(const Affine& form, Effort effort) {
  steps_ = effort.steps;
  // Depth by depth, so that a short proof is found before a deep search has used up the steps.
  for (int depth = 0; depth <= effort.depth && steps_ >= 0; ++depth) {
    reasons_.clear();
    ++searches_;
    cut_ = false;
    if (search(form, depth, true)) return true;
    if (!cut_) return false;
  }
  return false;
}

bool Facts::fits(const Affine& form, Interval interval, Effort effort) {
  Interval known = bounds(form);
  if (contains(interval, known)) return true;
  if (known.low < interval.low) {
    auto above = offset(form, -interval.low);
    if (!above || !prove(*above, effort)) return false;
  }
  if (known.high > interval.high) {
    auto below = combine(affine(interval.high), 1, form, -1);
    if (!below || !prove(*below, effort)) return false;
  }
  return true;
}

Affine Facts::resolve(const Affine& form) {
  auto only = single_atom(form);
  if (!only || atom(*only).kind != Kind::Wrapped || !fits(atom(*only).left, atom(*only).born)) return form;
  return atom(*only).left;
}

// Returns the largest coefficient, without its sign.
static std::int64_t largest_coefficient(const Affine& form) {
  std::int64_t largest = 0;
  for (const Term& term : form.view()) largest = std::max(largest, std::abs(term.coefficient));
  return largest;
}

// Returns the greatest divisor of all coefficients but those of terms of one value.
std::int64_t Facts::common_factor(const Affine& query) const {
  std::int64_t common = 0;
  for (const Term& term : query.view()) {
    if (!is_pinned(term.atom)) common = std::gcd(common, term.coefficient);
    if (common == 1) break;
  }
  return common;
}

// Returns the query with the largest constant that asks for the same, where that is another one; terms of one value
// become part of it.
std::optional<Affine> Facts::rounded(const Affine& query) {
  if (largest_coefficient(query) < 2) return std::nullopt;
  const std::int64_t common = common_factor(query);
  if (common < 2) return std::nullopt;
  Affine result, fixed;
  for (const Term& term : query.view()) {
    Affine& part = is_pinned(term.atom) ? fixed : result;
    part.terms[part.size++] = term;
  }
  note_range_reasons(fixed);
  result.constant = query.constant + bounds(fixed).low;
  result.constant = floor_divide(result.constant, Wide{common}) * common + common - 1;
  return result;
}

// Rounds to the largest coefficient, with the terms that are no multiples of it at their worst: in 4 * a - 4 * b -
// c >= 1 with c <= 3.
bool Facts::search_rounded(const Affine& query, int depth) {
  std::int64_t unit = largest_coefficient(query);
  if (unit < 2) return false;
  Affine whole, rest;
  for (const Term& term : query.view()) {
    Affine& part = term.coefficient % unit == 0 ? whole : rest;
    part.terms[part.size++] = term;
  }
  if (rest.size == 0 || bounds(rest).low < -2 * Wide{unit} || !take_step()) return false;
  whole.constant = query.constant + bounds(rest).low;
  std::size_t reasons = reasons_.size();
  note_range_reasons(rest);
  if (search(whole, depth - 1)) return true;
  reasons_.resize(reasons);
  return false;
}

bool Facts::search(const Affine& query, int depth, bool is_first_step) {
  std::size_t reasons = reasons_.size();
  const std::optional<Affine> other = rounded(query);
  const Affine& whole = other ? *other : query;
  if (bounds(whole).low >= 0) {
    note_range_reasons(whole);
    return true;
  }
  cut_ = cut_ || (depth == 0 && !whole.is_constant());
  if (depth > 0 && !whole.is_constant() && is_new(whole, depth) && search_terms(whole, depth, is_first_step))
    return true;
  reasons_.resize(reasons);
  return false;
}

// Says whether a query is tried for the first time so deep; a sum that leads back to itself proves nothing.
bool Facts::is_new(const Affine& query, int depth) {
  std::uint16_t& at = tried_at_[(hash(query) * 31 + case_) % tried_at_.size()];
  if (at == 0) {
    tried_.emplace_back();
    at = static_cast<std::uint16_t>(tried_.size());
  }
  Tried& tried = tried_[at - 1u]; // of two with the same place the later one is kept
  bool known = tried.search == searches_ && tried.case_number == case_ && tried.query == query;
  if (known && tried.depth >= depth) return false;
  tried = {searches_, case_, depth, query};
  return true;
}

bool Facts::search_terms(const Affine& query, int depth, bool is_first_step) {
  // The term that makes the form look negative must go: the worst one, or, if there is none, any of them for
  // a better bound.
  const Term* worst = nullptr;
  bool may_round = largest_coefficient(query) > 1;
  for (const Term& term : query.view()) {
    if (least(term) < 0 && (!worst || least(term) < least(*worst))) worst = &term;
  }
  if (worst && search_term(query, *worst, depth)) return true;
  for (const Term& term : query.view()) {
    if (worst == &term) continue;
    if (!worst || is_first_step || least(term) < 0) {
      if (search_term(query, term, depth)) return true;
    } else if (may_round && search_facts(query, term, depth, true)) {
      return true;
    }
  }
  return search_rounded(query, depth);
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
  return search_facts(query, term, depth, false) || search_cases(query, term, depth) ||
         search_disjunctions(query, term, depth);
}

bool Facts::search_facts(const Affine& query, const Term& term, int depth, bool only_multiples) {
  const Atom& known = atom(term.atom);
  auto may_help = [&](const Affine& form) { return !only_multiples || largest_coefficient(form) > 1; };
  for (const Affine& axiom : known.axioms) {
    if (may_help(axiom) && eliminate(query, term, axiom, {}, depth)) return true;
  }
  const std::vector<std::uint32_t>& bounding = known.facts[term.coefficient > 0];
  for (std::size_t i = bounding.size(); i-- > 0;) {
    const Fact& fact = facts_[bounding[i]];
    if (may_help(fact.form) && eliminate(query, term, fact.form, fact.reason, depth)) return true;
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
      std::size_t around = std::exchange(case_, ++cases_);
      bool possible = enter(*each, term.atom);
      proved = proved && (!possible || substitute(query, term, each->value, depth));
      case_ = around;
      rollback(before);
    }
  } else if (known.kind == Kind::Wrapped && take_step()) {
    proved = search_within(known.left, known.born, depth - 1) && substitute(query, term, known.left, depth);
  }
  if (!proved) reasons_.resize(reasons);
  return proved;
}

bool Facts::search_within(const Affine& form, Interval range, int depth) {
  auto above = offset(form, -range.low), below = combine(affine(range.high), 1, form, -1);
  return above && below && search(*above, depth) && search(*below, depth);
}

bool Facts::search_disjunctions(const Affine& query, const Term& term, int depth) {
  std::size_t count = atom(term.atom).disjunctions.size();
  for (std::size_t i = count; i-- > 0;) {
    std::uint32_t index = atom(term.atom).disjunctions[i];
    if (std::ranges::find(open_disjunctions_, index) != open_disjunctions_.end() || !take_step()) continue;
    std::size_t reasons = reasons_.size();
    reasons_.push_back(facts_[index].reason);
    auto [first, second] = *facts_[index].either;
    open_disjunctions_.push_back(index);
    bool proved = true;
    for (KeptFacts side : {first, second}) {
      Mark before = mark();
      std::size_t around = std::exchange(case_, ++cases_);
      bool possible = enter(side);
      proved = proved && (!possible || search(query, depth - 1));
      case_ = around;
      rollback(before);
    }
    open_disjunctions_.pop_back();
    if (proved) return true;
    reasons_.resize(reasons);
  }
  return false;
}

bool Facts::enter(KeptFacts facts) {
  for (const Fact& fact : at(facts).facts) {
    if (bounds(fact.form).high < 0) return false;
    assume(fact);
  }
  return true;
}

bool Facts::enter(const Case& each, AtomId choice) {
  if (!enter(each.facts)) return false;
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
