// Runs a kernel whose blocks wait for each other at barriers of the grid.
#pragma once

#include "runtime/cpu/pool.h"

namespace kern::cpu {

// More blocks than any GPU runs at once. (A stack takes two of the 65,530 mappings that a process may have.)
inline constexpr std::uint64_t most_cooperative_blocks = 8'192;

// Returns the bytes of memory for scratch and stacks of all its blocks.
std::uint64_t cooperative_bytes(const Launch& launch);

// Runs every block of a launch of at most `most_cooperative_blocks` and returns; false where there is no
// memory for scratch and a stack for each of them, and then nothing has run.
bool run_cooperative(Pool& pool, const Launch& launch);

} // namespace kern::cpu
