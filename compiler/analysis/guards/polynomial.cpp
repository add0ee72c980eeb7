#include "compiler/analysis/guards/polynomial.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace kern {

namespace {

constexpr std::size_t most_monomials = 16, most_factors = 6;
constexpr Wide largest = Wide{1} << 40; // of a coefficient
constexpr Wide most_least = 1 << 10;    // that is made use of

bool comes_before(const Monomial& left, const Monomial& right) { return left.factors < right.factors; }

// Returns the factors of one product without those of another; nothing where it lacks one.
std::optional<std::vector<std::uint32_t>> divide(const Monomial& product, const Monomial& by) {
  if (!std::ranges::includes(product.factors, by.factors)) return std::nullopt;
  std::vector<std::uint32_t> rest;
  std::ranges::set_difference(product.factors, by.factors, std::back_inserter(rest));
  return rest;
}

} // namespace

Polynomial::Polynomial(Wide constant) {
  if (constant != 0) monomials_.push_back({{}, constant});
}

Polynomial Polynomial::number(std::uint32_t number) {
  Polynomial result;
  result.monomials_.push_back({{number}, 1});
  return result;
}

bool Polynomial::is_linear() const {
  return std::ranges::all_of(monomials_, [](const Monomial& part) { return part.factors.size() <= 1; });
}

bool Polynomial::mentions(const std::function<bool(std::uint32_t)>& is_one) const {
  return std::ranges::any_of(monomials_,
                             [&](const Monomial& part) { return std::ranges::any_of(part.factors, is_one); });
}

std::optional<Polynomial> Polynomial::plus(const Polynomial& other, Wide factor) const {
  Polynomial result = *this;
  for (const Monomial& part : other.monomials_) {
    auto place = std::ranges::lower_bound(result.monomials_, part, comes_before);
    if (place == result.monomials_.end() || place->factors != part.factors)
      place = result.monomials_.insert(place, {part.factors, 0});
    place->coefficient += part.coefficient * factor;
    if (place->coefficient > largest || place->coefficient < -largest) return std::nullopt;
    if (place->coefficient == 0) result.monomials_.erase(place);
  }
  if (result.monomials_.size() > most_monomials) return std::nullopt;
  return result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial& other) const {
  std::optional<Polynomial> result{Polynomial()};
  for (const Monomial& left : monomials_)
    for (const Monomial& right : other.monomials_) {
      Monomial product{left.factors, left.coefficient * right.coefficient};
      product.factors.insert(product.factors.end(), right.factors.begin(), right.factors.end());
      if (product.factors.size() > most_factors) return std::nullopt;
      std::ranges::sort(product.factors);
      Polynomial one;
      one.monomials_.push_back(std::move(product));
      result = result->plus(one);
      if (!result) return std::nullopt;
    }
  return result;
}

std::optional<Polynomial> Polynomial::divided_by(const Polynomial& other) const {
  if (other.monomials_.size() != 1) return std::nullopt;
  const Monomial& divisor = other.monomials_[0];
  Polynomial result;
  for (const Monomial& part : monomials_) {
    auto rest = divide(part, divisor);
    const bool is_whole = rest && divisor.coefficient > 0 && part.coefficient % divisor.coefficient == 0;
    if (is_whole)
      result.monomials_.push_back({std::move(*rest), part.coefficient / divisor.coefficient});
    else if (!part.factors.empty() || part.coefficient > 0)
      return std::nullopt;
  }
  std::ranges::sort(result.monomials_, comes_before);
  return result;
}

// The difference is written with what each number is beyond its least: where then nothing is taken away, it is not
// negative. n * m - 2 * m with n >= 2 is (n - 2) * m.
bool Polynomial::covers(const Polynomial& other, const std::function<Wide(std::uint32_t)>& least) const {
  const std::optional<Polynomial> difference = plus(other, -1);
  if (!difference) return false;
  std::map<std::vector<std::uint32_t>, Wide> beyond;
  for (const Monomial& part : difference->monomials_) {
    std::vector<Monomial> products{{{}, part.coefficient}};
    for (const std::uint32_t factor : part.factors) {
      const Wide low = std::min(least(factor), most_least);
      if (low < 0) return false;
      const std::size_t count = products.size();
      for (std::size_t i = 0; i < count; ++i) {
        Monomial more = products[i];
        more.factors.push_back(factor);
        products.push_back(std::move(more));
        products[i].coefficient *= low;
      }
    }
    for (const Monomial& product : products) beyond[product.factors] += product.coefficient;
  }
  return std::ranges::all_of(beyond, [](const auto& product) { return product.second >= 0; });
}

} // namespace kern
