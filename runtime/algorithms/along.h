// The kernels of reductions along an axis, as source text.
#pragma once

#include <span>
#include <string>

#include "runtime/algorithms/join.h"

namespace kern::algorithms {

// Returns a file with the kernel `reduction`: its parameters are the names of the formula, the extents of the shape, and the
// result, whose elements are those of the shape without the axis. Where the axis is the last one a warp takes an element of the
// result, else a thread: then those beside each other read what lies side by side.
std::string along_source(const Joining& joining, const Shape& shape, std::size_t axis,
                         std::span<const kern_argument> arguments);

} // namespace kern::algorithms
