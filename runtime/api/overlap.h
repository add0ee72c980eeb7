// Arrays whose elements lie on each other.
#pragma once

#include <cstdint>
#include <optional>

#include "kern/runtime.h"

namespace kern::runtime {

// Returns an axis along which different elements of an array are the same memory; nothing where it is not
// certain that there is one.
std::optional<std::uint32_t> overlapping_axis(const kern_argument& array);

// Says whether two arrays certainly share an element. What only interleaves (every second element each) does
// not.
bool share_elements(const kern_argument& left, const kern_argument& right);

} // namespace kern::runtime
