// Which parameters of a device function a constant argument goes into as itself.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether a parameter is the shape or alignment of an array that the function makes, the index or bound by
// which it goes through a tuple, or such a parameter of a function that it calls.
bool needs_constant(Context& context, const FunctionSymbol& function, std::size_t param);

// Says whether a parameter is an index into a tuple that another parameter is given.
bool indexes_tuple(const FunctionSymbol& function, std::size_t param, const std::vector<Value>& args);

} // namespace kern::checker
