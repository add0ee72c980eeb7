// Calls of device functions where a constant of a module is made: the compiler runs the function.
#pragma once

#include <map>

#include "compiler/check/calls.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// A function being run with constants, and the values that its names have now.
struct ConstantFrame {
  const FunctionSymbol& function;
  std::map<std::string_view, Value> names;
};

// Returns what a device function of a .kern file returns for constants; an error, reported, where that is not known before the program
// runs. Nothing of a function that cannot be called so.
std::optional<Value> constant_call(Checker& checker, const FunctionSymbol& callee, const Args& args,
                                   Span span);

} // namespace kern::checker
