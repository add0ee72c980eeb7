// The kernel of a formula for arguments of certain types and axes, as source text.
#pragma once

#include <span>
#include <string>

#include "runtime/algorithms/shapes.h"

namespace kern::algorithms {

// Returns what the kernel calls the arguments: their names, but of those that its own code needs, as `grid`, others.
std::vector<std::string> kernel_names(const Formula& formula);
// Returns the element of an array at an index of the shape, which is one number where the arrays are flat; of a scalar its name.
std::string element_text(const std::string& name, const kern_argument& argument, const Axes& axes,
                         std::span<const std::string> index, bool flat);

// Returns a file with the kernel `elementwise`, whose parameters are the names of the formula. Flat: all arrays have one axis of
// the same size, side by side. Else threads go over the last axis in x and over the rows of the others in y.
std::string elementwise_source(const Formula& formula, const Shape& shape,
                               std::span<const kern_argument> arguments, bool flat);

} // namespace kern::algorithms
