// NumPy's functions and methods that make arrays at the top level of a .py file (host_numbers.h).
#pragma once

#include "compiler/check/host_numbers.h"

namespace kern::checker {

// Returns the array that a call makes, `np.zeros(4)` or `a.astype(np.float32)`; nothing where the callee makes none.
std::optional<Value> array_call(Checker& checker, const ast::Call& call);

} // namespace kern::checker
