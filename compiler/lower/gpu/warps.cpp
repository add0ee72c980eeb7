// Shuffles and matches of a GPU's warps. The hardware moves 32 bits at a time.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/shared/lowering.h"

namespace kern::lowering::vocabulary {

// Moves one 32-bit word between lanes.
static llvm::Value* shuffle_word(Lowerer& lower, llvm::Intrinsic::ID id, llvm::Value* mask, llvm::Value* word,
                                 llvm::Value* lane) {
  llvm::Value* clamp = lower.builder.getInt32(id == llvm::Intrinsic::nvvm_shfl_sync_up_i32 ? 0 : 31);
  return lower.builder.CreateIntrinsic(id, {}, {mask, word, lane, clamp});
}

// Moves the bits of any scalar.
static llvm::Value* shuffle_bits(Lowerer& lower, llvm::Intrinsic::ID id, llvm::Value* mask,
                                 llvm::Value* value, llvm::Value* lane) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = value->getType();
  unsigned width = type->getPrimitiveSizeInBits();
  llvm::Value* bits = builder.CreateBitCast(value, builder.getIntNTy(width));
  if (width <= 32) {
    llvm::Value* moved = shuffle_word(lower, id, mask, builder.CreateZExt(bits, builder.getInt32Ty()), lane);
    return builder.CreateBitCast(builder.CreateTrunc(moved, builder.getIntNTy(width)), type);
  }
  llvm::Value* low = shuffle_word(lower, id, mask, builder.CreateTrunc(bits, builder.getInt32Ty()), lane);
  llvm::Value* high = builder.CreateTrunc(builder.CreateLShr(bits, 32), builder.getInt32Ty());
  high = shuffle_word(lower, id, mask, high, lane);
  llvm::Value* both = builder.CreateShl(builder.CreateZExt(high, builder.getInt64Ty()), 32);
  both = builder.CreateOr(both, builder.CreateZExt(low, builder.getInt64Ty()));
  return builder.CreateBitCast(both, type);
}

static llvm::Value* shuffle(Lowerer& lower, const CustomCall& call, llvm::Intrinsic::ID id, bool wraps) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* mask = read(lower, call.args[0]);
  llvm::Value* value = read(lower, call.args[1]);
  llvm::Value* lane = read(lower, call.args[2]);
  llvm::Value* moved = shuffle_bits(lower, id, mask, value, lane);
  // The hardware looks at the low five bits only; there is no lane 32 or more away.
  if (wraps) return moved;
  return builder.CreateSelect(builder.CreateICmpULT(lane, builder.getInt32(32)), moved, value);
}

llvm::Value* gpu_shuffle_index(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_idx_i32, true);
}
llvm::Value* gpu_shuffle_up(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_up_i32, false);
}
llvm::Value* gpu_shuffle_down(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_down_i32, false);
}
llvm::Value* gpu_shuffle_xor(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, true);
}

// The bits of a value in 32 or 64.
static llvm::Value* match_bits(Lowerer& lower, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned width = value->getType()->getPrimitiveSizeInBits();
  value = builder.CreateBitCast(value, builder.getIntNTy(width));
  return builder.CreateZExt(value, builder.getIntNTy(width <= 32 ? 32 : 64));
}

static llvm::Value* match(Lowerer& lower, const CustomCall& call, llvm::Intrinsic::ID narrow,
                          llvm::Intrinsic::ID wide) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* mask = read(lower, call.args[0]);
  llvm::Value* value = match_bits(lower, read(lower, call.args[1]));
  llvm::Value* result =
      builder.CreateIntrinsic(value->getType()->isIntegerTy(32) ? narrow : wide, {}, {mask, value});
  if (result->getType()->isStructTy()) result = builder.CreateExtractValue(result, 0);
  return builder.CreateZExtOrTrunc(result, builder.getInt32Ty());
}

llvm::Value* gpu_match_any(Lowerer& lower, const CustomCall& call) {
  return match(lower, call, llvm::Intrinsic::nvvm_match_any_sync_i32,
               llvm::Intrinsic::nvvm_match_any_sync_i64);
}
llvm::Value* gpu_match_all(Lowerer& lower, const CustomCall& call) {
  return match(lower, call, llvm::Intrinsic::nvvm_match_all_sync_i32p,
               llvm::Intrinsic::nvvm_match_all_sync_i64p);
}

} // namespace kern::lowering::vocabulary
