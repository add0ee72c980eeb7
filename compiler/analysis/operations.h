// How much a thread of a kernel does, for whoever decides if others are worth waking for a launch.
#pragma once

#include <cstdint>

#include "compiler/ir/ir.h"

namespace kern {

// Returns about how many operations a thread does, from 1 to `most_operations`, both branches of an `if` counted;
// 0 where that is not known before the launch, as where an argument or memory says how often a loop goes round.
std::uint32_t count_operations(const ir::Module& module, const ir::Function& kernel);

inline constexpr std::uint32_t most_operations = 65'535;

} // namespace kern
