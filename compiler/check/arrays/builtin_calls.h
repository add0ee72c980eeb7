// Calls of builtins by their signatures, and of those that other IR is written for.
#pragma once

#include "compiler/builtins/signature.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// ---- builtins.cpp ----
Value builtin_value(Checker& checker, Builtin builtin, Span span); // threadIdx.x, laneid, math.pi
Value call_builtin(Checker& checker, Builtin builtin, const ast::Call& expr, const Args& args);
Value call_by_signature(Checker& checker, Builtin builtin, const Args& given, Span span);
Value match_and_call(Checker& checker, Builtin builtin, const Args& args, Span span);
// In a .kern file an integer among arguments of one type takes that of the floats beside it.
Args arguments_beside_floats(Checker& checker, Builtin builtin, Args args);
std::optional<BuiltinMatch> match_builtin(Checker& checker, Builtin builtin, const Args& args, Span span);
ir::Operand builtin_operand(Checker& checker, Builtin builtin, const BoundArgument& bound,
                            const std::vector<Value>& values, Span other = {});

// ---- sequences.cpp ----
Value call_sequence(Checker& checker, Builtin builtin, const Value& items, const std::optional<Value>& start,
                    Span span); // sequences.cpp: sum, any, all, reversed

// ---- intrinsics.cpp ----
Value call_syntax(Checker& checker, Builtin builtin, const ast::Call& expr, const Args& args);

// ---- arrays.cpp ----
Value make_array(Checker& checker, Builtin builtin, const ast::Call& expr, const BuiltinMatch& match,
                 const std::vector<Value>& values);

} // namespace kern::checker
