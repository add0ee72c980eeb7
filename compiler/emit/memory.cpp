// Compiled with exceptions, unlike the rest of this folder. LLVM has no handlers, but tables to unwind its frames: what it
// had is lost, and it goes on with the next module. What it changes for the whole process it must not lose: that is done
// once, where there is room for it.
#include "compiler/emit/memory.h"

#include <execinfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <atomic>
#include <new>
#include <utility>

#include "compiler/emit/emit.h"
#include "compiler/emit/tables.h"

namespace kern {

const char* LlvmNotReady::what() const noexcept {
  return "the compiler ran out of memory when it was used first, and cannot be used in this process any more";
}

const char* GpuCodeLost::what() const noexcept {
  return "the compiler ran out of memory while it made code for a GPU, and can make none in this process any "
         "more";
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

namespace {

std::atomic<bool> is_gpu_lost{false};

// Memory of a thread for what `new` does not find. Threads without one have the handler that the program set.
class Reserve {
public:
  Reserve() : bytes_(::operator new(size)) {
    std::lock_guard lock(mutex);
    if (count++ == 0) of_program = std::set_new_handler(release);
    mine = this;
  }
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  ~Reserve() {
    mine = nullptr;
    std::lock_guard lock(mutex);
    if (--count == 0 && std::get_new_handler() == release) std::set_new_handler(of_program);
    ::operator delete(bytes_);
  }

private:
  static constexpr std::size_t size = 16 << 20; // nobody writes to it, so the system gives no page for it

  // Returns where `new` is to look again.
  static void release() {
    if (Reserve* reserve = mine) {
      if (!reserve->bytes_) {
        is_gpu_lost = true;
        throw std::bad_alloc();
      }
      ::operator delete(std::exchange(reserve->bytes_, nullptr));
    } else if (const std::new_handler next = of_program) {
      next();
    } else {
      throw std::bad_alloc();
    }
  }

  static inline constinit std::mutex mutex;
  static inline unsigned count = 0;
  static inline std::atomic<std::new_handler> of_program{nullptr};
  static inline constinit thread_local Reserve* mine = nullptr;
  void* bytes_;
};

} // namespace

void run_for_gpu(const std::function<void()>& function) {
  if (is_gpu_lost) throw GpuCodeLost();
  const Reserve reserve;
  function();
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
