// The optimiser's passes for each target.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/lower/target.h"

namespace kern::emitting {

// Optimises a module for a machine; with optimization 0 it is left as it is.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, const TargetOptions& options);

} // namespace kern::emitting
