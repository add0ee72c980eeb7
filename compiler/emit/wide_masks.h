// Masks of vectors on CPUs without registers for them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace kern::emitting {

// Keeps masks as vectors of words, all ones or zero, and compares them with zero where LLVM wants bits.
struct WideMasksPass : llvm::PassInfoMixin<WideMasksPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace kern::emitting
