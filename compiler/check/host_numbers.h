// Constant arrays: a small one is a nested tuple as a value, a large one is in a table of the module.
#pragma once

#include "compiler/check/checker.h"
#include "compiler/check/places.h"
#include "compiler/values/arrays.h"

namespace kern::checker {

// Says whether a value is an array of constant numbers.
inline bool is_constant_array(const Value& value) {
  return (is_tuple(value) || value.kind == ValueKind::Table) && is_scalar(value.type);
}
// Returns the extents of a nested tuple or of a table.
Extents extents_of(const Value& value);
// Returns a constant in another type; nothing where it is complex and the type is not.
std::optional<ir::Operand> operand_as(const ir::Operand& operand, Type type);
// Returns a constant number as an operand of a type; nothing where that does not hold it.
std::optional<ir::Operand> number_as(const Value& number, Type type);
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
