// Barriers of the grid. All blocks run at once, so one may wait for the others: on the GPU one thread of each
// does, in memory of the launch record; on the CPU the runtime puts the block aside and runs the others. A
// block in which a thread has faulted does not come: no barrier after a fault is passed, and everybody leaves
// there.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstddef>

#include "compiler/lower/lanes.h"
#include "kern/abi.h"

namespace kern::lowering::vocabulary {

namespace I = llvm::Intrinsic;

static llvm::Value* count_blocks(Lowerer& lower, llvm::Type* type) {
  llvm::IRBuilder<>& builder = lower.builder;
  constexpr I::ID ids[] = {I::nvvm_read_ptx_sreg_nctaid_x, I::nvvm_read_ptx_sreg_nctaid_y,
                           I::nvvm_read_ptx_sreg_nctaid_z};
  llvm::Value* count = nullptr;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    llvm::Value* along = lower.gpu() ? builder.CreateIntrinsic(ids[axis], {}, {}) : lower.place.grid[axis];
    along = builder.CreateZExt(along, type);
    count = count ? builder.CreateMul(count, along) : along;
  }
  return count;
}

// Says whether all three indices are 0.
static llvm::Value* is_first(llvm::IRBuilder<>& builder, I::ID x, I::ID y, I::ID z) {
  llvm::Value* any = builder.CreateIntrinsic(x, {}, {});
  for (I::ID id : {y, z}) any = builder.CreateOr(any, builder.CreateIntrinsic(id, {}, {}));
  return builder.CreateIsNull(any);
}

// ---- GPU ----

// The reserved words of the launch record: how many blocks have come so far, at all barriers together; and
// three votes, of which the barriers use one after the other.
static constexpr std::size_t arrived_word = offsetof(kern_launch_record, reserved);
static constexpr std::size_t first_vote = arrived_word + 8;
static constexpr unsigned votes = 3;
static constexpr const char *wait_name = "kern_grid_wait", *result_word = "kern_grid_vote";

// kern_grid_wait(record, blocks, count): comes to the next barrier for a block, with its part of a vote.
// Returns the whole vote when all blocks have come; -1 where a thread has faulted before it came, on which
// all agree: a fault behind the barrier is seen only together with all blocks' coming. The blocks' memory
// accesses are ordered by the fences here and by the block's barriers around the call. A vote is cleared one
// barrier before it is used: all have come to the barrier before that, so all have read it.
class WaitBuilder {
public:
  explicit WaitBuilder(ModuleState& state) : builder_(state.context) {
    llvm::Type *word = builder_.getInt32Ty(), *long_word = builder_.getInt64Ty();
    auto* type = llvm::FunctionType::get(long_word, {builder_.getPtrTy(1), long_word, word}, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, wait_name, state.module);
    function_->addFnAttr(llvm::Attribute::NoInline);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    record_ = function_->getArg(0);
    goal_ = function_->getArg(1);
  }

  llvm::Function* build() {
    llvm::BasicBlock *entry = block("entry"), *come = block("come"), *none = block("none");
    builder_.SetInsertPoint(entry);
    builder_.CreateCondBr(has_fault(), none, come);
    builder_.SetInsertPoint(none);
    builder_.CreateRet(builder_.getInt64(-1));
    builder_.SetInsertPoint(come);
    llvm::Value* vote = add_vote();
    llvm::BasicBlock* met = wait(none);
    builder_.SetInsertPoint(met);
    fence();
    llvm::Value* total = builder_.CreateLoad(builder_.getInt32Ty(), vote, true);
    builder_.CreateRet(builder_.CreateZExt(total, builder_.getInt64Ty()));
    return function_;
  }

private:
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }
  void fence() { builder_.CreateIntrinsic(I::nvvm_membar_gl, {}, {}); }
  llvm::Value* word_at(std::size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), record_, offset);
  }
  llvm::Value* arrived() { return builder_.CreateLoad(builder_.getInt64Ty(), word_at(arrived_word), true); }
  llvm::Value* has_fault() { // by its state; a note is none
    llvm::Value* state = builder_.CreateLoad(builder_.getInt32Ty(), record_, true);
    return builder_.CreateICmpULT(builder_.CreateSub(state, builder_.getInt32(KERN_FAULT_WRITING)),
                                  builder_.getInt32(2));
  }

  llvm::Value* vote_of(llvm::Value* barrier) {
    llvm::Value* index = builder_.CreateURem(barrier, builder_.getInt64(votes));
    llvm::Value* offset = builder_.CreateMul(index, builder_.getInt64(4));
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), word_at(first_vote), offset);
  }

  // Adds the block's count and counts the block as come; goal_ becomes what the count must reach.
  llvm::Value* add_vote() {
    llvm::Value* blocks = goal_;
    llvm::Value* barrier = builder_.CreateUDiv(arrived(), blocks);
    llvm::Value* next = builder_.CreateAdd(barrier, builder_.getInt64(1));
    llvm::BasicBlock *clear = block("clear"), *add = block("add");
    builder_.CreateCondBr(is_first(builder_, I::nvvm_read_ptx_sreg_ctaid_x, I::nvvm_read_ptx_sreg_ctaid_y,
                                   I::nvvm_read_ptx_sreg_ctaid_z),
                          clear, add);
    builder_.SetInsertPoint(clear);
    builder_.CreateStore(builder_.getInt32(0), vote_of(next), true);
    builder_.CreateBr(add);
    builder_.SetInsertPoint(add);
    llvm::Value* vote = vote_of(barrier);
    auto relaxed = llvm::AtomicOrdering::Monotonic;
    auto sum = llvm::AtomicRMWInst::Add;
    builder_.CreateAtomicRMW(sum, vote, function_->getArg(2), llvm::MaybeAlign(4), relaxed);
    fence();
    builder_.CreateAtomicRMW(sum, word_at(arrived_word), builder_.getInt64(1), llvm::MaybeAlign(8), relaxed);
    goal_ = builder_.CreateMul(next, blocks);
    return vote;
  }

  // Returns where all have come; goes to `none` where they never will.
  llvm::BasicBlock* wait(llvm::BasicBlock* none) {
    constexpr unsigned nanoseconds = 32;
    llvm::BasicBlock *look = block("look"), *pause = block("pause"), *again = block("again"),
                     *fault = block("fault"), *met = block("met");
    builder_.CreateBr(look);
    builder_.SetInsertPoint(look);
    builder_.CreateCondBr(builder_.CreateICmpUGE(arrived(), goal_), met, pause);
    builder_.SetInsertPoint(pause);
    builder_.CreateCondBr(has_fault(), fault, again);
    builder_.SetInsertPoint(again);
    builder_.CreateIntrinsic(I::nvvm_nanosleep, {}, {builder_.getInt32(nanoseconds)});
    builder_.CreateBr(look);
    builder_.SetInsertPoint(fault);
    fence();
    builder_.CreateCondBr(builder_.CreateICmpUGE(arrived(), goal_), met, none);
    return met;
  }

  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::Value *record_ = nullptr, *goal_ = nullptr;
};

