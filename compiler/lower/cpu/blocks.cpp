// A call of a CPU kernel runs several blocks, x fastest. Those of a row lie in a loop of their own, so that
// what follows from the row alone is computed once for it.
#include <cstddef>

#include "compiler/lower/cpu/cpu.h"
#include "kern/abi.h"

namespace kern::lowering {

llvm::Value* begin_blocks(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* from = lower.place.where;
  constexpr std::uint64_t copied = offsetof(kern_where, first_row);
  auto* words = llvm::ArrayType::get(builder.getInt32Ty(), copied / 4);
  lower.place.where = entry_alloca(lower, words, "where");
  builder.CreateMemCpy(lower.place.where, llvm::Align(4), from, llvm::Align(4), copied);
  llvm::Value* field =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), from, offsetof(kern_where, blocks));
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, builder.CreateLoad(builder.getInt32Ty(), field),
                                       i32(lower.state, 1));
}

void for_each_row_of_blocks(Lowerer& lower, llvm::Value* blocks,
                            const std::function<void(llvm::Value* in_row)>& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  Place& place = lower.place;
  llvm::Value* first[] = {place.block[0], place.block[1], place.block[2]};
  llvm::Value *zero = builder.getInt32(0), *one = builder.getInt32(1);
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* head = new_block(lower, "row_of_blocks");
  enter(lower, head);
  llvm::PHINode* left = builder.CreatePHI(builder.getInt32Ty(), 2, "left");
  left->addIncoming(blocks, before);
  llvm::PHINode* block[3];
  for (int axis = 0; axis < 3; ++axis) {
    place.block[axis] = block[axis] = builder.CreatePHI(builder.getInt32Ty(), 2, "block");
    block[axis]->addIncoming(first[axis], before);
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    builder.CreateStore(block[axis],
                        builder.CreateConstInBoundsGEP1_64(builder.getInt32Ty(), place.where,
                                                           offsetof(kern_where, block) / 4 + axis));
  llvm::Value* in_row =
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, builder.CreateSub(place.grid[0], block[0]));
  body(in_row);
  llvm::Value* y = builder.CreateAdd(block[1], one);
  llvm::Value* ends = builder.CreateICmpEQ(y, place.grid[1]);
  llvm::Value* rest = builder.CreateSub(left, in_row);
  llvm::Value* next[] = {zero, builder.CreateSelect(ends, zero, y),
                         builder.CreateAdd(block[2], builder.CreateZExt(ends, builder.getInt32Ty()))};
  llvm::BasicBlock* last = builder.GetInsertBlock();
  left->addIncoming(rest, last);
  for (int axis = 0; axis < 3; ++axis) block[axis]->addIncoming(next[axis], last);
  llvm::BasicBlock* done = new_block(lower, "blocks_done");
  forbid_unrolling(lower, builder.CreateCondBr(builder.CreateIsNull(rest), done, head));
  builder.SetInsertPoint(done);
  std::copy(std::begin(first), std::end(first), place.block);
}

} // namespace kern::lowering
