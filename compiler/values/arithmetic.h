// Arithmetic of numbers that have no type, as Python has it, and what an operator that is written is in IR.
#pragma once

#include <optional>

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

} // namespace kern::values
