// The layout of a kernel's parameter block, of 8-byte slots (docs/abi.md): a scalar takes one slot (c128
// two), an array of n axes 1 + 2n (base, extents, strides), last comes the launch record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Returns how many slots of the parameter block a scalar or array takes.
std::uint32_t block_slots(Type type);
// Returns the slot of the parameter block at which a parameter of the function begins.
std::uint32_t block_slot(const Function& function, SlotId param);
// Returns the words for each slot of a kernel's parameter block, as to_string(Expression) takes them: that of
// a parameter's first slot is its name, the others are "".
std::vector<std::string> block_names(const Function& function);

// Returns how an expression names a type; nothing where it knows none, as of f16.
std::optional<ExpressionType> expression_type(Type type);

// Make expressions over a launch: a number, an operation of two others, the extent or stride of an array parameter, a
// scalar parameter of a type that expressions know, and the extent of the block or the grid (BlockDim, GridDim) along an axis.
Expression constant_expression(std::int64_t value);
Expression binary_expression(ExpressionOp op, Expression left, Expression right);
Expression axis_expression(const Function& function, SlotId array, ExpressionOp op, int axis);
Expression scalar_expression(const Function& function, SlotId scalar);
Expression launch_expression(ExpressionOp op, std::int32_t axis);

} // namespace kern::ir
