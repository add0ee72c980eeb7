// Quotients of integers that go through a double and become an integer again.
#pragma once

#include <llvm/IR/PassManager.h>

namespace kern::emitting {

// Makes divisions of integers of what a program writes as `int(a / b)`. A GPU divides doubles in some thirty
// instructions, and integers of 32 bits in half of them, or by a constant in three.
struct IntegerQuotientsPass : llvm::PassInfoMixin<IntegerQuotientsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace kern::emitting
