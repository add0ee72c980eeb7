// Votes of a grid: each block votes as at a barrier of its own, and then the blocks add what came of it.
#include "compiler/lower/shared/lowering.h"

namespace kern::lowering {

static llvm::Value* vote_of_block(Lowerer& lower, const CustomCall& call, Builtin barrier) {
  CustomCall own = call;
  own.builtin = barrier;
  return lower_recipe(lower, own);
}

llvm::Value* count_in_grid(Lowerer& lower, const CustomCall& call, MeetBlocks meet) {
  return meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsCount));
}

// Blocks that have left say nothing, so those are counted in which the condition does not hold for all.
llvm::Value* all_in_grid(Lowerer& lower, const CustomCall& call, MeetBlocks meet) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* own = vote_of_block(lower, call, Builtin::SyncthreadsAnd);
  llvm::Value* against = meet(lower, builder.CreateZExt(builder.CreateIsNull(own), builder.getInt32Ty()));
  return builder.CreateZExt(builder.CreateIsNull(against), builder.getInt32Ty());
}

llvm::Value* any_in_grid(Lowerer& lower, const CustomCall& call, MeetBlocks meet) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* blocks = meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsOr));
  return builder.CreateZExt(builder.CreateIsNotNull(blocks), builder.getInt32Ty());
}

} // namespace kern::lowering
