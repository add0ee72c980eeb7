// How a kernel's threads lie in vectors of lanes on the CPU.
#pragma once

#include "compiler/analysis/threads/shape.h"
#include "compiler/ir/ir.h"

namespace kern {

// Says whether a kernel, or what it calls, has warp collectives: its vectors are warps.
bool uses_warps(const ir::Module& module, const ir::Function& kernel);

// Returns the facts that code for a kernel is made under where `asked` are wanted: with warp collectives and
// more than one lane there are 32 along the linear thread id; where neighbouring threads may wait for each
// other there is one, since lanes wait together, and in very long kernels; a block that the kernel fixes says
// whether its rows are whole vectors.
LaneFacts kernel_lanes(const ir::Module& module, const ir::Function& kernel, LaneFacts asked);

} // namespace kern
