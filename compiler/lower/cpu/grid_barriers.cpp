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

// The block votes as at a barrier of its own.
static llvm::Value* vote_of_block(Lowerer& lower, const CustomCall& call, Builtin barrier,
                                  CustomFunction vote) {
  CustomCall own = call;
  own.builtin = barrier;
  return vote(lower, own);
}

llvm::Value* cpu_grid_barrier(Lowerer& lower, const CustomCall& call) {
  cpu_barrier(lower, call);
  meet(lower, lower.builder.getInt32(0));
  return nullptr;
}

llvm::Value* cpu_grid_barrier_count(Lowerer& lower, const CustomCall& call) {
  return meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsCount, cpu_barrier_count));
}

// Blocks that have left say nothing, so those are counted in which the condition does not hold for all.
llvm::Value* cpu_grid_barrier_and(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* own = vote_of_block(lower, call, Builtin::SyncthreadsAnd, cpu_barrier_and);
  llvm::Value* against = meet(lower, builder.CreateZExt(builder.CreateIsNull(own), builder.getInt32Ty()));
  return builder.CreateZExt(builder.CreateIsNull(against), builder.getInt32Ty());
}

llvm::Value* cpu_grid_barrier_or(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* blocks = meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsOr, cpu_barrier_or));
  return builder.CreateZExt(builder.CreateIsNotNull(blocks), builder.getInt32Ty());
}

} // namespace kern::lowering::vocabulary
