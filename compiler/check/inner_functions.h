// Functions inside of the kernels and device functions of a .py file.
#pragma once

#include "compiler/check/calls.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// Checks the statement that defines one: its name is nothing else.
void check_inner_function(Checker& checker, const ast::FunctionDef& def);
// Returns the function of this name inside of the one that is checked; nothing where there is none.
std::optional<Value> inner_function(Checker& checker, std::string_view name, Span span);
// Adds to the arguments of a call the variables that the callee reads of the function around it. Returns false where
// that was reported.
bool add_captured(Checker& checker, const FunctionSymbol& callee, Args& args, Span span);

} // namespace kern::checker
