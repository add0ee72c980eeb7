// Warps: lanes, shuffles and matches. The GPU moves 32 bits at a time.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering::vocabulary {

// ---- GPU ----

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
  if (lower.is_vector()) return lower_warp_builtin(lower, call);
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* mask = read(lower, call.args[0]);
  llvm::Value* value = read(lower, call.args[1]);
  llvm::Value* lane = read(lower, call.args[2]);
  assert(lower.gpu() && "one lane has no warp");
  llvm::Value* moved = shuffle_bits(lower, id, mask, value, lane);
  // The hardware looks at the low five bits only; there is no lane 32 or more away.
  if (wraps) return moved;
  return builder.CreateSelect(builder.CreateICmpULT(lane, builder.getInt32(32)), moved, value);
}

llvm::Value* shuffle_index(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_idx_i32, true);
}
llvm::Value* shuffle_up(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_up_i32, false);
}
llvm::Value* shuffle_down(Lowerer& lower, const CustomCall& call) {
  return shuffle(lower, call, llvm::Intrinsic::nvvm_shfl_sync_down_i32, false);
}
llvm::Value* shuffle_xor(Lowerer& lower, const CustomCall& call) {
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
  if (lower.is_vector()) return lower_warp_builtin(lower, call);
  llvm::IRBuilder<>& builder = lower.builder;
  assert(lower.gpu() && "one lane has no warp");
  llvm::Value* mask = read(lower, call.args[0]);
  llvm::Value* value = match_bits(lower, read(lower, call.args[1]));
  llvm::Value* result =
      builder.CreateIntrinsic(value->getType()->isIntegerTy(32) ? narrow : wide, {}, {mask, value});
  if (result->getType()->isStructTy()) result = builder.CreateExtractValue(result, 0);
  return builder.CreateZExtOrTrunc(result, builder.getInt32Ty());
}

llvm::Value* match_any(Lowerer& lower, const CustomCall& call) {
  return match(lower, call, llvm::Intrinsic::nvvm_match_any_sync_i32,
               llvm::Intrinsic::nvvm_match_any_sync_i64);
}
llvm::Value* match_all(Lowerer& lower, const CustomCall& call) {
  return match(lower, call, llvm::Intrinsic::nvvm_match_all_sync_i32p,
               llvm::Intrinsic::nvvm_match_all_sync_i64p);
}

// ---- CPU: the driver refuses warp collectives with one lane; a place in a warp is known all the same ----

// Returns the place of a thread in its warp. It is 0 in the first lane where lanes are warps; elsewhere a row
// may begin anywhere in a warp.
llvm::Value* lane_id(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Place& place = lower.place;
  llvm::Value* row =
      builder.CreateAdd(builder.CreateMul(place.thread[2], place.block_dim[1]), place.thread[1]);
  llvm::Value* linear = builder.CreateAdd(builder.CreateMul(row, place.block_dim[0]), place.thread[0]);
  if (lower.lanes.linear_id) linear = lower.lanes.linear_id;
  if (call.form == Form::Vector) linear = to_vector(lower, {linear, linear_shape(1)});
  return builder.CreateAnd(linear, llvm::ConstantInt::get(linear->getType(), 31));
}

static llvm::Value* lane_bit(Lowerer& lower, const CustomCall& call) {
  llvm::Value* lane = lane_id(lower, call);
  return lower.builder.CreateShl(llvm::ConstantInt::get(lane->getType(), 1), lane);
}

llvm::Value* lane_mask_below(Lowerer& lower, const CustomCall& call) {
  llvm::Value* bit = lane_bit(lower, call);
  return lower.builder.CreateSub(bit, llvm::ConstantInt::get(bit->getType(), 1));
}

static llvm::Value* of_warp(Lowerer& lower, const CustomCall& call) {
  assert(lower.is_vector() && "one lane has no warp");
  return lower_warp_builtin(lower, call);
}

llvm::Value* active_mask(Lowerer& lower, const CustomCall& call) {
  return lower.lane_count() == 32 ? of_warp(lower, call) : lane_bit(lower, call);
}
llvm::Value* warp_barrier(Lowerer& lower, const CustomCall& call) { return of_warp(lower, call); }
llvm::Value* vote_all(Lowerer& lower, const CustomCall& call) { return of_warp(lower, call); }
llvm::Value* vote_any(Lowerer& lower, const CustomCall& call) { return of_warp(lower, call); }
llvm::Value* vote_equal(Lowerer& lower, const CustomCall& call) { return of_warp(lower, call); }
llvm::Value* vote_ballot(Lowerer& lower, const CustomCall& call) { return of_warp(lower, call); }

} // namespace kern::lowering::vocabulary
