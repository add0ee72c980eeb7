// Barriers of a block, with and without a vote. On the CPU they stand between segments: the barrier itself is
// nothing, and a vote is a loop over the live threads. Where threads meet Apart the runtime has them wait.
// On a GPU a whole warp votes in the barrier; where a warp may come in parts, votes are counted in shared memory.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/barriers_apart.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering::vocabulary {

// On a GPU. The usual form needs all threads of a warp that have not left. Where they come apart, each instruction
// is two ways, for a whole warp and for one in parts, so copies of it (of an unrolled loop) gain nothing.
static void gpu_barrier(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.ir.meeting == ir::Meeting::Together) {
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
    return;
  }
  llvm::CallInst* barrier =
      builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_sync, {}, {builder.getInt32(0)});
  if (lower.ir.meeting == ir::Meeting::Apart) barrier->setCannotDuplicate();
}

// GPU: in how many threads the i32 is 1, where a warp may come to the barrier in parts. A reduction within the
// barrier (`barrier.red`) does not do: when its parts are at different instructions, ptxas has all lanes perform
// one of them, whose result lies in other registers than the other parts read. A barrier alone has no result. So
// threads add to a word of shared memory between two barriers. Nobody adds before all have read what the word
// was, and the difference counts: the word needs no first value and is never reset.
static llvm::Value* counted_vote(Lowerer& lower, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = builder.getInt32Ty();
  llvm::GlobalVariable* word = shared_word(lower.state, type, "kern_votes");
  llvm::Value* before = builder.CreateLoad(type, word, true);
  gpu_barrier(lower);
  builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word, value, llvm::MaybeAlign(4),
                          llvm::AtomicOrdering::Monotonic);
  gpu_barrier(lower);
  return builder.CreateSub(builder.CreateLoad(type, word, true), before);
}

// GPU: the vote of threads that may come in parts of a warp; of an i32 that is 0 or 1; returns an i32. Those that
// left hold nothing against it: for all to be true is for none to be false.
static llvm::Value* vote_in_parts(Lowerer& lower, MeetingKind kind, llvm::Value* predicate) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (kind == MeetingKind::Count) return counted_vote(lower, predicate);
  if (kind == MeetingKind::Any)
    return builder.CreateZExt(builder.CreateIsNotNull(counted_vote(lower, predicate)), builder.getInt32Ty());
  assert(kind == MeetingKind::All && "that is no vote");
  llvm::Value* against = counted_vote(lower, builder.CreateXor(predicate, builder.getInt32(1)));
  return builder.CreateZExt(builder.CreateIsNull(against), builder.getInt32Ty());
}

llvm::Value* barrier(Lowerer& lower, const CustomCall& call) {
  if (lower.gpu()) gpu_barrier(lower);
  if (call.site) meet_apart(lower, *call.site, MeetingKind::Wait, lower.builder.getInt64(0));
  return nullptr;
}

static MeetingKind kind_of(Builtin builtin) {
  return builtin == Builtin::SyncthreadsCount ? MeetingKind::Count
         : builtin == Builtin::SyncthreadsAnd ? MeetingKind::All
                                              : MeetingKind::Any;
}

// Folds the predicates of the live threads: next(sum, predicate), as i32.
static llvm::Value* vote(Lowerer& lower, const CustomCall& call, llvm::Intrinsic::ID id, int start,
                         const std::function<llvm::Value*(llvm::Value*, llvm::Value*)>& next) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.gpu()) {
    llvm::Value* predicate = builder.CreateZExt(read(lower, call.args[0]), builder.getInt32Ty());
    if (lower.ir.meeting != ir::Meeting::Together)
      return vote_in_parts(lower, kind_of(call.builtin), predicate);
    llvm::Value* result = builder.CreateIntrinsic(id, {}, {predicate});
    // The and and the or of the hardware are true as -1 or 1, as it likes.
    if (id == llvm::Intrinsic::nvvm_barrier0_popc) return result;
    return builder.CreateZExt(builder.CreateIsNotNull(result), builder.getInt32Ty());
  }
  if (call.site) {
    llvm::Value* predicate = builder.CreateZExt(read(lower, call.args[0]), builder.getInt64Ty());
    llvm::Value* result = meet_apart(lower, *call.site, kind_of(call.builtin), predicate);
    return builder.CreateTrunc(result, builder.getInt32Ty());
  }
  llvm::Value* sum = entry_alloca(lower, builder.getInt32Ty(), "vote");
  builder.CreateStore(builder.getInt32(static_cast<std::uint32_t>(start)), sum);
  if (lower.is_vector()) {
    for_each_vector(lower, [&] {
      llvm::Value* live = mask_bits(lower, active_lanes(lower));
      llvm::Value* holding =
          builder.CreateAnd(live, mask_bits(lower, read(lower, call.args[0], Form::Vector)));
      llvm::Value* value = builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, holding);
      if (call.builtin == Builtin::SyncthreadsAnd) value = builder.CreateICmpEQ(holding, live);
      if (call.builtin == Builtin::SyncthreadsOr) value = builder.CreateIsNotNull(holding);
      value = builder.CreateZExtOrTrunc(value, builder.getInt32Ty());
      builder.CreateStore(next(builder.CreateLoad(builder.getInt32Ty(), sum), value), sum);
    });
    return builder.CreateLoad(builder.getInt32Ty(), sum);
  }
  for_each_thread(lower, [&] {
    llvm::Value* predicate = builder.CreateZExt(read(lower, call.args[0]), builder.getInt32Ty());
    builder.CreateStore(next(builder.CreateLoad(builder.getInt32Ty(), sum), predicate), sum);
  });
  return builder.CreateLoad(builder.getInt32Ty(), sum);
}

