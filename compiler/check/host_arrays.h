// NumPy arrays at the top level of a .py file: nested tuples of constants whose type is that of the elements.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether a value is an array of constants.
inline bool is_constant_array(const Value& value) { return is_tuple(value) && is_scalar(value.type); }

// Returns a constant number in a type; nothing where that does not hold it.
std::optional<Value> constant_as(const Value& number, Type type, Span span);

// Returns the array that a call makes, `np.zeros(4)` or `a.astype(np.float32)`; nothing where the callee makes none.
std::optional<Value> array_call(Checker& checker, const ast::Call& call);
// Returns what an operator gives, element by element, an operand repeated along the axes that it has not.
Value array_binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span);
Value array_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span);
// Returns a part of an array by constant indices and slices, an axis each.
Value array_part(Checker& checker, const Value& array, const ast::Subscript& expr,
                 const std::vector<Value>& indices);

} // namespace kern::checker
