// Bounds of forms, by what limits their variables: a test of the program, the range of a loop, the launch. Of several ways the
// one counts that gives least away, since a launch whose arrays are no longer than the program needs is to pass. While it
// is asked what to test, an operation that may wrap is taken for exact: the test says so.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler/analysis/guards/extremes.h"

namespace kern {

namespace {

constexpr int deepest = 10;
// The range of a counter that is taken at its end without a limit of the program's, and that of a short loop's.
constexpr Wide most_alone = 4096, most_short = 64;
// What is given away: a variable that is taken for its least; a range that may follow from the launch's limits; another
// variable that is larger; the launch in place of a test; a short loop's range.
constexpr int loss_of_low = 100, loss_of_range = 40, loss_of_variable = 20, loss_of_launch = 10,
              loss_of_constant = 1;

} // namespace

std::optional<Extremes::Bound> Extremes::most(const Affine& form, int depth) {
  if (depth > deepest || ++steps_ > most_steps) return std::nullopt;
  for (const Term& term : form.view())
    if (term.coefficient > 0 && !find(term.atom)) return most_by(form, term, depth);
  return most_without(form, depth);
}

// A test of a sum, `i < nx` with i = plane - j - k, says more than the least of its parts.
std::optional<Extremes::Bound> Extremes::most_without(const Affine& form, int depth) {
  std::optional<Bound> best = most_at_low(form);
  for (const Term& term : form.view())
    if (term.coefficient < 0 && !find(term.atom))
      for (const Way& way : ways(form, term))
        if (!has_new(way.form, form) && best && way.loss_at_once < best->loss)
          consider(best, most(way.form, depth + 1), way.loss);
  return best;
}

// What is left counts against the form: a variable as the least that it can be.
std::optional<Extremes::Bound> Extremes::most_at_low(const Affine& form) const {
  Bound result{Polynomial(form.constant)};
  for (const Term& term : form.view()) {
    const auto number = find(term.atom);
    if (!number) result.loss += loss_of_low;
    const auto sum = number
                         ? result.most.plus(Polynomial::number(*number), term.coefficient)
                         : result.most.plus(Polynomial(facts_.atom(term.atom).range.low), term.coefficient);
    if (!sum) return std::nullopt;
    result.most = *sum;
  }
  return result;
}

// Returns what is given away if nothing comes that counts against the terms of the form that do.
int Extremes::loss_at_once(const Affine& form) const {
  const auto counts = [&](const Term& term) { return term.coefficient < 0 && !find(term.atom); };
  return loss_of_low * static_cast<int>(std::ranges::count_if(form.view(), counts));
}

// Says whether a form has a variable with a positive coefficient that another one does not have.
bool Extremes::has_new(const Affine& form, const Affine& before) const {
  return std::ranges::any_of(form.view(), [&](const Term& term) {
    const bool is_variable = !find(term.atom) && !is_product(facts_.atom(term.atom)) &&
                             facts_.atom(term.atom).kind != Facts::Kind::Wrapped;
    return is_variable && term.coefficient > 0 && coefficient(before, term.atom) <= 0;
  });
}

// Says whether a form has a positive part of which nothing is known but its type: what a load gives.
bool Extremes::is_opaque(const Affine& form) const {
  return std::ranges::any_of(form.view(), [&](const Term& term) {
    const Facts::Atom& atom = facts_.atom(term.atom);
    return term.coefficient > 0 && !find(term.atom) && atom.kind == Facts::Kind::Opaque && atom.code == 0 &&
           atom.facts[0].empty();
  });
}

// Takes a bound for the best one if it is. Of two that give away as little, the one that asks for less.
void Extremes::consider(std::optional<Bound>& best, std::optional<Bound> bound, int loss) const {
  if (!bound) return;
  bound->loss += loss;
  const bool is_better =
      !best || bound->loss < best->loss ||
      (bound->loss == best->loss && !covers(bound->most, best->most) && covers(best->most, bound->most));
  if (is_better) best = std::move(bound);
}

// Returns what the form is at most by what limits one of its terms, first what gives away less at once: few ways are
// followed to their ends.
std::vector<Extremes::Way> Extremes::ways(const Affine& form, const Term& term) const {
  std::vector<Way> result;
  bool is_tested = false; // against something of which the launch knows nothing
  for (const Fact& fact : facts_.limits(term.atom, term.coefficient < 0)) {
    const std::int64_t times = -coefficient(fact.form, term.atom);
    // That an earlier index is in range says nothing of how far this one reaches.
    const bool is_index = fact.reason.kind == Reason::Kind::Guard || fact.is_index;
    if (is_index || term.coefficient % times != 0) continue;
    const auto other = combine(form, 1, fact.form, term.coefficient / times);
    if (!other) continue;
    const bool is_launch = fact.reason.kind == Reason::Kind::Launch;
    is_tested = is_tested || (fact.reason.kind == Reason::Kind::Test && is_opaque(fact.form));
    const int loss =
        (is_launch != prefers_launch_ ? loss_of_launch : 0) + (has_new(*other, form) ? loss_of_variable : 0);
    result.push_back({*other, loss, loss + loss_at_once(*other), is_launch});
  }
  if (is_tested) std::erase_if(result, &Way::is_launch);
  std::ranges::stable_sort(result, {}, &Way::loss_at_once);
  return result;
}

std::optional<Extremes::Bound> Extremes::most_by(const Affine& form, const Term& term, int depth) {
  const Facts::Atom& atom = facts_.atom(term.atom);
  std::optional<Bound> best;
  const auto without = combine(form, 1, affine(term.atom), -term.coefficient);
  if (!without) return std::nullopt;
  if (atom.kind == Facts::Kind::Wrapped) {
    const Affine exact = asks_ ? atom.left : facts_.resolve(affine(term.atom));
    if (exact == affine(term.atom)) return std::nullopt;
    if (asks_) want_exact(term.atom, depth);
    const auto other = combine(*without, 1, exact, term.coefficient);
    return other ? most(*other, depth + 1) : std::nullopt;
  }
  if (atom.kind == Facts::Kind::Choice) return most_of_choice(*without, term, depth);
  // What is known of a product or quotient as a whole comes behind its operands, which say more than how it compares with
  // others.
  if (is_product(atom)) best = most_of_product(*without, term, depth);
  if (atom.kind == Facts::Kind::FloorDivide) best = most_of_quotient(*without, term, depth);
  for (const Way& way : ways(form, term)) {
    if (best && way.loss_at_once > best->loss) break;
    consider(best, most(way.form, depth + 1), way.loss);
  }
  // While it is asked, the divisor may be positive because that is asked as well.
  if (asks_ && is_modulo(atom) && want_least(atom.left, 0) && want_least(atom.right, 1)) {
    const auto last = offset(atom.right, -1);
    const auto other = last ? combine(*without, 1, *last, term.coefficient) : std::nullopt;
    if (other) consider(best, most(*other, depth + 1), 0);
  }
  const Wide high = atom.range.high;
  if (high <= most_alone && atom.high.kind != Reason::Kind::Launch)
    if (const auto other = combine(*without, 1, affine(high), term.coefficient))
      consider(best, most(*other, depth + 1), high <= most_short ? loss_of_constant : loss_of_range);
  return best;
}

void Extremes::want_exact(AtomId wrapped, int depth) {
  if (!seen_.insert(wrapped).second) return;
  const auto bound = most(facts_.atom(wrapped).left, depth + 1);
  if (bound && std::ranges::find(wanted_exact_, bound->most) == wanted_exact_.end())
    wanted_exact_.push_back(bound->most);
}

std::optional<Extremes::Bound> Extremes::most_of_product(const Affine& without, const Term& term, int depth) {
  const Affine left = facts_.atom(term.atom).left, right = facts_.atom(term.atom).right;
  const bool are_positive =
      asks_ ? want_not_negative(term.atom) : want_least(left, 0) && want_least(right, 0);
  if (!are_positive) return std::nullopt;
  const auto first = most(left, depth + 1), second = most(right, depth + 1), rest = most(without, depth + 1);
  if (!first || !second || !rest) return std::nullopt;
  const auto product = first->most.times(second->most);
  const auto sum = product ? rest->most.plus(*product, term.coefficient) : std::nullopt;
  if (!sum) return std::nullopt;
  return Bound{*sum, first->loss + second->loss + rest->loss};
}

// Of two ways the one that covers the other.
std::optional<Extremes::Bound> Extremes::most_of_choice(const Affine& without, const Term& term, int depth) {
  std::array<std::optional<Bound>, 2> bounds;
  const auto& [first, second] = facts_.cases(term.atom);
  std::size_t next = 0;
  for (const Case* each : {&first, &second}) {
    const Facts::Mark before = facts_.mark();
    facts_.assume(each->facts);
    const auto form = combine(without, 1, each->value, term.coefficient);
    if (form) bounds[next] = most(*form, depth + 1);
    facts_.rollback(before);
    if (!bounds[next++]) return std::nullopt;
  }
  const int loss = bounds[0]->loss + bounds[1]->loss;
  if (covers(bounds[0]->most, bounds[1]->most)) return Bound{bounds[0]->most, loss};
  if (covers(bounds[1]->most, bounds[0]->most)) return Bound{bounds[1]->most, loss};
  return std::nullopt;
}

// 0 <= left < height * right gives left // right < height.
std::optional<Extremes::Bound> Extremes::most_of_quotient(const Affine& without, const Term& term,
                                                          int depth) {
  const Affine left = facts_.atom(term.atom).left, right = facts_.atom(term.atom).right;
  if (!want_least(left, 0) || !want_least(right, 1)) return std::nullopt;
  const auto dividend = most(left, depth + 1), rest = most(without, depth + 1);
  if (!dividend || !rest) return std::nullopt;
  const auto exact = read_exactly(right);
  const auto above = exact ? dividend->most.plus(Polynomial(1)) : std::nullopt;
  const auto height = above ? above->divided_by(*exact) : std::nullopt;
  const auto last = height ? height->plus(Polynomial(-1)) : std::nullopt;
  const auto sum = last ? rest->most.plus(*last, term.coefficient) : std::nullopt;
  if (!sum) return std::nullopt;
  return Bound{*sum, dividend->loss + rest->loss};
}

// Returns the polynomial that a form is.
std::optional<Polynomial> Extremes::read_exactly(const Affine& form) const {
  std::optional<Polynomial> result{Polynomial(form.constant)};
  for (const Term& term : form.view()) {
    const Facts::Atom& atom = facts_.atom(term.atom);
    std::optional<Polynomial> part;
    if (const auto number = find(term.atom)) {
      part = Polynomial::number(*number);
    } else if (is_product(atom)) {
      const auto left = read_exactly(atom.left), right = read_exactly(atom.right);
      if (left && right) part = left->times(*right);
    } else if (atom.kind == Facts::Kind::Wrapped && asks_) {
      part = read_exactly(atom.left);
    }
    if (part && result) result = result->plus(*part, term.coefficient);
    if (!part || !result) return std::nullopt;
  }
  return result;
}

} // namespace kern
