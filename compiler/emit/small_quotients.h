// Quotients of small integers in vectors.
#pragma once

#include <llvm/IR/PassManager.h>

namespace kern::emitting {

// Divides in f32 what lower/ divides in f64, where all integers that may be divided are small enough for it:
// numbers that were 16 bits, say. A vector of f32 holds twice as many.
struct SmallQuotientsPass : llvm::PassInfoMixin<SmallQuotientsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace kern::emitting