llvm::Value* barrier_count(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, llvm::Intrinsic::nvvm_barrier0_popc, 0,
              [&](llvm::Value* sum, llvm::Value* value) { return lower.builder.CreateAdd(sum, value); });
}

llvm::Value* barrier_and(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, llvm::Intrinsic::nvvm_barrier0_and, 1,
              [&](llvm::Value* sum, llvm::Value* value) { return lower.builder.CreateAnd(sum, value); });
}

llvm::Value* barrier_or(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, llvm::Intrinsic::nvvm_barrier0_or, 0,
              [&](llvm::Value* sum, llvm::Value* value) { return lower.builder.CreateOr(sum, value); });
}

// GPU: a word of shared memory that the first live thread writes, once the least number is known of those that
// come. What one call has written, another one writes anew no sooner than all have read it: its own barriers lie
// between.
static llvm::Value* gpu_uniform_value(Lowerer& lower, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::GlobalVariable* word = shared_word(lower.state, builder.getInt64Ty(), "kern_uniform");
  llvm::GlobalVariable* first = shared_word(lower.state, builder.getInt32Ty(), "kern_first");
  llvm::Type* type = value->getType();
  llvm::Type* memory = type->isIntegerTy(1) ? builder.getInt8Ty() : type;
  llvm::Value* number = gpu_thread_number(builder);
  builder.CreateStore(builder.getInt32(-1), first, true);
  gpu_barrier(lower);
  builder.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, first, number, llvm::MaybeAlign(4),
                          llvm::AtomicOrdering::Monotonic);
  gpu_barrier(lower);
  llvm::Value* is_first = builder.CreateICmpEQ(builder.CreateLoad(builder.getInt32Ty(), first, true), number);
  llvm::BasicBlock *writes = new_block(lower, "first"), *goes_on = new_block(lower, "agreed");
  builder.CreateCondBr(is_first, writes, goes_on);
  builder.SetInsertPoint(writes);
  builder.CreateStore(type == memory ? value : builder.CreateZExt(value, memory), word, true);
  builder.CreateBr(goes_on);
  builder.SetInsertPoint(goes_on);
  gpu_barrier(lower);
  llvm::Value* agreed = builder.CreateLoad(memory, word, true);
  return type == memory ? agreed : builder.CreateIsNotNull(agreed);
}

// CPU: the value of the first live thread.
llvm::Value* uniform_value(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.gpu()) return gpu_uniform_value(lower, read(lower, call.args[0]));
  llvm::Type* type = register_type(lower.state, call.result->scalar);
  if (call.site) {
    llvm::Type* bits = builder.getIntNTy(type->getScalarSizeInBits());
    llvm::Value* own = builder.CreateBitCast(read(lower, call.args[0]), bits);
    own = meet_apart(lower, *call.site, MeetingKind::First, builder.CreateZExt(own, builder.getInt64Ty()));
    return builder.CreateBitCast(builder.CreateTrunc(own, bits), type);
  }
  llvm::Value* agreed = entry_alloca(lower, type, "uniform");
  llvm::Value* found = entry_alloca(lower, builder.getInt1Ty(), "found");
  builder.CreateStore(llvm::Constant::getNullValue(type), agreed);
  builder.CreateStore(builder.getFalse(), found);
  auto keep_first = [&] {
    Value own = read_value(lower, call.args[0]);
    llvm::Value* mine = lower.is_vector() ? value_of_first_lane(lower, own) : own.value;
    llvm::Value* known = builder.CreateLoad(builder.getInt1Ty(), found);
    llvm::Value* first = builder.CreateLoad(type, agreed);
    builder.CreateStore(builder.CreateSelect(known, first, mine), agreed);
    builder.CreateStore(builder.getTrue(), found);
  };
  if (lower.is_vector()) {
    for_each_vector(lower, keep_first);
  } else {
    for_each_thread(lower, keep_first);
  }
  return builder.CreateLoad(type, agreed);
}

// CPU only: x86 keeps the order of stores, so the compiler need only not move them.
llvm::Value* fence(Lowerer& lower, const CustomCall&) {
  lower.builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  return nullptr;
}

llvm::Value* pause(Lowerer&, const CustomCall&) { return nullptr; }

// Emits a breakpoint only in code for a debugger: without one it would end the process, or on a GPU its
// device.
llvm::Value* breakpoint(Lowerer& lower, const CustomCall&) {
  if (!lower.state.debug.has_variables()) return nullptr;
  llvm::IRBuilder<>& builder = lower.builder;
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), false);
  if (lower.gpu())
    builder.CreateCall(llvm::InlineAsm::get(type, "brkpt;", "~{memory}", true), {});
  else
    builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_breakpoint", type), {});
  return nullptr;
}

} // namespace kern::lowering::vocabulary
