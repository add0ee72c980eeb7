// Barriers of the grid on a GPU. All blocks run at once, so one may wait for the others: one thread of each does, in
// memory of the launch record. Threads may have returned before: one that lives comes for its block, and blocks that have left count as come. A block in which a
// thread has faulted does not come: no barrier after a fault is passed, and everybody leaves there.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <cstddef>

#include "compiler/ir/reachable.h"
#include "compiler/lower/gpu/gpu.h"
#include "kern/abi.h"

namespace kern::lowering::vocabulary {

namespace I = llvm::Intrinsic;

// The reserved words of the launch record. The first one has three counts: how many blocks have come to the barrier
// that is next, how many have left the kernel, and how many barriers were passed. The second one is two votes, which
// the barriers use in turn.
static constexpr std::size_t counts_word = offsetof(kern_launch_record, reserved);
static constexpr std::size_t first_vote = counts_word + 8;
static constexpr unsigned count_bits = 20, passed_shift = 2 * count_bits;
static constexpr const char *wait_name = "kern_grid_wait", *leave_name = "kern_grid_leave",
                            *result_word = "kern_grid_vote", *speaker_word = "kern_grid_speaker",
                            *left_word = "kern_grid_left";

// Builds a function that changes the launch record for a block. The block that completes a barrier, by coming
// last or by leaving while all others wait, clears the next one's vote and counts the barrier as passed:
// nobody else changes the counts then, and each block that has come has read the vote that was there before.
// The blocks' memory accesses are ordered by the fences here and by the block's barriers around the call.
class GridBuilder {
public:
  GridBuilder(ModuleState& state, const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> params)
      : builder_(state.context) {
    auto* type = llvm::FunctionType::get(result, params, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, state.module);
    function_->addFnAttr(llvm::Attribute::NoInline);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    record_ = function_->getArg(0);
    builder_.SetInsertPoint(block("entry"));
  }

  // kern_grid_wait(record, blocks, count): comes to the next barrier for a block, with its part of a vote. Returns the
  // whole vote when all blocks have come; -1 where a thread has faulted before it came, on which all agree: a fault
  // behind the barrier is seen only together with all blocks' coming.
  llvm::Function* build_wait() {
    llvm::BasicBlock *come = block("come"), *none = block("none"), *last = block("last"),
                     *look = block("look"), *met = block("met");
    builder_.CreateCondBr(has_fault(), none, come);
    builder_.SetInsertPoint(none);
    builder_.CreateRet(builder_.getInt64(-1));
    builder_.SetInsertPoint(come);
    llvm::Value* passed = passed_of(counts());
    llvm::Value* vote = vote_of(passed);
    add(vote, function_->getArg(2), 4);
    fence();
    llvm::Value* before = add(word_at(counts_word), builder_.getInt64(1), 8);
    builder_.CreateCondBr(completes(before), last, look);
    builder_.SetInsertPoint(last);
    pass(before, builder_.CreateAdd(come_of(before), builder_.getInt64(1)));
    builder_.CreateBr(met);
    builder_.SetInsertPoint(look);
    wait(passed, met, none);
    builder_.SetInsertPoint(met);
    fence();
    llvm::Value* total = builder_.CreateLoad(builder_.getInt32Ty(), vote, true);
    builder_.CreateRet(builder_.CreateZExt(total, builder_.getInt64Ty()));
    return function_;
  }

