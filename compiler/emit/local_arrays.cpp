// Follows each index of a local array back to constants. What stands between are operations that fold once their
// operands are constants, and counters of loops: those are written out. LLVM itself weighs a loop by what a round
// saves, and knows nothing of what an array in registers is worth: a matrix of 8 by 8 stays in memory.
#include "compiler/emit/local_arrays.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <optional>

namespace kern::emitting {

namespace {

// A thread has 255 registers of four bytes.
constexpr std::uint64_t most_bytes = 1024;
// Of all loops of a function that are written out, before anything is folded.
constexpr std::size_t most_instructions = 20'000;
// Of operations one behind the other, which are followed by recursion.
constexpr int most_depth = 200;

using Loops = llvm::SmallSetVector<llvm::Loop*, 8>;

// What of an array has to change, so that it can be in registers.
struct Plan {
  Loops loops; // to be written out
  std::optional<Keeps> obstacle = {};
  llvm::DebugLoc place = {}; // of the obstacle
};

class Indices {
public:
  Indices(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        blocks_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)) {}

  // Says whether all accesses to an array are of constant indices once `plan.loops` are written out.
  Plan plan(llvm::AllocaInst& array) {
    plan_ = {};
    known_.clear();
    std::optional<llvm::TypeSize> size = array.getAllocationSize(array.getDataLayout());
    if (!size || size->getFixedValue() > most_bytes)
      plan_.obstacle = Keeps::Size;
    else
      follow(array);
    return std::move(plan_);
  }

  // Returns how often a loop runs in each round of one around it that runs so often: a loop that counts to what that
  // one counts runs half as often as at most.
  std::size_t rounds(llvm::Loop& loop, std::size_t around) const {
    unsigned rounds = 0;
    llvm::SmallVector<llvm::BasicBlock*> exits;
    loop.getExitingBlocks(exits);
    for (llvm::BasicBlock* block : exits) {
      unsigned count = evolution_.getSmallConstantTripCount(&loop, block);
      if (count > 0 && (rounds == 0 || count < rounds)) rounds = count;
    }
    if (rounds > 0) return rounds;
    const std::size_t most = evolution_.getSmallConstantMaxTripCount(&loop);
    return (most > 0 ? most : around) / 2 + 1;
  }

private:
  bool fail(Keeps why, llvm::DebugLoc place) {
    if (!plan_.obstacle) plan_.obstacle = why, plan_.place = std::move(place);
    return false;
  }

  bool follow(llvm::Instruction& address) {
    return llvm::all_of(address.users(), [&](llvm::User* user) {
      auto& use = llvm::cast<llvm::Instruction>(*user);
      if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&use)) {
        for (llvm::Value* index : place->indices())
          if (!becomes_constant(*index)) return fail(Keeps::Index, first_access(*place));
        return follow(use);
      }
      if (llvm::isa<llvm::CastInst>(use) && use.getType()->isPointerTy()) return follow(use);
      if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(use) || use.isLifetimeStartOrEnd()) return true;
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&use))
        if (store->getValueOperand() != &address) return true;
      if (auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&use))
        return llvm::isa<llvm::Constant>(fill->getLength()) || fail(Keeps::Index, use.getDebugLoc());
      return fail(Keeps::Address, use.getDebugLoc());
    });
  }

  // The address may have been computed at another place than the access.
  static llvm::DebugLoc first_access(const llvm::GetElementPtrInst& address) {
    for (const llvm::User* user : address.users())
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(user))
        return llvm::cast<llvm::Instruction>(user)->getDebugLoc();
    return address.getDebugLoc();
  }

  bool becomes_constant(llvm::Value& value) {
    if (llvm::isa<llvm::Constant>(value)) return true;
    auto [known, is_new] = known_.try_emplace(&value, true); // of a counter that is made of itself
    if (!is_new) return known->second;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    ++depth_;
    const bool becomes = instruction && depth_ <= most_depth && folds(*instruction);
    --depth_;
    known_[&value] = becomes;
    return becomes;
  }

  bool have_constants(llvm::Instruction& instruction) {
    return llvm::all_of(instruction.operands(),
                        [&](llvm::Value* operand) { return becomes_constant(*operand); });
  }

  bool folds(llvm::Instruction& instruction) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      llvm::Loop* loop = loops_.getLoopFor(phi->getParent());
      const bool is_counter = loop && loop->getHeader() == phi->getParent();
      if (!is_counter) return is_decided(*phi->getParent()) && have_constants(*phi);
      return have_constants(*phi) && can_write_out(*loop);
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      llvm::Function* callee = call->getCalledFunction();
      return callee && call->arg_size() > 0 && llvm::canConstantFoldCallTo(call, callee) &&
             llvm::all_of(call->args(), [&](llvm::Value* arg) { return becomes_constant(*arg); });
    }
    return !instruction.mayReadOrWriteMemory() && !instruction.isTerminator() &&
           !llvm::isa<llvm::AllocaInst>(instruction) && have_constants(instruction);
  }

  // Says whether the branch from which ways part that meet in a block goes one of them only.
  bool is_decided(llvm::BasicBlock& meeting) {
    if (meeting.getSinglePredecessor()) return true;
    const llvm::DomTreeNode* node = blocks_.getNode(&meeting); // none of a block that nothing reaches
    const llvm::DomTreeNode* parting = node ? node->getIDom() : nullptr;
    auto* branch = parting ? llvm::dyn_cast<llvm::BranchInst>(parting->getBlock()->getTerminator()) : nullptr;
    return branch && (branch->isUnconditional() || becomes_constant(*branch->getCondition()));
  }

  // The number of rounds is a constant, or one as soon as the loops around are written out: `for j in range(i)`.
  bool can_write_out(llvm::Loop& loop) {
    if (!plan_.loops.insert(&loop)) return true;
    const bool is_said = (llvm::hasUnrollTransformation(&loop) & llvm::TM_Disable) != 0 ||
                         llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count");
    if (is_said) return fail(Keeps::Unrolled, loop.getStartLoc());
    llvm::SmallVector<llvm::BasicBlock*> exits;
    loop.getExitingBlocks(exits);
    const bool is_counted = llvm::any_of(exits, [&](llvm::BasicBlock* block) {
      return evolution_.getSmallConstantTripCount(&loop, block) > 0;
    });
    const bool will_be = is_counted || llvm::any_of(exits, [&](llvm::BasicBlock* block) {
                           auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
                           Plan before = plan_; // of several ways out one is enough
                           if (branch && branch->isConditional() && becomes_constant(*branch->getCondition()))
                             return true;
                           plan_ = std::move(before);
                           return false;
                         });
    return will_be || fail(Keeps::Rounds, loop.getStartLoc());
  }

  llvm::LoopInfo& loops_;
  llvm::DominatorTree& blocks_;
  llvm::ScalarEvolution& evolution_;
  Plan plan_;
  llvm::DenseMap<llvm::Value*, bool> known_;
  int depth_ = 0;
};

