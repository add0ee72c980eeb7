// How far integers reach: an upper bound as a polynomial over what a launch knows, for indices that a program flattens
// by hand, `u[(k * ny + j) * nx + i]`. Each variable is at its end, `k < nz` at nz - 1 and a thread's coordinate at the
// launch's, and where the factors of a product are not negative the product is at its end as well. One test by the
// launch, `u.shape[0] >= (nz - 1) * ny * nx + ...`, then proves what all threads do.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/analysis/guards/facts.h"
#include "compiler/analysis/guards/polynomial.h"
#include "kern/expression.h"

namespace kern {

// A number that the launch knows, and what it is here: the extent of an axis, a scalar, a part of the launch's shape.
struct KnownNumber {
  AtomId atom{};
  kern::Expression expression;
};

class Extremes {
public:
  explicit Extremes(Facts& facts) : facts_(facts) {}

  std::vector<KnownNumber> numbers;
  // Returns the place of a number in the list.
  std::optional<std::uint32_t> find(AtomId atom) const;
  // Returns the polynomial that an expression is, if all of it is known.
  std::optional<Polynomial> read(const Expression& expression) const;
  // Returns it as the launch computes it.
  Expression write(const Polynomial& polynomial) const;

  // Say that a number is at least a polynomial, or that a polynomial is at most a constant, which the launch tests exactly:
  // it is the `fact`th of the function.
  void assume(std::uint32_t number, Polynomial least, std::uint32_t fact);
  void assume_most(Polynomial polynomial, Wide most, std::uint32_t fact);
  // Says whether the exact value of an operation is in the range of its type, as it is part of such a polynomial; its
  // range is narrowed then.
  bool fits(const Affine& exact, Interval range);
  // Returns the facts about products alone that it rested on.
  const std::vector<std::uint32_t>& exact_by() const { return exact_by_; }
  // Says whether above >= 0 follows from one; reasons() tells by what.
  bool prove(const Affine& above);
  const std::vector<Reason>& reasons() const { return reasons_; }

  // What a launch would have to test so that above >= 0, and that index >= 0: `number` is one of those whose
  // coefficient in `above` is 1.
  struct Wanted {
    std::uint32_t number = 0;
    Polynomial least;
  };
  std::optional<Wanted> wanted(const Affine& index, const Affine& above);
  // From here on it is asked what to test, and nothing is proved. What is asked for anyway by others is preferred.
  void start_asking(std::vector<Wanted> asked) {
    asks_ = true;
    asked_ = std::move(asked);
  }
  bool asks() const { return asks_; }
  // Says whether a form is a sum of scalars and sides of blocks that is not negative, or would be where they are what is noted.
  bool want_numbers(const Affine& form);
  // Says whether it is the length of an axis or of dynamic shared memory.
  bool is_extent(AtomId atom) const;
  // What scalars must be at least, and at most, so that what was wanted proves anything, by number.
  const std::map<std::uint32_t, std::int64_t>& wanted_least() const { return wanted_least_; }
  const std::map<std::uint32_t, std::int64_t>& wanted_most() const { return wanted_most_; }
  // What was taken not to wrap for it.
  const std::vector<Polynomial>& wanted_exact() const { return wanted_exact_; }
  // Returns what a number never falls below; while it is asked, where it is what was wanted.
  Wide least(std::uint32_t number) const;
  // Says whether one polynomial is at least another one, by what their numbers never fall below.
  bool covers(const Polynomial& polynomial, const Polynomial& other) const;

private:
  struct Bound {
    Polynomial most;
    int loss = 0; // how much was given away, and how little the program says of it
  };
  struct Test {
    std::optional<std::uint32_t> number; // that is at least that much
    Polynomial least;
    std::uint32_t fact;
    Wide most; // without a number
  };

  // A form that is at least another one, by a fact about one of its terms.
  struct Way {
    Affine form;
    int loss, loss_at_once;
    bool is_launch;
  };

  static constexpr int most_steps = 400; // of the search for a bound

  static bool is_product(const Facts::Atom& atom);
  // Says whether it is a remainder by something that is no constant.
  static bool is_modulo(const Facts::Atom& atom);
  bool is_scalar(std::uint32_t number) const;
  // Says whether a number may be wanted to be at least, or at most, so much.
  bool is_free(std::uint32_t number) const;
  std::optional<Bound> most_of_all(const Affine& form, bool prefers_launch);
  std::optional<Bound> most(const Affine& form, int depth);
  int loss_at_once(const Affine& form) const;
  bool has_new(const Affine& form, const Affine& before) const;
  bool is_opaque(const Affine& form) const;
  void consider(std::optional<Bound>& best, std::optional<Bound> bound, int loss) const;
  std::vector<Way> ways(const Affine& form, const Term& term) const;
  std::optional<Bound> most_without(const Affine& form, int depth);
  std::optional<Bound> most_by(const Affine& form, const Term& term, int depth);
  std::optional<Bound> most_of_product(const Affine& without, const Term& term, int depth);
  std::optional<Bound> most_of_choice(const Affine& without, const Term& term, int depth);
  std::optional<Bound> most_of_quotient(const Affine& without, const Term& term, int depth);
  std::optional<Polynomial> read_exactly(const Affine& form) const;
  std::optional<Bound> most_at_low(const Affine& form) const;
  Wide least(const Affine& form) const;
  Wide least(AtomId atom) const;
  Wide greatest(AtomId atom) const;
  bool want_least(const Affine& form, Wide low);
  bool proves(const Affine& form, Wide low);
  bool want_not_negative(AtomId id);
  bool want_factor(const Affine& factor);
  void want_known_least(const Polynomial& polynomial);
  void want_exact(AtomId wrapped, int depth);
  bool is_asked(std::uint32_t number, const Polynomial& most) const;
  const Test* covering(std::optional<std::uint32_t> number, const Affine& form, Polynomial& most_of_it);
  // Returns the first test that covers a polynomial.
  const Test* covering(std::optional<std::uint32_t> number, const Polynomial& most) const;
  void note(const Test& test, const Polynomial& most);

  Facts& facts_;
  std::vector<Test> tests_;
  std::vector<Reason> reasons_;
  std::vector<std::uint32_t> exact_by_;
  std::map<std::uint32_t, std::int64_t> wanted_least_, wanted_most_;
  std::vector<Polynomial> wanted_exact_;
  std::set<AtomId> seen_; // what may wrap, of the form that is asked about
  std::vector<Wanted> asked_;
  bool prefers_launch_ = false;
  bool asks_ = false; // for what is wanted: what may wrap is taken for exact
  int steps_ = 0;
};

} // namespace kern
