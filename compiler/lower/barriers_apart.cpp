// On the CPU the runtime puts a thread that waits aside and goes on with the others, each of which has a
// stack of its own (lower/waiting.cpp). On a GPU the barrier counts threads, not warps (lower/gpu_collectives.cpp).
#include "compiler/lower/barriers_apart.h"

namespace kern::lowering {

llvm::Value* meet_apart(Lowerer& lower, ir::SiteId site, MeetingKind kind, llvm::Value* value) {
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

} // namespace kern::lowering
