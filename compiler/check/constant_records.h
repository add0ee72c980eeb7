// Arrays of records at the top level of a .py file: `np.array([(1, 2.0)], dtype=t)`.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether a value is such an array, as a constant of a module: a function reads it as an array of constant memory.
inline bool is_record_table(const Value& value) { return is_tuple(value) && is_record_array(value.type); }
// Makes one of nested tuples; nothing where they are no records of that type.
std::optional<Value> record_table(Checker& checker, const Value& value, Type record, Span span);
// Returns it as an array.
Value read_record_table(Checker& checker, const Value& table, std::string_view name, Span span);

} // namespace kern::checker
