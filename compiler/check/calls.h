// Calls of functions, with their arguments bound to parameters.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// The arguments of a call, evaluated.
struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> keywords;
  std::vector<Span> keyword_spans;
};

// ---- calls.cpp ----
Value evaluate_call(Checker& checker, const ast::Call& expr);
std::optional<Args> evaluate_args(Checker& checker, const ast::Call& expr);
Value call_function(Checker& checker, const FunctionSymbol& callee, const Args& args, Span span);
std::optional<std::vector<Value>> bind_params(Checker& checker, const FunctionSymbol& callee,
                                              const Args& args, Span span);

// ---- type_makers.cpp ----
Value call_type_maker(Checker& checker, const Value& maker, const Args& args, Span span); // type_makers.cpp

} // namespace kern::checker
