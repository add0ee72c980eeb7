// Tests whether sums and differences fit 32 bits.
#pragma once

#include <llvm/IR/PassManager.h>

namespace kern::emitting {

// Tests in 32 bits whether the sum or difference of two i32s fits one, which lower/ writes as it is meant, in 64: a GPU has
// these in two registers, and a CPU's vector holds half as many.
struct OverflowTestsPass : llvm::PassInfoMixin<OverflowTestsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace kern::emitting
