// Whether a launch of the CPU is to end (transform/polls.cpp): a word that the host may set at any time, whose address is in
// the launch record. It is read each time: it stays in the cache until it is set. Where there is none, the record's own
// zero is read, so that there is no branch.
#include <cstddef>

#include "compiler/lower/shared/lowering.h"
#include "kern/abi.h"

namespace kern::lowering {

llvm::Value* vocabulary::cpu_goes_on(Lowerer& lower, const CustomCall&) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto field = [&](std::size_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), lower.record, offset);
  };
  constexpr std::size_t stop = offsetof(kern_launch_record, reserved);
  llvm::LoadInst* given = builder.CreateLoad(builder.getPtrTy(), field(stop));
  // It stays while the launch runs: the load can leave every loop.
  given->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(lower.state.context, {}));
  llvm::Value* word =
      builder.CreateSelect(builder.CreateIsNull(given), field(offsetof(kern_launch_record, zero)), given);
  llvm::LoadInst* asked = builder.CreateAlignedLoad(builder.getInt64Ty(), word, llvm::Align(8));
  asked->setAtomic(llvm::AtomicOrdering::Monotonic);
  return builder.CreateIsNull(asked);
}

} // namespace kern::lowering
