// Top-level code of a .py file is Python: integers have no limit but that of WideInt, `/` of two of them is a
// float, math.floor gives an int; numbers with a NumPy type compute as NumPy's scalars do.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether an expression is Python's to compute: it stands outside of functions, in a .py file.
bool is_python(const Checker& checker);
// Return what an operation on constant numbers gives, an error value where Python raises or the result has
// too many bits, nothing where Python's rule is that of the language.
std::optional<Value> python_binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                                   Span span);
std::optional<Value> python_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span);
// Returns x ** 2, x ** 0.5 and x ** -1 of an element of an array, which NumPy makes by a product, a root and
// a quotient; nothing where it does not.
std::optional<ir::Operand> numpy_array_power(const Value& element, const Value& exponent);
std::optional<Value> python_compare(ast::CompareOp op, const Value& left, const Value& right, Span span);
std::optional<Value> python_cast(Checker& checker, Type type, bool is_own, const Value& value, Span span);
// `is_numpy` where the function was called by a name of numpy.
std::optional<Value> python_call(Checker& checker, Builtin builtin, bool is_numpy,
                                 const std::vector<Value>& args, Span span);

} // namespace kern::checker
