// Arrays and scalars as arguments of a launch: what is asked of them before it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kern/runtime.h"

namespace kern::algorithms {

inline bool is_array(const kern_argument& argument) { return argument.kind != KERN_SCALAR; }

// Returns the name of a type for kernels: "f32".
const char* type_name(std::uint32_t type);
// Returns the bytes of an element.
std::int64_t bytes_of(std::uint32_t type);
// Returns the type of a parameter: "f32[::1]". The elements of an array of one axis may lie side by side; then the kernel is told.
std::string parameter_type(const kern_argument& argument);

// Returns a shape for messages: "(3, 4)".
std::string text_of(std::span<const std::int64_t> extents);
// Returns how many elements there are.
std::int64_t count(std::span<const std::int64_t> extents);
// Returns a number as an argument, an i64.
kern_argument scalar_of(std::int64_t value);
// Returns an array that may be written, whose elements lie side by side, without its memory.
kern_argument dense_array(std::uint32_t type, std::span<const std::int64_t> extents);
// Says whether two arrays are the same memory from the same element on, in the same order.
bool is_same_array(const kern_argument& a, const kern_argument& b);
// Says whether the elements of an array lie side by side, in C order.
bool is_dense(const kern_argument& array);
// Returns the number of an axis, counted from the first one; a negative one counts from behind the last. There must be one.
std::size_t axis_of(std::int64_t axis, std::size_t rank);
// Gives such arrays one axis.
void flatten(std::span<kern_argument> arguments);

} // namespace kern::algorithms
