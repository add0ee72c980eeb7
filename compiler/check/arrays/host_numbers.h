// Constant arrays: a small one is a nested tuple as a value, a large one is in a table of the module.
#pragma once

#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/number_as.h"
#include "compiler/values/arrays.h"

namespace kern::checker {

// Returns the extents of a nested tuple or of a table.
Extents extents_of(const Value& value);
// Returns the type that NumPy gives a number that has none.
Type type_of_number(const Value& number);

// Returns the numbers of an array, and an array of numbers.
Numbers numbers_of(const Value& array);
Value array_value(Checker& checker, Numbers numbers, Span span);

// Returns a part of an array by constant indices and slices, an axis each.
Value array_part(Checker& checker, const Value& array, const ast::Subscript& expr,
                 const std::vector<IndexPart>& parts);

// Returns a constant array as a function reads it: an array of constant memory.
Value read_table(Checker& checker, const Value& array, Span span);
} // namespace kern::checker
