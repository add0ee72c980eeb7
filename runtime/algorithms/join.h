// The kernels of what joins a formula's values by an operation, over all elements: reductions and scans, by the skeletons of the
// standard library, as source text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/algorithms/shapes.h"

namespace kern::algorithms {

enum class Join { Reduce, Scan };

struct Joining {
  Join join = Join::Reduce;
  Formula value;       // of an element
  std::string combine; // of `a` and `b`
  std::string start;   // of a reduction's result; with one a scan is exclusive; empty: none
};

// Reads the texts of one; an empty start is none.
Joining parse_joining(Join join, std::string_view value, std::string_view combine, std::string_view start);

// The name of the kernel.
const char* kernel_name(Join join);
// The parameter that has the extent of an axis of the shape.
std::string extent_name(std::size_t axis);
// The device functions of a source: `combine`, `value`, what a skeleton calls for a value, and `store`. `take` is the name of that
// function; it gets `sources`, whose parts have these names, and the number `i`, and returns the value of a number and elements.
std::string functions_source(const Joining& joining, const std::string& take, const std::string& sources,
                             const std::string& number, const std::string& elements);

// Returns a file with that kernel: its parameters are the names of the formula, the extents of the shape (none where the arrays
// are flat), the result and the state.
std::string join_source(const Joining& joining, const Shape& shape, std::span<const kern_argument> arguments,
                        bool flat);

} // namespace kern::algorithms
