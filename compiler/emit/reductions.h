// Atomic operations whose result nobody takes.
#pragma once

#include <llvm/IR/PassManager.h>

namespace kern::emitting {

// Makes `red` of PTX of what changes global memory and returns nothing, which a multiprocessor does not wait for. LLVM
// writes `atom`, and ptxas makes the other of it only in a kernel that calls nothing, so not where guards report.
struct ReductionsPass : llvm::PassInfoMixin<ReductionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace kern::emitting
