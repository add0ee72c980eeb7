// Ranges of integers and affine forms over them. Both are exact: they live in more bits than any type of the
// language has, and whoever uses one as the value of a wrapping operation must first show that the result
// fits its type.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "compiler/ir/ir.h"
#include "compiler/types/types.h"

namespace kern {

__extension__ using Wide = __int128; // wider than any sum that the limits below allow

// The integers from low to high, both included.
struct Interval {
  Wide low = 0;
  Wide high = 0;
  bool operator==(const Interval&) const = default;
};

// Returns every value of an integer type or bool.
Interval type_interval(Type type);
// Returns the least and the greatest element of a constant array of integers; nothing of others, and of empty ones.
std::optional<Interval> range_of(const ir::ConstantDecl& constant);
// Says whether every integer of `inner` is in `outer`.
inline bool contains(Interval outer, Interval inner) {
  return outer.low <= inner.low && inner.high <= outer.high;
}
// Returns the smallest interval that holds both.
Interval hull(Interval left, Interval right);
// Returns every product of one of each.
Interval multiply(Interval left, Interval right);
// Returns the quotient rounded up; the divisor is positive.
Wide ceil_divide(Wide value, Wide divisor);

// An integer that is not looked into: what a parameter, a load or an operation that may wrap gives. One
// analysis numbers them; an atom stands for one value that never changes.
enum class AtomId : std::uint32_t {};

struct Term {
  AtomId atom{};
  std::int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

// constant + sum of coefficient * atom, with the terms ascending by atom and no coefficient 0.
struct Affine {
  static constexpr std::size_t max_terms = 8;

  Wide constant = 0;
  std::uint32_t size = 0;
  std::array<Term, max_terms> terms{};

  std::span<const Term> view() const { return {terms.data(), size}; }
  bool is_constant() const { return size == 0; }
  bool operator==(const Affine& other) const;
};

// Returns the form of a constant, and that of an atom.
Affine affine(Wide constant);
Affine affine(AtomId atom);
// Returns left_scale * left + right_scale * right; nothing where it has too many terms or too large numbers.
std::optional<Affine> combine(const Affine& left, std::int64_t left_scale, const Affine& right,
                              std::int64_t right_scale);
// Return left + right, left - right, left * scale and left + constant, under the same limits.
inline std::optional<Affine> add(const Affine& left, const Affine& right) {
  return combine(left, 1, right, 1);
}
inline std::optional<Affine> subtract(const Affine& left, const Affine& right) {
  return combine(left, 1, right, -1);
}
inline std::optional<Affine> scale(const Affine& left, std::int64_t factor) {
  return combine(left, factor, Affine{}, 0);
}
inline std::optional<Affine> offset(const Affine& left, Wide constant) { return add(left, affine(constant)); }
// Returns the coefficient of an atom, 0 where it does not occur.
std::int64_t coefficient(const Affine& form, AtomId atom);
// Returns the only atom of a form that is just that atom.
std::optional<AtomId> single_atom(const Affine& form);
// Mixes a form into a hash.
std::size_t hash(const Affine& form);

} // namespace kern
