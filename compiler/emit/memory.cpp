// Compiled with exceptions, unlike the rest of this folder. LLVM has no handlers, but tables to unwind its frames: what it
// had is lost, and it goes on with the next module. What it changes for the whole process it must not lose: that is done
// once, where there is room for it.
#include "compiler/emit/memory.h"

#include <execinfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/InitializePasses.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <new>

#include "compiler/emit/emit.h"

namespace kern {

const char* LlvmNotReady::what() const noexcept {
  return "the compiler ran out of memory when it was used first, and cannot be used in this process any more";
}

namespace emitting {

static void register_targets() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
}

// Passes of the code generator enter themselves in a registry where they are first made.
static void register_passes() {
  llvm::PassRegistry& passes = *llvm::PassRegistry::getPassRegistry();
  llvm::initializeCore(passes);
  llvm::initializeAnalysis(passes);
  llvm::initializeTransformUtils(passes);
  llvm::initializeScalarOpts(passes);
  llvm::initializeCodeGen(passes);
  llvm::initializeRegAllocScoringPass(passes);
  llvm::initializeTarget(passes);
}

// Functions of the C library by their names: a table that is made when one is first looked for.
static void list_functions() {
  llvm::LibFunc found;
  llvm::TargetLibraryInfoImpl(llvm::Triple(llvm::sys::getProcessTriple())).getLibFunc("sqrt", found);
}

void Once::run(const std::function<void()>& function) {
  std::lock_guard lock(mutex_);
  if (state_ == State::Ready) return;
  if (state_ == State::Begun) throw LlvmNotReady();
  constexpr std::size_t room = 16 << 20;
  ::operator delete(::operator new(room));
  state_ = State::Begun;
  function();
  state_ = State::Ready;
}

// LLVM's registries have locks, and what it makes once is guarded: an exception would leave both locked.
void initialize_llvm() {
  static Once once;
  once.run([] {
    llvm::remove_bad_alloc_error_handler();
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
    // The C library opens the unwinder when it first needs it, and ends the process where it cannot.
    void* frame = nullptr;
    backtrace(&frame, 1);
    register_targets();
    register_passes();
    list_functions();
  });
}

void let_go(std::unique_ptr<llvm::orc::LLJIT> jit) noexcept {
  try {
    destroy(jit.release());
  } catch (const std::bad_alloc&) {
    // Half of it is gone.
  }
}

} // namespace emitting
} // namespace kern
