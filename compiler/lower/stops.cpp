// Whether a launch is to end (transform/polls.cpp): a word that the host may set at any time, whose address is in
// the launch record. Where there is none, the record's own zero is read, so that there is no branch.
#include <cstddef>

#include "compiler/lower/lowerer.h"
#include "compiler/lower/lowering.h"
#include "kern/abi.h"

namespace kern::lowering {

llvm::Value* vocabulary::goes_on(Lowerer& lower, const CustomCall&) {
  llvm::IRBuilder<>& builder = lower.builder;
  // The host of a GPU cannot reach the record while the kernel runs.
  if (lower.gpu()) return builder.getTrue();
  auto field = [&](std::size_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), lower.record, offset);
  };
  constexpr std::size_t stop = offsetof(kern_launch_record, reserved);
  llvm::Value* given = builder.CreateLoad(builder.getPtrTy(), field(stop));
  llvm::Value* word =
      builder.CreateSelect(builder.CreateIsNull(given), field(offsetof(kern_launch_record, zero)), given);
  llvm::LoadInst* asked = builder.CreateAlignedLoad(builder.getInt64Ty(), word, llvm::Align(8));
  asked->setAtomic(llvm::AtomicOrdering::Monotonic);
  return builder.CreateIsNull(asked);
}

} // namespace kern::lowering
