// The types that a device function of a .py file is compiled for: `@cuda.jit("int32(int32)", device=True)`. Numba makes
// no other code of it: what a call passes becomes these types, and what the function returns becomes the result's.
#pragma once

#include <optional>
#include <vector>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Reports, once, the signatures of a device function that cannot be read or have another number of parameters.
void check_declared(Context& context, const FunctionSymbol& function);

// Returns the signature that a call takes, the one whose types lie nearest to those of the arguments; null where the
// function declares none, or none takes them.
const DeclaredTypes* declared_types(Checker& checker, const FunctionSymbol& function,
                                    const std::vector<Value>& args);

// Converts numbers, and those in tuples, as Numba does: by a cast. Arrays and all else stay as they are, and so do constants
// that the function needs as constants.
Value as_declared(Checker& checker, Type type, const Value& value);

} // namespace kern::checker
