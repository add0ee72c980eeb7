// Compiled with exceptions, unlike the rest of this folder. LLVM has no handlers, but tables to unwind its frames: what it
// had is lost, and it goes on with the next module. What it changes for the whole process it must not lose: that is done
// once, where there is room for it.
#include "compiler/emit/memory.h"

#include <execinfo.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/InitializePasses.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>
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

// Its registries have locks, which an exception would leave locked.
void initialize_llvm() {
  enum class State : std::uint8_t { New, Begun, Ready };
  static std::mutex mutex;
  static State state = State::New;
  std::lock_guard lock(mutex);
  if (state == State::Ready) return;
  if (state == State::Begun) throw LlvmNotReady();
  constexpr std::size_t room = 16 << 20;
  ::operator delete(::operator new(room));
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
  // The C library opens the unwinder when it first needs it, and ends the process where it cannot.
  void* frame = nullptr;
  backtrace(&frame, 1);
  state = State::Begun;
  register_targets();
  register_passes();
  state = State::Ready;
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
