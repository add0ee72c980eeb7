// Values of a kernel as expressions that the host evaluates at each launch: contracts, shapes of dynamic
// shared arrays.
#pragma once

#include <optional>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns the expression over parameters, extents, blockDim and gridDim that computes an operand; nothing
// where it needs anything else.
std::optional<kern::Expression> host_expression(const Checker& checker, const ir::Operand& operand);

// The same for an extent of a dynamic shared array, which threads compute too: with integers alone.
std::optional<kern::Expression> host_extent(const Checker& checker, const ir::Operand& operand);

} // namespace kern::checker
