// LLVM where memory ends: it knows no exceptions, so what can go wrong is held together here.
#pragma once

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace kern::emitting {

// Makes LLVM's targets known, and has it throw std::bad_alloc where it has no memory: it would end the process. Throws
// LlvmNotReady where that itself ran out of memory before.
void initialize_llvm();

// Lets go of code. That takes memory; without it, the code stays where it is.
void let_go(std::unique_ptr<llvm::orc::LLJIT> jit) noexcept;
// What that calls: a destructor where exceptions are known is taken for one that throws none.
void destroy(llvm::orc::LLJIT* jit);

} // namespace kern::emitting
