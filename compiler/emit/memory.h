// LLVM where memory ends: it knows no exceptions, so what can go wrong is held together here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace kern::emitting {

// Does what changes LLVM for the whole process, once, where there is room for it. Throws LlvmNotReady where that ran out of
// memory all the same, from then on.
class Once {
public:
  void run(const std::function<void()>& function);

private:
  enum class State : std::uint8_t { New, Begun, Ready };
  std::mutex mutex_;
  State state_ = State::New;
};

// Makes LLVM's targets known, and has it throw std::bad_alloc where it has no memory: it would end the process. Throws
// LlvmNotReady.
void initialize_llvm();

// Runs a part of LLVM that makes code for a GPU. It looks up again and again, under a lock of the process, which functions are
// kernels: an exception there would leave the lock taken, and other threads waiting for ever. So what `new` does not find while it
// runs comes from a reserve. Throws GpuCodeLost where that was not enough, from then on.
void run_for_gpu(const std::function<void()>& function);

// Lets go of code. That takes memory; without it, the code stays where it is.
void let_go(std::unique_ptr<llvm::orc::LLJIT> jit) noexcept;
// Destroys code, in a file that knows no exceptions: in one that does, a destructor is taken for one that
// throws none.
void destroy(llvm::orc::LLJIT* jit);

} // namespace kern::emitting
