// The one evaluator of constants: every operation gives what the code that lower/ writes for it gives, bit
// for bit, so that it does not matter what the compiler happens to know. Functions with error bounds are not
// here: their value depends on the device.
#pragma once

#include <optional>
#include <span>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::values {

// Return the constant that an operation gives; nothing where an operand is no constant.
std::optional<ir::Operand> fold_unary(ir::UnaryOp op, const ir::Operand& value);
std::optional<ir::Operand> fold_binary(ir::BinaryOp op, const ir::Operand& left, const ir::Operand& right);
std::optional<ir::Operand> fold_compare(ir::CompareOp op, const ir::Operand& left, const ir::Operand& right);
std::optional<ir::Operand> fold_convert(const ir::Operand& value, Type type);
// Returns what a builtin that is exactly defined gives as a `result`; nothing for any other one.
std::optional<ir::Operand> fold_builtin(Builtin builtin, Type result, std::span<const ir::Operand> args);

// Returns an integer as a constant of an integer type, wrapped to its width.
ir::Operand wrapped(Type type, std::uint64_t bits);
// Returns an integer as a constant of any scalar type: wrapped, or rounded once.
ir::Operand constant_of(Type type, WideInt value);
// Return x // y and x % y of doubles.
double real_floor_divide(double left, double right);
double real_floor_modulo(double left, double right);
// Returns the lesser or the greater of doubles: a NaN loses, -0.0 is less than 0.0.
double extreme(bool greatest, double left, double right);

} // namespace kern::values
