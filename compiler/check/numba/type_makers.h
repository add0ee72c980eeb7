// What makes a type of its arguments: `Array(float32, 1, 'C')`.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

Value call_type_maker(Checker& checker, const Value& maker, const Args& args, Span span);

// Returns the type that a value means as one: a type, None, a tuple of types.
std::optional<Type> type_of_value(Checker& checker, const Value& value);
// Returns what a name of `numba.types` is that is no scalar: None, or what makes a type of its arguments.
std::optional<Value> type_maker(std::string_view name, Span span);

} // namespace kern::checker