// Returns the instructions of a loop once those of a set are written out.
std::size_t written_out(llvm::Loop& loop, const Loops& wanted, const Indices& indices,
                        std::size_t around = 1) {
  const std::size_t rounds = indices.rounds(loop, around);
  std::size_t size = 0;
  for (llvm::BasicBlock* block : loop.blocks()) size += block->size();
  for (llvm::Loop* inner : loop) {
    for (llvm::BasicBlock* block : inner->blocks()) size -= block->size();
    size += written_out(*inner, wanted, indices, rounds);
    if (size > most_instructions) return size;
  }
  return wanted.contains(&loop) ? size * rounds : size;
}

std::size_t written_out(llvm::LoopInfo& loops, const Loops& wanted, const Indices& indices) {
  std::size_t size = 0;
  for (llvm::Loop* loop : loops) {
    const bool has_one = llvm::any_of(wanted, [&](llvm::Loop* inner) { return loop->contains(inner); });
    if (has_one) size += written_out(*loop, wanted, indices);
  }
  return size;
}

// Returns the arrays of a function in the order in which the program makes them: the last one stands first.
std::vector<llvm::AllocaInst*> arrays_of(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> arrays;
  for (llvm::Instruction& instruction : function.getEntryBlock())
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (alloca->getAllocatedType()->isArrayTy()) arrays.push_back(alloca);
  std::ranges::reverse(arrays);
  return arrays;
}

// Marks the loops that keep arrays in memory for LLVM's unroller; says whether there are any.
bool mark_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  std::vector<llvm::AllocaInst*> arrays = arrays_of(function);
  if (arrays.empty()) return false;
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  Indices indices(function, analyses);
  Loops wanted;
  for (llvm::AllocaInst* array : arrays) {
    Plan plan = indices.plan(*array);
    if (plan.obstacle) continue;
    Loops more = wanted;
    more.insert(plan.loops.begin(), plan.loops.end());
    if (written_out(loops, more, indices) <= most_instructions) wanted = std::move(more);
  }
  for (llvm::Loop* loop : wanted) llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
  return !wanted.empty();
}

} // namespace

llvm::PreservedAnalyses LocalArraysPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
  passes.addPass(builder_.buildFunctionSimplificationPipeline(llvm::OptimizationLevel::O3,
                                                              llvm::ThinOrFullLTOPhase::None));
  // A loop that counts to what a loop around it counts may need a round of its own.
  constexpr int most_rounds = 3;
  bool changed = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasOptNone()) continue;
    for (int round = 0; round < most_rounds && mark_loops(function, functions); ++round) {
      functions.invalidate(function, passes.run(function, functions));
      changed = true;
    }
    find_kept(function, functions);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

void LocalArraysPass::find_kept(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  std::vector<llvm::AllocaInst*> arrays = arrays_of(function);
  if (arrays.empty()) return;
  Indices indices(function, analyses);
  for (llvm::AllocaInst* array : arrays) {
    if (!array->getDebugLoc()) continue;
    Plan plan = indices.plan(*array);
    const bool is_constant = !plan.obstacle && plan.loops.empty(); // later passes put it into registers
    if (is_constant) continue;
    llvm::DebugLoc place = plan.obstacle ? plan.place : plan.loops.front()->getStartLoc();
    kept_.push_back({array->getDebugLoc(), plan.obstacle.value_or(Keeps::Length), place});
  }
}

} // namespace kern::emitting
