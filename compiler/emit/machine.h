// The machines that code is made for: LLVM's target machines, made once a thread and kept, because making one
// costs more than compiling a small kernel.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <string>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/lower/target.h"

namespace kern::emitting {

// Returns the machine that the options name; null, and reported, where there is no such one.
llvm::TargetMachine* find_machine(const TargetOptions& options, Diagnostics& diagnostics);

// Returns "sm_80" for "sm_80" and for no name, what the JIT compiles for where nothing is named.
std::string gpu_arch(const TargetOptions& options);

} // namespace kern::emitting
