// Sums of products of numbers that a launch knows: how far an index that is flattened by hand reaches, as a number that
// the launch computes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/analysis/ranges.h"

namespace kern {

// coefficient * factors[0] * factors[1] * ...; the factors are numbers of somebody's list, ascending.
struct Monomial {
  std::vector<std::uint32_t> factors;
  Wide coefficient = 0;
  bool operator==(const Monomial&) const = default;
};

// The sum of its monomials, ascending by factors, of which each coefficient is another number than 0.
class Polynomial {
public:
  Polynomial() = default;
  explicit Polynomial(Wide constant);
  static Polynomial number(std::uint32_t number);

  const std::vector<Monomial>& monomials() const { return monomials_; }
  bool is_constant() const {
    return monomials_.empty() || (monomials_.size() == 1 && monomials_[0].factors.empty());
  }
  // Says whether no product has two factors.
  bool is_linear() const;
  bool mentions(const std::function<bool(std::uint32_t)>& is_one) const;
  bool operator==(const Polynomial&) const = default;

  // Return this + other * factor, and this * other; nothing where it would be too long or too large.
  std::optional<Polynomial> plus(const Polynomial& other, Wide factor = 1) const;
  std::optional<Polynomial> times(const Polynomial& other) const;
  // Returns this // other, where the other is one product; what is left over is at most 0.
  std::optional<Polynomial> divided_by(const Polynomial& other) const;
  // Says whether this is at least `other` whatever the numbers are, each at least `least` of it.
  bool covers(const Polynomial& other, const std::function<Wide(std::uint32_t)>& least) const;

private:
  std::vector<Monomial> monomials_;
};

} // namespace kern
