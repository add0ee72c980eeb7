// Instances of functions, one for each tuple of argument types, functions and constants.
#pragma once

#include "compiler/check/core/checker.h"
#include "compiler/check/core/instance_names.h"

namespace kern::checker {

// Finds the names that a function binds.
void collect_names(Context& context, Instance& instance);
// Returns the instance for these arguments; null where a limit was met, which is reported.
Instance* find_instance(Context& context, const FunctionSymbol& function, std::vector<Value> args,
                        bool is_kernel, const Instance* caller, Span call_span);
} // namespace kern::checker
