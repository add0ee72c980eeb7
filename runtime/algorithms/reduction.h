// The kernels of reductions, as source text: what `combine` makes of a formula's values, over all elements or along an axis.
#pragma once

#include <span>
#include <string>

#include "runtime/algorithms/shapes.h"

namespace kern::algorithms {

struct Reduction {
  Formula value;       // of an element
  std::string combine; // of `a` and `b`
  std::string start;   // of the result; empty: there is none, and there must be an element
};

// Returns a file with the kernel `reduction`: its parameters are the names of the formula, the extents of the shape (none where
// the arrays are flat), `result` and `state`.
std::string reduction_source(const Reduction& reduction, const Shape& shape,
                             std::span<const kern_argument> arguments, bool flat);

} // namespace kern::algorithms