// The word of shared memory through which a block's threads hear of the vote.
static llvm::GlobalVariable* find_result(ModuleState& state) {
  if (llvm::GlobalVariable* known = state.module.getNamedGlobal(result_word)) return known;
  return new_shared(state, llvm::Type::getInt32Ty(state.context), result_word, 4);
}

// The block has met already. Its first thread waits for the other blocks, and all go on where it says so:
// that thread may have faulted itself.
static llvm::Value* meet_on_gpu(Lowerer& lower, llvm::Value* count, bool votes) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Function* wait = lower.state.module.getFunction(wait_name);
  if (!wait) wait = WaitBuilder(lower.state).build();
  llvm::GlobalVariable* result = votes ? find_result(lower.state) : nullptr;
  llvm::BasicBlock *before = builder.GetInsertBlock(), *waits = new_block(lower, "grid_wait"),
                   *met = new_block(lower, "grid_met"), *out = new_block(lower, "grid_fault"),
                   *next = new_block(lower, "grid_next");
  builder.CreateCondBr(is_first(builder, I::nvvm_read_ptx_sreg_tid_x, I::nvvm_read_ptx_sreg_tid_y,
                                I::nvvm_read_ptx_sreg_tid_z),
                       waits, met);
  builder.SetInsertPoint(waits);
  llvm::Value* total =
      builder.CreateCall(wait, {lower.record, count_blocks(lower, builder.getInt64Ty()), count});
  if (votes) builder.CreateStore(builder.CreateTrunc(total, builder.getInt32Ty()), result, true);
  llvm::Value* have_all = builder.CreateICmpSGE(total, builder.getInt64(0));
  builder.CreateBr(met);

  builder.SetInsertPoint(met);
  llvm::PHINode* goes_on = builder.CreatePHI(builder.getInt1Ty(), 2);
  goes_on->addIncoming(builder.getFalse(), before);
  goes_on->addIncoming(have_all, waits);
  llvm::Value* all_go_on =
      builder.CreateIntrinsic(I::nvvm_barrier0_or, {}, {builder.CreateZExt(goes_on, builder.getInt32Ty())});
  builder.CreateCondBr(builder.CreateIsNotNull(all_go_on), next, out);
  builder.SetInsertPoint(out);
  builder.CreateIntrinsic(I::nvvm_exit, {}, {});
  builder.CreateUnreachable();
  builder.SetInsertPoint(next);
  return votes ? builder.CreateLoad(builder.getInt32Ty(), result, true) : nullptr;
}

// ---- CPU ----

// Between segments: the runtime comes back here when all blocks have come, with the vote, or with a negative
// number where the block is to leave.
static llvm::Value* meet_on_cpu(Lowerer& lower, llvm::Value* count) {
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

// ---- Both ----

static llvm::Value* meet(Lowerer& lower, llvm::Value* count, bool votes = true) {
  return lower.gpu() ? meet_on_gpu(lower, count, votes) : meet_on_cpu(lower, count);
}

// The block votes as at a barrier of its own.
static llvm::Value* vote_of_block(Lowerer& lower, const CustomCall& call, Builtin barrier,
                                  CustomFunction vote) {
  CustomCall own = call;
  own.builtin = barrier;
  return vote(lower, own);
}

llvm::Value* grid_barrier(Lowerer& lower, const CustomCall& call) {
  barrier(lower, call);
  meet(lower, lower.builder.getInt32(0), false);
  return nullptr;
}

llvm::Value* grid_barrier_count(Lowerer& lower, const CustomCall& call) {
  return meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsCount, barrier_count));
}

llvm::Value* grid_barrier_and(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* blocks = meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsAnd, barrier_and));
  llvm::Value* all = builder.CreateICmpEQ(blocks, count_blocks(lower, builder.getInt32Ty()));
  return builder.CreateZExt(all, builder.getInt32Ty());
}

llvm::Value* grid_barrier_or(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* blocks = meet(lower, vote_of_block(lower, call, Builtin::SyncthreadsOr, barrier_or));
  return builder.CreateZExt(builder.CreateIsNotNull(blocks), builder.getInt32Ty());
}

} // namespace kern::lowering::vocabulary
