// Calls of functions, with their arguments bound to parameters.
#pragma once

#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// ---- calls.cpp ----
Value evaluate_call(Checker& checker, const ast::Call& expr);
std::optional<Args> evaluate_args(Checker& checker, const ast::Call& expr);
Value call_function(Checker& checker, const FunctionSymbol& callee, const Args& args, Span span);
std::optional<std::vector<Value>> bind_params(Checker& checker, const FunctionSymbol& callee,
                                              const Args& args, Span span);

} // namespace kern::checker
