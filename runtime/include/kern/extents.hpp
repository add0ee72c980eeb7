// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents and strides of arrays, and which elements they reach.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kern/error.hpp"

namespace kern::inline v1 {

// How many elements an array has along each axis, the first axis first: rows, then columns.
template <std::size_t Rank> using Extents = std::array<std::int64_t, Rank>;

template <class... Sizes> constexpr Extents<sizeof...(Sizes)> extents(Sizes... sizes) {
  return {static_cast<std::int64_t>(sizes)...};
}

// Multiplies numbers that are not negative; what passes 2^63 - 1 is that.
constexpr std::int64_t bounded_product(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? INT64_MAX : product;
}

// Says whether an array may have these extents: none is negative, and those that are not 0 make no more than 2^62 bytes.
template <std::size_t Rank>
constexpr bool are_possible(const Extents<Rank>& extents, std::int64_t element_bytes = 1) {
  constexpr std::int64_t most = std::int64_t(1) << 62;
  std::int64_t bytes = element_bytes;
  for (std::int64_t extent : extents) {
    if (extent < 0) return false;
    if (extent > 0) bytes = bounded_product(bytes, extent);
  }
  return bytes <= most;
}

// Returns how many elements there are; none where an extent is negative, and at most 2^63 - 1.
template <std::size_t Rank> constexpr std::int64_t count(const Extents<Rank>& extents) {
  std::int64_t product = 1;
  for (std::int64_t extent : extents)
    if (extent <= 0) return 0;
  for (std::int64_t extent : extents) product = bounded_product(product, extent);
  return product;
}

// Returns the strides of elements that lie side by side, the last axis fastest; at most 2^63 - 1.
template <std::size_t Rank> constexpr Extents<Rank> packed_strides(const Extents<Rank>& extents) {
  Extents<Rank> strides{};
  std::int64_t stride = 1;
  for (std::size_t axis = Rank; axis-- > 0;) {
    strides[axis] = stride;
    stride = bounded_product(stride, extents[axis] > 0 ? extents[axis] : 0);
  }
  return strides;
}

// Computes the lowest and the highest element that an array reaches, counted from its first one; of an empty one
// the highest is -1. False where they are beyond 2^62 bytes, or no array has such extents.
template <std::size_t Rank> constexpr bool reach_of(const Extents<Rank>& extents,
                                                    const Extents<Rank>& strides, std::int64_t& lowest,
                                                    std::int64_t& highest, std::int64_t element_bytes = 1) {
  const std::int64_t most = (std::int64_t(1) << 62) / element_bytes - 1;
  lowest = highest = 0;
  if (!are_possible(extents, element_bytes)) return false;
  const bool is_empty = count(extents) == 0;
  if (is_empty) highest = -1;
  for (std::size_t axis = 0; axis < Rank && !is_empty; ++axis) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(extents[axis] - 1, strides[axis], &reach)) return false;
    std::int64_t& end = reach < 0 ? lowest : highest;
    if (__builtin_add_overflow(end, reach, &end) || lowest < -most || highest > most) return false;
  }
  return true;
}

template <std::size_t Rank> std::string text_of(const Extents<Rank>& numbers, const char* between) {
  std::string text;
  for (std::size_t axis = 0; axis < Rank; ++axis)
    text += (axis > 0 ? between : "") + std::to_string(numbers[axis]);
  return text;
}

// Says whether a part lies in an array of so many elements; makes it an ArgumentError where it does not.
template <std::size_t Rank> bool check_part(Status& status, std::int64_t elements, std::int64_t offset,
                                            const Extents<Rank>& extents, const Extents<Rank>& strides,
                                            std::int64_t element_bytes) {
  std::int64_t lowest = 0, highest = 0;
  bool is_inside = offset >= 0 && offset <= elements &&
                   reach_of(extents, strides, lowest, highest, element_bytes) && lowest >= -offset &&
                   highest < elements - offset;
  if (!is_inside)
    status.refuse([&] {
      return "a part with the extents " + text_of(extents, " x ") + " and the strides " +
             text_of(strides, ", ") + " from element " + std::to_string(offset) +
             " on does not lie in an array of " + std::to_string(elements) + " elements";
    });
  return is_inside;
}

} // namespace kern::inline v1
