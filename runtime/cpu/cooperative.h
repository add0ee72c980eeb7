// Runs a kernel whose blocks wait for each other at barriers of the grid.
#pragma once

#include "runtime/cpu/pool.h"

namespace kern::cpu {

// As many blocks as any GPU runs at once, and more.
inline constexpr std::uint64_t most_cooperative_blocks = 16'384;

// Runs every block of a launch of at most `most_cooperative_blocks` and returns; false where there is no
// memory for scratch and a stack for each of them, and then nothing has run.
bool run_cooperative(Pool& pool, const Launch& launch);

} // namespace kern::cpu