  // kern_grid_leave(record, blocks, threads): counts a thread that returns, and with the last one its block. The fences
  // put what the threads wrote before what others read behind a barrier that is passed without them.
  llvm::Function* build_leave(llvm::GlobalVariable* left) {
    llvm::BasicBlock *block_leaves = block("block_leaves"), *waited_for = block("waited_for"),
                     *done = block("done");
    fence();
    llvm::Value* own = builder_.CreateAdd(add(left, builder_.getInt32(1), 4), builder_.getInt32(1));
    builder_.CreateCondBr(builder_.CreateICmpEQ(own, function_->getArg(2)), block_leaves, done);
    builder_.SetInsertPoint(block_leaves);
    fence();
    llvm::Value* before = add(word_at(counts_word), builder_.getInt64(std::uint64_t{1} << count_bits), 8);
    llvm::Value* come = come_of(before);
    builder_.CreateCondBr(builder_.CreateAnd(completes(before), builder_.CreateIsNotNull(come)), waited_for,
                          done);
    builder_.SetInsertPoint(waited_for);
    pass(before, come);
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
    builder_.CreateRetVoid();
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
  llvm::Value* add(llvm::Value* place, llvm::Value* value, std::uint64_t alignment) {
    return builder_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, place, value, llvm::MaybeAlign(alignment),
                                    llvm::AtomicOrdering::Monotonic);
  }
  llvm::Value* counts() { return builder_.CreateLoad(builder_.getInt64Ty(), word_at(counts_word), true); }
  llvm::Value* passed_of(llvm::Value* counts) { return builder_.CreateLShr(counts, passed_shift); }
  llvm::Value* come_of(llvm::Value* counts) {
    return builder_.CreateAnd(counts, (std::uint64_t{1} << count_bits) - 1);
  }
  llvm::Value* has_fault() { // by its state; a note is none
    llvm::Value* state = builder_.CreateLoad(builder_.getInt32Ty(), record_, true);
    return builder_.CreateICmpULT(builder_.CreateSub(state, builder_.getInt32(KERN_FAULT_WRITING)),
                                  builder_.getInt32(2));
  }
  llvm::Value* vote_of(llvm::Value* passed) {
    llvm::Value* offset = builder_.CreateShl(builder_.CreateAnd(passed, 1), 2);
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), word_at(first_vote), offset);
  }
  // Says whether all other blocks had come or left before this one was added.
  llvm::Value* completes(llvm::Value* before) {
    llvm::Value* left = come_of(builder_.CreateLShr(before, count_bits));
    llvm::Value* others = builder_.CreateAdd(come_of(before), left);
    return builder_.CreateICmpEQ(builder_.CreateAdd(others, builder_.getInt64(1)), function_->getArg(1));
  }
  void pass(llvm::Value* before, llvm::Value* come) {
    llvm::Value* next = builder_.CreateAdd(passed_of(before), builder_.getInt64(1));
    builder_.CreateStore(builder_.getInt32(0), vote_of(next), true);
    fence();
    llvm::Value* one = builder_.getInt64(std::uint64_t{1} << passed_shift);
    add(word_at(counts_word), builder_.CreateSub(one, come), 8);
  }

  // Goes to `met` where the barrier is passed, to `none` where it never will be.
  void wait(llvm::Value* passed, llvm::BasicBlock* met, llvm::BasicBlock* none) {
    constexpr unsigned nanoseconds = 32;
    llvm::BasicBlock *look = builder_.GetInsertBlock(), *pause = block("pause"), *again = block("again"),
                     *fault = block("fault");
    auto is_passed = [&] { return builder_.CreateICmpNE(passed_of(counts()), passed); };
    builder_.CreateCondBr(is_passed(), met, pause);
    builder_.SetInsertPoint(pause);
    builder_.CreateCondBr(has_fault(), fault, again);
    builder_.SetInsertPoint(again);
    builder_.CreateIntrinsic(I::nvvm_nanosleep, {}, {builder_.getInt32(nanoseconds)});
    builder_.CreateBr(look);
    builder_.SetInsertPoint(fault);
    fence();
    builder_.CreateCondBr(is_passed(), met, none);
  }

  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::Value* record_ = nullptr;
};

static llvm::GlobalVariable* find_word(ModuleState& state, const char* name) {
  return shared_word(state, llvm::Type::getInt32Ty(state.context), name);
}

static llvm::Value* count_threads(llvm::IRBuilder<>& builder) {
  llvm::Value* count = read_register(builder, Field::block_dim_x);
  for (std::size_t axis : {1, 2})
    count = builder.CreateMul(count, read_register(builder, Field::block_dim_x, axis));
  return count;
}

static llvm::Value* count_blocks(llvm::IRBuilder<>& builder) {
  llvm::Value* count = nullptr;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    llvm::Value* along =
        builder.CreateZExt(read_register(builder, Field::grid_dim_x, axis), builder.getInt64Ty());
    count = count ? builder.CreateMul(count, along) : along;
  }
  return count;
}

// Says whether a thread may have left when others of its block come to a barrier of the grid in a function.
static bool may_miss_threads(Lowerer& lower) {
  if (lower.misses_threads) return *lower.misses_threads;
  const ir::Module& module = lower.state.ir;
  auto is_left = [&](const ir::Function& function) {
    return function.is_kernel && ir::returns_before_grid_barrier(module, function);
  };
  lower.misses_threads =
      lower.ir.is_kernel ? is_left(lower.ir) : std::ranges::any_of(module.functions, is_left);
  return *lower.misses_threads;
}

