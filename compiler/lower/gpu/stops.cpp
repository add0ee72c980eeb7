// Whether a launch of a GPU is to end (transform/polls.cpp): a word that the host may set at any time, whose address is in
// the launch record. It lies in memory of the host, a microsecond away, and thousands of warps would ask. So a thread
// asks each 1,024th turn, of all its loops together, and what it reads is a word of the record, which says when
// somebody last looked at the host's: the first to find that old looks, and says so to all where the launch is to end.
//
// Threads that have not begun by then may be 10^12 of a launch, and each is to leave by one load that the cache of its
// multiprocessor answers: all of them asking the memory behind it for one word takes minutes. That cache may be stale,
// which costs time alone, for nobody unsays what was told; who learns of it from the memory itself drops what it holds.
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "compiler/lower/gpu/gpu.h"
#include "kern/abi.h"

namespace kern::lowering {

static constexpr const char* poll_name = "kern_poll";
static constexpr std::int64_t turns_between = 1024; // a power of two
// The host's word is looked at so often: 2^17 ns.
static constexpr unsigned tick_bits = 17;

// The time at which somebody last looked, in such ticks, is none that the clock has once the launch is to end.
static constexpr std::uint32_t told_tick = UINT32_MAX;

// The time at which somebody last looked: the second half of the last reserved word, which barriers of the grid leave
// alone.
static constexpr std::size_t stop_tick_offset =
    offsetof(kern_launch_record, reserved) + 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t);

static llvm::Value* record_field(llvm::IRBuilder<>& builder, llvm::Value* record, std::size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset);
}

// kern_poll(record): says whether the launch goes on.
class PollBuilder {
public:
  explicit PollBuilder(ModuleState& state) : builder_(state.context) {
    auto* type = llvm::FunctionType::get(builder_.getInt1Ty(), {builder_.getPtrTy(1)}, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, poll_name, state.module);
    for (auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::Cold, llvm::Attribute::NoUnwind})
      function_->addFnAttr(attribute);
    record_ = function_->getArg(0);
  }

  llvm::Function* build() {
    namespace I = llvm::Intrinsic;
    builder_.SetInsertPoint(block("entry"));
    llvm::BasicBlock *look = block("look"), *time = block("time"), *elect = block("elect"),
                     *claim = block("claim"), *ask = block("ask"), *tell = block("tell"),
                     *hear = block("hear");
    goes_on_ = block("goes_on"), stop_ = block("stop");
    llvm::Type* word = builder_.getInt32Ty();
    llvm::Value *tick = field(stop_tick_offset), *told = builder_.getInt32(told_tick);
    // A launch that nobody can stop has no word.
    llvm::Value* address =
        builder_.CreateLoad(builder_.getInt64Ty(), field(offsetof(kern_launch_record, launch)));
    branch(builder_.CreateIsNull(address), goes_on_, look);
    builder_.SetInsertPoint(look);
    llvm::Value* seen = builder_.CreateLoad(word, tick, true);
    branch(builder_.CreateICmpEQ(seen, told), hear, time);
    // The fence drops what the cache of this multiprocessor holds.
    builder_.SetInsertPoint(hear);
    builder_.CreateIntrinsic(I::nvvm_membar_gl, {}, {});
    builder_.CreateBr(stop_);
    builder_.SetInsertPoint(time);
    llvm::Value* now = builder_.CreateIntrinsic(I::nvvm_read_ptx_sreg_globaltimer, {}, {});
    now = builder_.CreateTrunc(builder_.CreateLShr(now, tick_bits), word);
    now = builder_.CreateAnd(now, INT32_MAX);
    branch(builder_.CreateICmpEQ(seen, now), goes_on_, elect);
    // One thread of those that come together is enough.
    builder_.SetInsertPoint(elect);
    llvm::Value* before =
        builder_.CreateAnd(builder_.CreateIntrinsic(I::nvvm_activemask, {}, {}),
                           builder_.CreateIntrinsic(I::nvvm_read_ptx_sreg_lanemask_lt, {}, {}));
    branch(builder_.CreateIsNull(before), claim, goes_on_);
    builder_.SetInsertPoint(claim);
    const auto relaxed = llvm::AtomicOrdering::Monotonic;
    llvm::Value* swap = builder_.CreateAtomicCmpXchg(tick, seen, now, llvm::MaybeAlign(4), relaxed, relaxed);
    branch(builder_.CreateExtractValue(swap, 1), ask, goes_on_);
    builder_.SetInsertPoint(ask);
    llvm::Value* host = builder_.CreateIntToPtr(address, builder_.getPtrTy(1));
    llvm::Value* asked = builder_.CreateLoad(builder_.getInt64Ty(), host, true);
    branch(builder_.CreateIsNull(asked), goes_on_, tell);
    builder_.SetInsertPoint(tell);
    builder_.CreateStore(told, tick, true);
    builder_.CreateBr(stop_);
    builder_.SetInsertPoint(goes_on_);
    builder_.CreateRet(builder_.getTrue());
    builder_.SetInsertPoint(stop_);
    builder_.CreateRet(builder_.getFalse());
    return function_;
  }

