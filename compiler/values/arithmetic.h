// Arithmetic of numbers that have no type, as Python has it, and what an operator that is written is in IR.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "compiler/ast/ast.h"
#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::values {

bool is_shift(ast::BinaryOp op);
bool is_bitwise(ast::BinaryOp op); // & | ^

// Returns the operation of IR that an operator is; not for `**` and `@`, which are none.
ir::BinaryOp ir_op(ast::BinaryOp op);

// Returns what an operation on integers gives; nothing where it has more bits than a WideInt, is no integer, or
// has no value in Python.
std::optional<WideInt> integer_operation(ast::BinaryOp op, WideInt left, WideInt right);

// Returns what an operation on floats gives, computed in f64 as the code does it; nothing where it has no meaning.
std::optional<double> real_operation(ast::BinaryOp op, double left, double right);

// Returns the same as Python computes it; nothing where it raises: for a division by zero, and a power that is too large.
std::optional<double> python_operation(ast::BinaryOp op, double left, double right);

// Returns the quotient of two integers, rounded once, however many bits they have: as an integer of 55 bits at
// least, whose last one says as well whether there is a rest.
double quotient(WideInt left, WideInt right);

// Compares an integer with a float exactly: -1, 0 or 1.
int order_of(WideInt integer, double real);

// Rounds as Python does: the decimal expansion, half to even, and not a product.
double rounded_decimal(double value, int digits);

// Returns what a function of `math`, or of NumPy by its name there, gives for its floats; nothing where it is none of those.
std::optional<double> real_function(std::string_view name, bool is_numpy, std::span<const double> x);

} // namespace kern::values
