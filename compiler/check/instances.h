// Instances of functions, one for each tuple of argument types, functions and constants.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Finds the names that a function binds.
void collect_names(Context& context, Instance& instance);
// Returns the instance for these arguments; null where a limit was met, which is reported.
Instance* find_instance(Context& context, const FunctionSymbol& function, std::vector<Value> args,
                        bool is_kernel, const Instance* caller, Span call_span);
// Returns text that tells arguments apart as instances do.
std::string key_of(std::span<const Value> args);
// Returns the symbol of one instance among several: "scale$f32$i32".
std::string instance_symbol(const Instance& instance);

} // namespace kern::checker
