// Barriers of a block on the CPU, with and without a vote. They stand between segments: the barrier itself is nothing,
// and a vote is a loop over the live threads. Where threads meet Apart the runtime puts one that waits aside and goes on
// with the others, each of which has a stack of its own (shared/waiting.cpp).
#include "compiler/lower/cpu/cpu.h"

namespace kern::lowering::vocabulary {

// The question that threads bring to a barrier; the numbers are part of the ABI (kern/abi.h).
enum class MeetingKind : std::uint8_t {
  Wait,  // nothing
  Count, // in how many threads the value is 1
  All,   // whether in all
  Any,   // whether in any
  First, // the value of the first thread
};

// Waits at the barrier with that site, and returns what comes out of the i64 values that threads bring; the thread leaves
// where the barrier cannot hold.
static llvm::Value* meet_apart(Lowerer& lower, ir::SiteId site, MeetingKind kind, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type *pointer = builder.getPtrTy(), *word = builder.getInt32Ty(), *long_word = builder.getInt64Ty();
  auto* type = llvm::FunctionType::get(word, {pointer, pointer, long_word, pointer, word, word, word}, false);
  llvm::AllocaInst* answer = entry_alloca(lower, long_word, "answer");
  builder.CreateStore(value, answer);
  const std::uint64_t what = static_cast<std::uint64_t>(site) | static_cast<std::uint64_t>(kind) << 32;
  const auto& thread = lower.place.thread;
  llvm::Value* goes_on = builder.CreateCall(
      lower.state.module.getOrInsertFunction("kern_cpu_meet", type),
      {lower.record, lower.place.where, builder.getInt64(what), answer, thread[0], thread[1], thread[2]});
  llvm::BasicBlock* met = new_block(lower, "met");
  builder.CreateCondBr(builder.CreateIsNotNull(goes_on), met, lower.leave);
  builder.SetInsertPoint(met);
  return builder.CreateLoad(long_word, answer);
}

llvm::Value* cpu_barrier(Lowerer& lower, const CustomCall& call) {
  if (call.site) meet_apart(lower, *call.site, MeetingKind::Wait, lower.builder.getInt64(0));
  return nullptr;
}

static MeetingKind kind_of(Builtin builtin) {
  return builtin == Builtin::SyncthreadsCount ? MeetingKind::Count
         : builtin == Builtin::SyncthreadsAnd ? MeetingKind::All
                                              : MeetingKind::Any;
}

// Folds the predicates of the live threads: next(sum, predicate), as i32.
static llvm::Value* vote(Lowerer& lower, const CustomCall& call, int start,
                         const std::function<llvm::Value*(llvm::Value*, llvm::Value*)>& next) {
  llvm::IRBuilder<>& builder = lower.builder;
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

llvm::Value* cpu_barrier_count(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, 0,
              [&](llvm::Value* sum, llvm::Value* value) { return lower.builder.CreateAdd(sum, value); });
}

llvm::Value* cpu_barrier_and(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, 1,
              [&](llvm::Value* sum, llvm::Value* value) { return lower.builder.CreateAnd(sum, value); });
}

llvm::Value* cpu_barrier_or(Lowerer& lower, const CustomCall& call) {
  return vote(lower, call, 0,
              [&](llvm::Value* sum, llvm::Value* value) { return lower.builder.CreateOr(sum, value); });
}

// The value of the first live thread.
llvm::Value* cpu_uniform_value(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
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

// x86 keeps the order of stores, so the compiler need only not move them.
llvm::Value* cpu_fence(Lowerer& lower, const CustomCall&) {
  lower.builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  return nullptr;
}

llvm::Value* cpu_nothing(Lowerer&, const CustomCall&) { return nullptr; }

// Emits a breakpoint only in code for a debugger: without one it would end the process.
llvm::Value* cpu_breakpoint(Lowerer& lower, const CustomCall&) {
  if (!lower.state.debug.has_variables()) return nullptr;
  auto* type = llvm::FunctionType::get(lower.builder.getVoidTy(), false);
  lower.builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_breakpoint", type), {});
  return nullptr;
}

} // namespace kern::lowering::vocabulary
