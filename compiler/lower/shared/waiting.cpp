// Threads that wait (transform/take_turns.cpp), as functions taken out of the code of a kernel: outlining. It
// stays with emission, since what is taken out is blocks and allocas, which only LLVM's IR has. On the CPU
// the vectors of a block run one after the other, so one that waits must let those after it go on: in a
// segment where threads wait, each turn is a function of its own, which the runtime can put aside in the
// middle. The segment is lowered like any other; what a turn begins and ends with is noted, and when the
// kernel is whole, LLVM takes the turns out of it. A turn has its own copy of every alloca but those that are
// one for the block.
#include <llvm/IR/DebugInfo.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include "compiler/analysis/threads/waiting.h"
#include "compiler/lower/shared/lowering.h"
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

// A loop goes round so often, a power of two, before it asks: where what it waits for comes soon, asking would be
// all that takes time. The state counts. The CPU's runtime is asked for a turn for another thread; on a GPU, whose
// hardware shares out turns, the fault record says whether the thread that is waited for may be one that has left.
static constexpr std::uint64_t rounds_on_cpu = 64, rounds_on_gpu = 1 << 14;

// Returns the answer for a loop that has gone round often enough.
static llvm::Value* ask_for_turn(Lowerer& lower, llvm::Value* state) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.gpu()) {
    llvm::Value* record = builder.CreateLoad(builder.getInt32Ty(), lower.record, true);
    return builder.CreateSelect(is_fault(builder, record), i64(lower.state, -1), i64(lower.state, 0));
  }
  auto* type =
      llvm::FunctionType::get(builder.getInt64Ty(), {builder.getPtrTy(), builder.getInt64Ty()}, false);
  return builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_wait", type),
                            {lower.record, builder.CreateSub(state, i64(lower.state, rounds_on_cpu))});
}

llvm::Value* vocabulary::take_turn(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  Value own = read_value(lower, call.args[0]);
  llvm::Value* state = lower.is_vector() ? value_of_first_lane(lower, own) : own.value;
  state = builder.CreateAdd(state, i64(lower.state, 1));
  const std::uint64_t rounds = lower.gpu() ? rounds_on_gpu : rounds_on_cpu;
  llvm::Value* counted = builder.CreateAnd(state, i64(lower.state, rounds - 1));
  // What a GPU counts is not below zero as it stands, so that only an answer is looked at.
  if (lower.gpu()) state = counted;
  llvm::BasicBlock *before = builder.GetInsertBlock(), *ask = new_block(lower, "ask_for_turn"),
                   *goes_on = new_block(lower, "goes_on");
  builder.CreateCondBr(builder.CreateIsNull(counted), ask, goes_on);
  builder.SetInsertPoint(ask);
  llvm::Value* answer = ask_for_turn(lower, state);
  builder.CreateBr(goes_on);
  builder.SetInsertPoint(goes_on);
  llvm::PHINode* next = builder.CreatePHI(builder.getInt64Ty(), 2, "turn");
  next->addIncoming(state, before);
  next->addIncoming(answer, ask);
  return next;
}

// ---- Turns of their own ----

void in_own_turns(Lowerer& lower, const ir::Segment& segment, const std::function<void()>& body) {
  const bool apart = lower.ir.meeting == ir::Meeting::Apart;
  if (!apart && (!lower.waits || !has_waits(lower.state.ir, segment.body))) return body();
  lower.own_turns.now = true;
  body();
  lower.own_turns.now = false;
  llvm::IRBuilder<>& builder = lower.builder;
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_end_turns", type), {lower.record});
}

void begin_own_turn(Lowerer& lower, llvm::BasicBlock* next) {
  if (!lower.own_turns.now) return;
  llvm::BasicBlock* first = new_block(lower, "own_turn");
  enter(lower, first);
  lower.own_turns.found.push_back({first, next});
}

static llvm::SetVector<llvm::BasicBlock*> blocks_of(const OwnTurns::Turn& turn) {
  llvm::SetVector<llvm::BasicBlock*> blocks;
  blocks.insert(turn.first);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (llvm::BasicBlock* successor : llvm::successors(blocks[i]))
      if (successor != turn.next) blocks.insert(successor);
  return blocks;
}

// An alloca of the kernel, and what a turn has instead.
struct AllocaCopy {
  llvm::AllocaInst *original, *copy;
};

