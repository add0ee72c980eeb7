// Which parameters of a device function a constant argument goes into as itself, and which literals need not.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Says whether a parameter is the shape or alignment of an array that the function makes, the index or bound by
// which it goes through a tuple, or such a parameter of a function that it calls.
bool needs_constant(Context& context, const FunctionSymbol& function, std::size_t param);

// Says whether a parameter is an index into a tuple that another parameter is given.
bool indexes_tuple(const FunctionSymbol& function, std::size_t param, const std::vector<Value>& args);

// Returns the arguments of a call, literals as numbers of the types that those of an earlier call became. The
// first call has an instance of its own as long as there is no other.
std::vector<Value> share_literals(Checker& checker, const FunctionSymbol& callee,
                                  const std::vector<Value>& values, Span span);

} // namespace kern::checker
