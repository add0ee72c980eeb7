// The optimiser's passes for each target.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/lower/target.h"

namespace kern::emitting {

// Optimises a module for a machine; with 0 as `optimization` it is left as it is, with 1 it gets only what
// takes a time in proportion to its length.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, Target target, int optimization);

} // namespace kern::emitting
