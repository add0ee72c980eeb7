// Arrays of records at the top level of a .py file: `np.array([(1, 2.0)], dtype=t)`.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Makes such an array, a table, of nested tuples; nothing where they are no records of that type.
std::optional<Value> record_table(Checker& checker, const Value& value, Type record, Span span);

} // namespace kern::checker
