// Division of integers as Python has it, for whoever computes with the numbers of a kernel outside of one.
// The divisor is not 0.
#pragma once

#include <cstdint>

namespace kern {

// Returns the quotient rounded down. The one that does not fit, the least value // -1, wraps.
template <class Int> constexpr Int floor_divide(Int value, Int divisor) {
  if (divisor == -1) return static_cast<Int>(Int{0} - value);
  return value / divisor - (value % divisor != 0 && (value < 0) != (divisor < 0));
}
constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  if (divisor == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value));
  return value / divisor - (value % divisor != 0 && (value < 0) != (divisor < 0));
}

// Refuses operands of two types: one would be converted to the other without a word, and a wide number cut.
template <class Value, class Divisor> constexpr void floor_divide(Value value, Divisor divisor) = delete;

// Returns the rest, which has the divisor's sign.
template <class Int> constexpr Int floor_modulo(Int value, Int divisor) {
  if (divisor == -1) return 0;
  Int rest = value % divisor;
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

} // namespace kern