// Gives the turn copies of allocas. What they hold when it begins is read before it: parameters, say. An
// array holds nothing then.
static std::vector<AllocaCopy> copy_allocas(Lowerer& lower, const OwnTurns::Turn& turn,
                                            const llvm::SetVector<llvm::BasicBlock*>& blocks) {
  std::vector<AllocaCopy> copies;
  llvm::IRBuilder<> before(turn.first->getSinglePredecessor()->getTerminator());
  llvm::IRBuilder<> begin(turn.first, turn.first->begin());
  for (llvm::Instruction& instruction : lower.function->getEntryBlock()) {
    auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!alloca || lower.own_turns.of_block.contains(alloca)) continue;
    auto is_inside = [&](const llvm::Use& use) {
      return blocks.contains(llvm::cast<llvm::Instruction>(use.getUser())->getParent());
    };
    if (llvm::none_of(alloca->uses(), is_inside)) continue;
    llvm::Type* type = alloca->getAllocatedType();
    llvm::AllocaInst* copy = begin.CreateAlloca(type, nullptr, alloca->getName());
    copies.push_back({alloca, copy});
    copy->setAlignment(alloca->getAlign());
    alloca->replaceUsesWithIf(copy, [&](llvm::Use& use) { return is_inside(use); });
    if (!type->isArrayTy()) begin.CreateStore(before.CreateLoad(type, alloca), copy);
  }
  return copies;
}

// A debugger that is stopped in a turn looks for variables there.
static void describe_copies(Lowerer& lower, llvm::Function& turn, const std::vector<AllocaCopy>& copies) {
  llvm::DISubprogram *kernel = lower.function->getSubprogram(), *own = turn.getSubprogram();
  if (!lower.state.debug.has_variables() || !own) return;
  // There it is the kernel.
  constexpr unsigned name = 2, linkage_name = 3;
  own->replaceOperandWith(name, kernel->getRawName());
  own->replaceOperandWith(linkage_name, kernel->getRawLinkageName());
  llvm::LLVMContext& context = lower.state.context;
  llvm::DenseMap<const llvm::MDNode*, llvm::MDNode*> frames;
  for (const AllocaCopy& each : copies) {
    for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(each.original)) {
      llvm::DILocalVariable* variable = record->getVariable();
      if (variable->getScope() == kernel && !record->getDebugLoc().getInlinedAt())
        variable = llvm::DILocalVariable::get(context, own, variable->getName(), variable->getFile(),
                                              variable->getLine(), variable->getType(), variable->getArg(),
                                              variable->getFlags(), 0, nullptr);
      llvm::DebugLoc place =
          llvm::DebugLoc::replaceInlinedAtSubprogram(record->getDebugLoc(), *own, context, frames);
      lower.state.debug.builder().insertDeclare(each.copy, variable, record->getExpression(), place,
                                                turn.getEntryBlock().getTerminator());
    }
  }
}

// Leaves a turn to the runtime, in place of the call of its function.
static void keep_turn(Lowerer& lower, llvm::Function* function) {
  auto* call = llvm::cast<llvm::CallInst>(function->user_back());
  llvm::IRBuilder<> builder(call);
  llvm::Value* args = call->getArgOperand(0);
  llvm::Type* type = llvm::cast<llvm::AllocaInst>(args)->getAllocatedType();
  std::uint64_t bytes = lower.state.module.getDataLayout().getTypeAllocSize(type);
  llvm::Type* pointer = builder.getPtrTy();
  auto* keep_type =
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, builder.getInt64Ty()}, false);
  builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_turn", keep_type),
                     {lower.record, function, args, i64(lower.state, static_cast<std::int64_t>(bytes))});
  call->eraseFromParent();
}

void take_out_turns(Lowerer& lower) {
  if (lower.own_turns.found.empty()) return;
  llvm::EliminateUnreachableBlocks(*lower.function);
  for (const OwnTurns::Turn& turn : lower.own_turns.found) {
    llvm::SetVector<llvm::BasicBlock*> blocks = blocks_of(turn);
    std::vector<AllocaCopy> copies = copy_allocas(lower, turn, blocks);
    constexpr bool in_struct = true, may_alloca = true;
    llvm::CodeExtractor extractor(blocks.getArrayRef(), nullptr, in_struct, nullptr, nullptr, nullptr, false,
                                  may_alloca, &lower.function->getEntryBlock(), "turn");
    llvm::CodeExtractorAnalysisCache cache(*lower.function);
    llvm::Function* function = extractor.extractCodeRegion(cache);
    assert(function && "a turn has one entry and one exit");
    // In the first block LLVM can keep them in registers.
    for (const AllocaCopy& each : copies) each.copy->moveBefore(&*function->getEntryBlock().begin());
    describe_copies(lower, *function, copies);
    keep_turn(lower, function);
  }
}

} // namespace kern::lowering
