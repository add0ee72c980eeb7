// The functions that Numba generates for the host alone to call, not for kernels. They have methods, as
// `add.reduce`, that are the host's as well.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns the function of a value that only the host calls; null where it is none.
const FunctionSymbol* host_ufunc(const Value& value);
// Reports that a kernel calls one, or asks it for an attribute; returns an error value.
Value report_host_call(Checker& checker, const FunctionSymbol& function, Span span);
Value report_host_attribute(Checker& checker, const FunctionSymbol& function, std::string_view name,
                            Span span);

} // namespace kern::checker
