// The warning that code is too long to be optimised well, with what made it long.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"

namespace kern::emitting {

// Reports each function of a module that is large, once: its code is made for several machines.
void report_large(const llvm::Module& code, Target target, const ir::Module& module,
                  const SourceManager& sources, Diagnostics& diagnostics);

} // namespace kern::emitting
