// Exact arithmetic on intervals and affine forms. Numbers are kept so small (limits below) that no 128-bit
// sum of theirs can wrap; where a result would pass the limits there is none, which only costs a proof.
#include "compiler/analysis/ranges.h"

#include <algorithm>
#include <functional>

#include "runtime/common/integers.h"

namespace kern {

namespace {

constexpr std::int64_t max_coefficient = std::int64_t{1} << 40;
constexpr Wide max_constant = Wide{1} << 80;
constexpr Wide max_bound = Wide{1} << 110; // of a product of two intervals

// Multiplies; stops at max_bound, which is far outside of every type.
Wide saturating_multiply(Wide left, Wide right) {
  Wide product = 0;
  if (__builtin_mul_overflow(left, right, &product))
    return (left < 0) == (right < 0) ? max_bound : -max_bound;
  return std::clamp(product, -max_bound, max_bound);
}

bool within(Wide value, Wide limit) { return -limit <= value && value <= limit; }

// Returns value * scale as saturating_multiply does. Nearly every number has 64 bits, and two of those take one
// instruction.
Wide scaled(Wide value, std::int64_t scale) {
  const auto low = static_cast<std::int64_t>(value);
  return low == value ? Wide{low} * scale : saturating_multiply(value, scale);
}

} // namespace

Interval type_interval(Type type) {
  if (is_boolean(type)) return {0, 1};
  int bits = bit_width(type->scalar);
  if (is_signed(type)) return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
  return {0, (Wide{1} << bits) - 1};
}

Interval hull(Interval left, Interval right) {
  return {std::min(left.low, right.low), std::max(left.high, right.high)};
}

Interval multiply(Interval left, Interval right) {
  Wide products[] = {saturating_multiply(left.low, right.low), saturating_multiply(left.low, right.high),
                     saturating_multiply(left.high, right.low), saturating_multiply(left.high, right.high)};
  auto [low, high] = std::minmax_element(std::begin(products), std::end(products));
  return {*low, *high};
}

Wide ceil_divide(Wide value, Wide divisor) {
  return divisor == 1 ? value : -floor_divide(-value, divisor); // there is no instruction for such a quotient
}

bool Affine::operator==(const Affine& other) const {
  return constant == other.constant && std::ranges::equal(view(), other.view());
}

Affine affine(Wide constant) {
  Affine result;
  result.constant = constant;
  return result;
}

Affine affine(AtomId atom) {
  Affine result;
  result.terms[result.size++] = {atom, 1};
  return result;
}

std::optional<Affine> combine(const Affine& left, std::int64_t left_scale, const Affine& right,
                              std::int64_t right_scale) {
  if (!within(left_scale, max_coefficient) || !within(right_scale, max_coefficient)) return std::nullopt;
  Affine result;
  result.constant = scaled(left.constant, left_scale) + scaled(right.constant, right_scale);
  if (!within(result.constant, max_constant)) return std::nullopt;
  std::uint32_t l = 0, r = 0;
  while (l < left.size || r < right.size) {
    bool take_left = r == right.size || (l < left.size && left.terms[l].atom <= right.terms[r].atom);
    bool take_right = l == left.size || (r < right.size && right.terms[r].atom <= left.terms[l].atom);
    AtomId atom = take_left ? left.terms[l].atom : right.terms[r].atom;
    Wide sum = 0;
    if (take_left) sum += Wide{left.terms[l++].coefficient} * left_scale;
    if (take_right) sum += Wide{right.terms[r++].coefficient} * right_scale;
    if (sum == 0) continue;
    if (!within(sum, max_coefficient) || result.size == Affine::max_terms) return std::nullopt;
    result.terms[result.size++] = {atom, static_cast<std::int64_t>(sum)};
  }
  return result;
}

std::int64_t coefficient(const Affine& form, AtomId atom) {
  for (const Term& term : form.view()) {
    if (term.atom == atom) return term.coefficient;
  }
  return 0;
}

std::optional<AtomId> single_atom(const Affine& form) {
  if (form.size != 1 || form.constant != 0 || form.terms[0].coefficient != 1) return std::nullopt;
  return form.terms[0].atom;
}

std::size_t hash(const Affine& form) {
  std::size_t result = std::hash<std::int64_t>{}(static_cast<std::int64_t>(form.constant));
  for (const Term& term : form.view()) {
    result = result * 1000003 + static_cast<std::size_t>(term.atom) * 31 +
             static_cast<std::size_t>(term.coefficient);
  }
  return result;
}

std::optional<Interval> range_of(const ir::ConstantDecl& constant) {
  const Type element = types::scalar(constant.element);
  if (!is_integer(element) || constant.values.empty()) return std::nullopt;
  auto number = [&](std::uint64_t bits) {
    return is_signed(element) ? Wide{static_cast<std::int64_t>(bits)} : Wide{bits};
  };
  Interval range{number(constant.values[0]), number(constant.values[0])};
  for (std::uint64_t bits : constant.values) range = hull(range, {number(bits), number(bits)});
  return range;
}

} // namespace kern
