// The lines of arrays along an axis. Kernels of module `along` take arrays of three axes, (outer, n, inner), and go along the middle
// one; results of one element a line have two.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/plans/table.h"

namespace kern::algorithms {

// Returns the axis that settings name, "AXIS=0"; nothing where there is none, so that all elements are one line.
std::optional<std::int64_t> axis_set(const Settings& settings);
// Returns the shape that a result has for the caller, a parameter of size Lines or OfLines.
std::vector<std::int64_t> shape_along(Size size, std::span<const std::int64_t> source,
                                      std::optional<std::int64_t> axis);
// Gives the arrays of an algorithm along an axis, of which the first says the shape, the axes that kernels take. What does not fit is an
// error with both sides.
void give_lines(const Algorithm& algorithm, std::span<kern_argument> arguments,
                std::optional<std::int64_t> axis);

} // namespace kern::algorithms
