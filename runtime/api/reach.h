// Which bytes an array reaches, from the lowest of its corners to the highest: what is to lie in a buffer.
#pragma once

#include "kern/runtime.h"

namespace kern::runtime {

// Bytes before and behind its first element, so wide that no extents and strides pass them: the product of
// extents is at most 2^62 bytes, and a stride 2^63.
struct Reach {
  __int128 begin = 0, end = 0; // equal where the array is empty
};

// Returns the reach of an array whose type, rank and extents were checked.
Reach reach_of(const kern_argument& array);

} // namespace kern::runtime
