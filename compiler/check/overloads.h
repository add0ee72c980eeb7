// The functions of numba.extending: `@overload(f)` above a function of Python that is given the types of a call's arguments
// and returns the function to compile in the place of `f`.
#pragma once

#include <optional>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns what a call of a function with an overload returns; nothing where its callee has none.
std::optional<Value> call_of_overload(Checker& checker, const ast::Call& call);

} // namespace kern::checker
