// The types that strings name.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns the type that a string names, as NumPy has it; any other value as it is.
Value as_dtype(Checker& checker, const Value& value);

} // namespace kern::checker
