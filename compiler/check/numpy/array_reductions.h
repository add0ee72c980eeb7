// The reductions of NumPy over all elements of an array: `np.sum(x)`, `x.mean()`, `np.nanmax(x)`, with the types that Numba
// gives them.
#pragma once

#include <string_view>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns the name of a reduction as the table has it; "" where it is none, or no method but one is wanted.
std::string_view reduction_name(std::string_view name, bool as_method);

// Reduces an array.
Value call_reduction(Checker& checker, std::string_view name, const Value& array, Span span);

} // namespace kern::checker
