// Numbers the operations of the prover, so that equal ones on equal operands are one atom, and bounds the
// numbers that they give.
#pragma once

#include <cstdint>

#include "compiler/analysis/ranges.h"
#include "compiler/ir/ir.h"

namespace kern {

// The code of an operation: a group, an operator, the type.
enum class OperationGroup : std::uint32_t { Wrapped = 1, Exact, Converted };

inline std::uint32_t code_of(OperationGroup group, std::uint32_t op, Type type) {
  return static_cast<std::uint32_t>(group) << 16 | op << 8 | static_cast<std::uint32_t>(type->scalar);
}
inline std::uint32_t code_of(OperationGroup group, ir::BinaryOp op, Type type) {
  return code_of(group, static_cast<std::uint32_t>(op), type);
}

inline constexpr Wide largest_divisor = Wide{1} << 40; // that may be a coefficient

// The range of an exact operation on values of any type, and the range within which its atom is the exact
// result.
inline constexpr Interval unlimited{-(Wide{1} << 66), Wide{1} << 66};
inline constexpr Interval unclamped{-(Wide{1} << 65), Wide{1} << 65};

} // namespace kern
