// Declares what the files of lower/ for a GPU share.
#pragma once

#include "compiler/lower/shared/lowering.h"

namespace kern::lowering {

// ---- kernel.cpp ----
void lower_gpu_kernel(ModuleState& state, ir::FunctionId id, const LaneFacts& facts);

// ---- collectives.cpp ----
// Returns the number of a thread in its block, an i32.
llvm::Value* gpu_thread_number(llvm::IRBuilder<>& builder);

// ---- grid_barriers.cpp ----
// Emit what a kernel does at its beginning, and a thread that returns from it, where others may come to a barrier of the
// grid behind that.
void begin_grid_kernel(Lowerer& lower);
void leave_grid(Lowerer& lower);

// ---- stops.cpp ----
// A thread of a kernel whose launches may be stopped asks before it does anything. (On a CPU whoever hands out blocks
// does.)
void poll_at_start(Lowerer& lower);

} // namespace kern::lowering