private:
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }
  llvm::Value* field(std::size_t offset) { return record_field(builder_, record_, offset); }
  void branch(llvm::Value* condition, llvm::BasicBlock* where, llvm::BasicBlock* otherwise) {
    builder_.CreateCondBr(condition, where, otherwise);
  }

  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::Value* record_ = nullptr;
  llvm::BasicBlock *goes_on_ = nullptr, *stop_ = nullptr;
};

static llvm::Value* poll(Lowerer& lower) {
  llvm::Function* function = lower.state.module.getFunction(poll_name);
  if (!function) function = PollBuilder(lower.state).build();
  return lower.builder.CreateCall(function, {lower.record});
}

// Returns the counter of the turns of all loops of a function. A device function begins at its last turn: its
// caller may call it again and again.
static llvm::Value* turns_of(Lowerer& lower) {
  if (lower.turns) return lower.turns;
  llvm::AllocaInst* turns = entry_alloca(lower, lower.builder.getInt32Ty(), "turns");
  llvm::IRBuilder<> behind(turns->getNextNode());
  behind.CreateStore(i32(lower.state, lower.ir.is_kernel ? 0 : turns_between - 1), turns);
  return lower.turns = turns;
}

llvm::Value* vocabulary::gpu_goes_on(Lowerer& lower, const CustomCall&) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* turns = turns_of(lower);
  llvm::Value* count =
      builder.CreateAdd(builder.CreateLoad(builder.getInt32Ty(), turns), builder.getInt32(1));
  builder.CreateStore(count, turns);
  llvm::BasicBlock *before = builder.GetInsertBlock(), *ask = new_block(lower, "ask_to_go_on"),
                   *next = new_block(lower, "polled");
  llvm::MDNode* weights = llvm::MDBuilder(lower.state.context).createUnlikelyBranchWeights();
  builder.CreateCondBr(builder.CreateIsNull(builder.CreateAnd(count, turns_between - 1)), ask, next, weights);
  builder.SetInsertPoint(ask);
  llvm::Value* answer = poll(lower);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  llvm::PHINode* goes_on = builder.CreatePHI(builder.getInt1Ty(), 2, "goes_on");
  goes_on->addIncoming(builder.getTrue(), before);
  goes_on->addIncoming(answer, ask);
  return goes_on;
}

// Threads leave in silence where all were told: whoever told them reports it.
static void leave_where_told(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* tick =
      builder.CreateLoad(builder.getInt32Ty(), record_field(builder, lower.record, stop_tick_offset));
  llvm::BasicBlock *told = new_block(lower, "told"), *next = new_block(lower, "not_told");
  llvm::MDNode* weights = llvm::MDBuilder(lower.state.context).createUnlikelyBranchWeights();
  builder.CreateCondBr(builder.CreateICmpEQ(tick, builder.getInt32(told_tick)), told, next, weights);
  builder.SetInsertPoint(told);
  builder.CreateIntrinsic(llvm::Intrinsic::nvvm_exit, {}, {});
  builder.CreateUnreachable();
  builder.SetInsertPoint(next);
}

void poll_at_start(Lowerer& lower) {
  if (!lower.ir.start_site) return;
  leave_where_told(lower);
  lower_check(lower, poll(lower), *lower.ir.start_site);
}

llvm::Value* vocabulary::gpu_poll(Lowerer& lower, const CustomCall&) { return poll(lower); }

} // namespace kern::lowering
