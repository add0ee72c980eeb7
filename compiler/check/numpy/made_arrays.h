// `np.empty(n)`, `np.zeros((2, 3), np.float32)`, `np.full_like(x, 1)` in a kernel: a local array where the shape is known. Numba
// takes them of its run-time allocator, where that is switched on.
#pragma once

#include <string_view>

#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns the name of a function that makes an array as the table has it; "" where it makes none.
std::string_view made_array_name(std::string_view name);

// Makes the array.
Value call_made_array(Checker& checker, std::string_view name, const Args& args, Span span);

} // namespace kern::checker
