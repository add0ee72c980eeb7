// Types of Numba as values of the Python code that an overload is: what they are, their attributes, whether two are the
// same.
#pragma once

#include <optional>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns the type that an argument has for Numba, as a value: a tuple is one of types, a function stays itself. An error
// value where nothing is known of it.
Value type_of_argument(Checker& checker, const Value& argument);

// Returns a class of `numba.types` by its name, Integer or BaseTuple; nothing where it is none that is known.
std::optional<Value> type_class(std::string_view name, Span span);

// Says whether a type is of a class; nothing where the value is no type, or nobody knows.
std::optional<bool> is_of_class(const Value& type, std::string_view name);

// Returns an attribute that types of Numba have: x.dtype, x.ndim, x.count; nothing of anything else.
std::optional<Value> type_part(const Value& type, std::string_view name, Span span);

// Compares two types by `==`, `!=`, `is` or `is not`; nothing where they are none, an error value where nobody knows: layouts
// of arrays are not what Numba calls them.
std::optional<Value> compare_types(Checker& checker, ast::CompareOp op, const Value& left, const Value& right,
                                   Span span);

} // namespace kern::checker
