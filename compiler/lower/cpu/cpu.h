// Declares what the files of lower/ for a CPU share.
#pragma once

#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// ---- kernel.cpp ----
CpuKernelLayout lower_cpu_kernel(ModuleState& state, ir::FunctionId id, const LaneFacts& facts);

// ---- entry.cpp ----
// Make the function of a CPU kernel, and load its parameter block.
void make_cpu_entry(Lowerer& lower);
void load_params(Lowerer& lower);

// ---- blocks.cpp ----
// Copies of `where` what faults are reported with, since its block changes; returns how many blocks this call
// runs.
llvm::Value* begin_blocks(Lowerer& lower);
// Calls `body` once, to write the body of a loop over the rows along x in which this call runs blocks, and
// how many of each.
void for_each_row_of_blocks(Lowerer& lower, llvm::Value* blocks,
                            const std::function<void(llvm::Value* in_row)>& body);

// ---- segments.cpp ----
// Lowers what stands outside of segments, and the segments.
void lower_lockstep_body(Lowerer& lower, std::span<const ir::Stmt> body);

} // namespace kern::lowering
