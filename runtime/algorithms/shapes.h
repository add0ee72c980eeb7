// The arrays of a one-line kernel beside each other: how their axes meet, by NumPy's rules of broadcasting.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kern/runtime.h"
#include "runtime/algorithms/formula.h"
#include "runtime/plans/arrays.h"

namespace kern::algorithms {

// How an array lies under the common shape.
struct Axes {
  std::uint32_t skipped = 0;     // axes of the shape in front that it does not have
  std::vector<bool> is_repeated; // of its own axes: extent 1 where the shape has more
};

struct Shape {
  std::vector<std::int64_t> extents;
  std::vector<Axes> arrays; // by argument; of a scalar nothing is said
};

// Refuses arguments that do not suit the names: another number, results that are scalars or may not be written, arrays that are
// read but not copied to the device.
void check_arguments(const Formula& formula, std::span<const kern_argument> arguments);

// Returns the shape that all arrays have in common. Results have it themselves. What does not fit is an error with both sides.
Shape common_shape(const Formula& formula, std::span<const kern_argument> arguments);

// Refuses results that share elements with another array, but for one that is the same array.
void check_overlaps(const Formula& formula, std::span<const kern_argument> arguments);

// Says whether all arrays have the shape itself and their elements lie side by side, so that one axis does.
bool is_flat(const Shape& shape, std::span<const kern_argument> arguments);

} // namespace kern::algorithms
