// Arithmetic on constant operands: what the checker writes itself (clamped bounds, trip counts, casts of
// literals) should not leave arithmetic on constants behind, and a typed constant may be a shape.
#pragma once

#include <optional>

#include "compiler/ir/ir.h"

namespace kern::checker {

// Return the constant that an operation gives; nothing where an operand is no constant, or the result depends
// on more than IEEE arithmetic in f32 or f64.
std::optional<ir::Operand> fold_binary(ir::BinaryOp op, const ir::Operand& left, const ir::Operand& right);
std::optional<ir::Operand> fold_compare(ir::CompareOp op, const ir::Operand& left, const ir::Operand& right);
std::optional<ir::Operand> fold_convert(const ir::Operand& value, Type type);
// Returns an integer as a constant of an integer type, wrapped to its width.
ir::Operand wrapped(Type type, std::uint64_t bits);

} // namespace kern::checker
