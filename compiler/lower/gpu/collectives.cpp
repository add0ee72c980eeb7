// Barriers of a block on a GPU, with and without a vote. A whole warp votes in the barrier; where a warp may come in
// parts, votes are counted in shared memory.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/gpu/gpu.h"

namespace kern::lowering {

llvm::Value* gpu_thread_number(llvm::IRBuilder<>& builder) {
  auto read = [&](Field field) { return read_register(builder, field); };
  llvm::Value* row = builder.CreateMul(read(Field::thread_z), read(Field::block_dim_y));
  row = builder.CreateAdd(row, read(Field::thread_y));
  llvm::Value* number = builder.CreateMul(row, read(Field::block_dim_x));
  return builder.CreateAdd(number, read(Field::thread_x));
}

namespace vocabulary {

// The usual form needs all threads of a warp that have not left. Where they come apart, each instruction
// is two ways, for a whole warp and for one in parts, so copies of it (of an unrolled loop) gain nothing.
static void meet(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.ir.meeting == ir::Meeting::Together) {
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
    return;
  }
  llvm::CallInst* barrier =
      builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_sync, {}, {builder.getInt32(0)});
  if (lower.ir.meeting == ir::Meeting::Apart) barrier->setCannotDuplicate();
}

// In how many threads the i32 is 1, where a warp may come to the barrier in parts. A reduction within the
// barrier (`barrier.red`) does not do: when its parts are at different instructions, ptxas has all lanes perform
// one of them, whose result lies in other registers than the other parts read. A barrier alone has no result. So
// threads add to a word of shared memory between two barriers. Nobody adds before all have read what the word
// was, and the difference counts: the word needs no first value and is never reset.
static llvm::Value* counted_vote(Lowerer& lower, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = builder.getInt32Ty();
  llvm::GlobalVariable* word = shared_word(lower.state, type, "kern_votes");
  llvm::Value* before = builder.CreateLoad(type, word, true);
  meet(lower);
  builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word, value, llvm::MaybeAlign(4),
                          llvm::AtomicOrdering::Monotonic);
  meet(lower);
  return builder.CreateSub(builder.CreateLoad(type, word, true), before);
}

// The vote of threads that may come in parts of a warp; of an i32 that is 0 or 1; returns an i32. Those that left hold
// nothing against it: for all to be true is for none to be false.
static llvm::Value* vote_in_parts(Lowerer& lower, Builtin builtin, llvm::Value* predicate) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (builtin == Builtin::SyncthreadsCount) return counted_vote(lower, predicate);
  if (builtin == Builtin::SyncthreadsOr)
    return builder.CreateZExt(builder.CreateIsNotNull(counted_vote(lower, predicate)), builder.getInt32Ty());
  assert(builtin == Builtin::SyncthreadsAnd && "that is no vote");
  llvm::Value* against = counted_vote(lower, builder.CreateXor(predicate, builder.getInt32(1)));
  return builder.CreateZExt(builder.CreateIsNull(against), builder.getInt32Ty());
}

llvm::Value* gpu_barrier(Lowerer& lower, const CustomCall&) {
  meet(lower);
  return nullptr;
}

static llvm::Value* vote(Lowerer& lower, const CustomCall& call, llvm::Intrinsic::ID id) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* predicate = builder.CreateZExt(read(lower, call.args[0]), builder.getInt32Ty());
  if (lower.ir.meeting != ir::Meeting::Together) return vote_in_parts(lower, call.builtin, predicate);
  llvm::Value* result = builder.CreateIntrinsic(id, {}, {predicate});
  // The and and the or of the hardware are true as -1 or 1, as it likes.
  if (id == llvm::Intrinsic::nvvm_barrier0_popc) return result;
  return builder.CreateZExt(builder.CreateIsNotNull(result), builder.getInt32Ty());
}

llvm::Value* gpu_barrier_count(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, llvm::Intrinsic::nvvm_barrier0_popc);
}
llvm::Value* gpu_barrier_and(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, llvm::Intrinsic::nvvm_barrier0_and);
}
llvm::Value* gpu_barrier_or(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, llvm::Intrinsic::nvvm_barrier0_or);
}

// A word of shared memory that the first live thread writes, once the least number is known of those that
// come. What one call has written, another one writes anew no sooner than all have read it: its own barriers lie
// between.
llvm::Value* gpu_uniform_value(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = read(lower, call.args[0]);
  llvm::GlobalVariable* word = shared_word(lower.state, builder.getInt64Ty(), "kern_uniform");
  llvm::GlobalVariable* first = shared_word(lower.state, builder.getInt32Ty(), "kern_first");
  llvm::Type* type = value->getType();
  llvm::Type* memory = type->isIntegerTy(1) ? builder.getInt8Ty() : type;
  llvm::Value* number = gpu_thread_number(builder);
  builder.CreateStore(builder.getInt32(-1), first, true);
  meet(lower);
  builder.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, first, number, llvm::MaybeAlign(4),
                          llvm::AtomicOrdering::Monotonic);
  meet(lower);
  llvm::Value* is_first = builder.CreateICmpEQ(builder.CreateLoad(builder.getInt32Ty(), first, true), number);
  llvm::BasicBlock *writes = new_block(lower, "first"), *goes_on = new_block(lower, "agreed");
  builder.CreateCondBr(is_first, writes, goes_on);
  builder.SetInsertPoint(writes);
  builder.CreateStore(type == memory ? value : builder.CreateZExt(value, memory), word, true);
  builder.CreateBr(goes_on);
  builder.SetInsertPoint(goes_on);
  meet(lower);
  llvm::Value* agreed = builder.CreateLoad(memory, word, true);
  return type == memory ? agreed : builder.CreateIsNotNull(agreed);
}

// Emits a breakpoint only in code for a debugger: without one it would end the device.
llvm::Value* gpu_breakpoint(Lowerer& lower, const CustomCall&) {
  if (!lower.state.debug.has_variables()) return nullptr;
  auto* type = llvm::FunctionType::get(lower.builder.getVoidTy(), false);
  lower.builder.CreateCall(llvm::InlineAsm::get(type, "brkpt;", "~{memory}", true), {});
  return nullptr;
}

} // namespace vocabulary

} // namespace kern::lowering
