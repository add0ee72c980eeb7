// Barriers of the grid on the CPU. All blocks run at once, so one may wait for the others: the runtime puts the block
// aside and runs the others. A block in which a thread has faulted does not come: no barrier after a fault is passed, and
// everybody leaves there.
#include "compiler/lower/shared/lowering.h"

namespace kern::lowering::vocabulary {

// Between segments: the runtime comes back here when all blocks have come, with the vote, or with a negative
// number where the block is to leave.
static llvm::Value* meet(Lowerer& lower, llvm::Value* count) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto* type =
      llvm::FunctionType::get(builder.getInt64Ty(), {builder.getPtrTy(), builder.getInt32Ty()}, false);
  llvm::Value* total = builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_grid_wait", type),
                                          {lower.record, count});
  llvm::BasicBlock* next = new_block(lower, "grid_next");
  builder.CreateCondBr(builder.CreateICmpSLT(total, builder.getInt64(0)), lower.return_block, next);
  builder.SetInsertPoint(next);
  return builder.CreateTrunc(total, builder.getInt32Ty());
}

llvm::Value* cpu_grid_barrier(Lowerer& lower, const CustomCall& call) {
  cpu_barrier(lower, call);
  meet(lower, lower.builder.getInt32(0));
  return nullptr;
}

llvm::Value* cpu_grid_barrier_count(Lowerer& lower, const CustomCall& call) {
  return count_in_grid(lower, call, meet);
}

llvm::Value* cpu_grid_barrier_and(Lowerer& lower, const CustomCall& call) {
  return all_in_grid(lower, call, meet);
}

llvm::Value* cpu_grid_barrier_or(Lowerer& lower, const CustomCall& call) {
  return any_in_grid(lower, call, meet);
}

} // namespace kern::lowering::vocabulary