// Before the block meets each thread that lives offers to speak for it; one of the offers stays. Where none has left
// the first one speaks.
static void offer_to_speak(Lowerer& lower) {
  if (!may_miss_threads(lower)) return;
  lower.builder.CreateStore(gpu_thread_number(lower.builder), find_word(lower.state, speaker_word), true);
}

static llvm::Value* speaks(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* number = gpu_thread_number(builder);
  if (!may_miss_threads(lower)) return builder.CreateIsNull(number);
  llvm::GlobalVariable* speaker = find_word(lower.state, speaker_word);
  return builder.CreateICmpEQ(builder.CreateLoad(builder.getInt32Ty(), speaker, true), number);
}

// The block has met already. One thread waits for the other blocks, and all go on where it says so: that thread may
// have faulted itself.
static llvm::Value* meet(Lowerer& lower, llvm::Value* count, bool votes) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Function* wait = lower.state.module.getFunction(wait_name);
  if (!wait) {
    llvm::Type *word = builder.getInt32Ty(), *wide = builder.getInt64Ty();
    wait = GridBuilder(lower.state, wait_name, wide, {builder.getPtrTy(1), wide, word}).build_wait();
  }
  llvm::GlobalVariable* result = votes ? find_word(lower.state, result_word) : nullptr;
  llvm::Value* is_speaker = speaks(lower);
  llvm::BasicBlock *before = builder.GetInsertBlock(), *waits = new_block(lower, "grid_wait"),
                   *met = new_block(lower, "grid_met"), *out = new_block(lower, "grid_fault"),
                   *next = new_block(lower, "grid_next");
  builder.CreateCondBr(is_speaker, waits, met);
  builder.SetInsertPoint(waits);
  llvm::Value* total = builder.CreateCall(wait, {lower.record, count_blocks(builder), count});
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

llvm::Value* gpu_grid_barrier(Lowerer& lower, const CustomCall& call) {
  offer_to_speak(lower);
  gpu_barrier(lower, call);
  meet(lower, lower.builder.getInt32(0), false);
  return nullptr;
}

static llvm::Value* meet_for_votes(Lowerer& lower, llvm::Value* number) { return meet(lower, number, true); }

llvm::Value* gpu_grid_barrier_count(Lowerer& lower, const CustomCall& call) {
  offer_to_speak(lower);
  return count_in_grid(lower, call, meet_for_votes);
}

llvm::Value* gpu_grid_barrier_and(Lowerer& lower, const CustomCall& call) {
  offer_to_speak(lower);
  return all_in_grid(lower, call, meet_for_votes);
}

llvm::Value* gpu_grid_barrier_or(Lowerer& lower, const CustomCall& call) {
  offer_to_speak(lower);
  return any_in_grid(lower, call, meet_for_votes);
}

} // namespace kern::lowering::vocabulary

namespace kern::lowering {

using namespace vocabulary;

void begin_grid_kernel(Lowerer& lower) {
  if (!may_miss_threads(lower)) return;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock *clear = new_block(lower, "grid_clear"), *begin = new_block(lower, "grid_begin");
  builder.CreateCondBr(builder.CreateIsNull(gpu_thread_number(builder)), clear, begin);
  builder.SetInsertPoint(clear);
  builder.CreateStore(builder.getInt32(0), find_word(lower.state, left_word), true);
  builder.CreateBr(begin);
  builder.SetInsertPoint(begin);
  builder.CreateIntrinsic(I::nvvm_barrier0, {}, {});
}

void leave_grid(Lowerer& lower) {
  if (!may_miss_threads(lower)) return;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Function* leave = lower.state.module.getFunction(leave_name);
  if (!leave) {
    llvm::Type *word = builder.getInt32Ty(), *wide = builder.getInt64Ty();
    GridBuilder made(lower.state, leave_name, builder.getVoidTy(), {builder.getPtrTy(1), wide, word});
    leave = made.build_leave(find_word(lower.state, left_word));
  }
  builder.CreateCall(leave, {lower.record, count_blocks(builder), count_threads(builder)});
}

} // namespace kern::lowering
