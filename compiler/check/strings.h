// Strings that Python makes of constants outside of functions, as a signature is: "void(%s[:])" % T.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Returns what `+`, `*` and `%` make of a string; nothing where they make none of these values.
std::optional<Value> string_operation(Checker& checker, ast::BinaryOp op, const Value& left,
                                      const Value& right, Span span);

// Returns a method of a string, `format` or `join`; nothing where it is another one.
std::optional<Value> string_method(const Value& string, std::string_view name, Span span);
Value call_string_method(Checker& checker, const Value& method, const Checker::Args& args, Span span);

} // namespace kern::checker
