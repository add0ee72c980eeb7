// GPU code goes through LLVM's own O3 pipeline without its vectorisers: a thread has nothing to vectorise,
// and they would cost a third of the time. CPU code is vectors already, in one function that lower/ wrote
// with nothing to inline; it gets a pipeline of its own, each pass of which pays for itself in the
// benchmarks, in half of the time. IndVarSimplify, GVN and DSE did not: 11 % of all instructions to compile,
// and without them no kernel of the benchmarks takes longer by more than runs differ.
#include "compiler/emit/optimize.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/emit/integer_quotients.h"
#include "compiler/emit/loop_counters.h"
#include "compiler/emit/overflow_tests.h"
#include "compiler/emit/reductions.h"
#include "compiler/emit/small_quotients.h"
#include "compiler/emit/wide_masks.h"
#include "compiler/lower/lower.h"

namespace kern::emitting {

// The analyses that the passes of one run share.
struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  explicit Analyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

static llvm::ModulePassManager gpu_pipeline(llvm::PassBuilder& builder, std::vector<InMemory>& kept) {
  builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(IntegerQuotientsPass());
    passes.addPass(OverflowTestsPass());
  });
  builder.registerOptimizerEarlyEPCallback([&](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(LocalArraysPass(builder, kept));
  });
  return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
}

static llvm::ModulePassManager cpu_pipeline(bool wide_masks) {
  using namespace llvm;
  SimplifyCFGOptions late = SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  ModulePassManager modules;
  modules.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  modules.addPass(GlobalDCEPass());
  passes = FunctionPassManager();
  passes.addPass(OverflowTestsPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager first;
  first.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  first.addPass(LICMPass(LICMOptions()));
  first.addPass(SimpleLoopUnswitchPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager second;
  second.addPass(LoopIdiomRecognizePass());
  second.addPass(LoopDeletionPass());
  second.addPass(LoopFullUnrollPass(3));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(second)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(CorrelatedValuePropagationPass());
  // The first LICM keeps what loops store in registers, where it can be: looking again takes 2 % of all.
  LICMOptions hoist_only;
  hoist_only.MssaNoAccForPromotionCap = 0;
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(hoist_only), /*UseMemorySSA=*/true));
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(3)));
  passes.addPass(SimplifyCFGPass(late));
  passes.addPass(SmallQuotientsPass());
  passes.addPass(InstCombinePass());
  if (wide_masks) passes.addPass(WideMasksPass());
  modules.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  modules.addPass(GlobalDCEPass());
  return modules;
}

// LLVM chooses instructions for a block at a time, in the square of the block's length.
static void split_long_blocks(llvm::Function& function) {
  constexpr std::size_t longest = 100;
  std::vector<llvm::Instruction*> begins;
  for (llvm::BasicBlock& block : function) {
    std::size_t length = 0;
    for (llvm::Instruction& instruction : block) {
      // All instructions before an alloca stay with it in the first block.
      if (llvm::isa<llvm::AllocaInst>(instruction)) begins.clear();
      bool may_begin = !llvm::isa<llvm::PHINode>(instruction) && !llvm::isa<llvm::AllocaInst>(instruction);
      if (++length <= longest || !may_begin) continue;
      begins.push_back(&instruction);
      length = 0;
    }
  }
  // From the last one: what is behind a cut is moved.
  for (llvm::Instruction* begin : llvm::reverse(begins)) begin->getParent()->splitBasicBlock(begin);
}

// To make a register of what is assigned in several blocks LLVM looks at all blocks behind them.
static bool has_many_variables(const llvm::Function& function) {
  constexpr std::size_t most_visits = 10'000'000;
  std::size_t variables = 0;
  for (const llvm::Instruction& instruction : function.getEntryBlock()) {
    if (!llvm::isa<llvm::AllocaInst>(instruction)) continue;
    auto stores = llvm::count_if(instruction.users(), llvm::IsaPred<llvm::StoreInst>);
    variables += stores > 1;
  }
  return variables * function.size() > most_visits;
}

// Gives a function only what takes a time in proportion to its length. All later passes, and the choice of
// instructions, leave it as it is by its attribute, which the other functions of its module do not have.
static void optimize_little(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  if (!has_many_variables(function)) passes.run(function, analyses);
  split_long_blocks(function);
  analyses.clear(function, function.getName());
  function.addFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::NoInline);
}

// Whether the CPU has vectors, and no registers for masks of them.
static bool has_vectors_only(const llvm::TargetMachine& machine) {
  return machine.getTargetTriple().isX86() && machine.getMCSubtargetInfo()->checkFeatures("+avx2") &&
         !has_mask_registers(machine);
}

static llvm::ModulePassManager full_pipeline(llvm::PassBuilder& builder, const llvm::TargetMachine& machine,
                                             Target target, std::vector<InMemory>& kept) {
  return target == Target::Cuda ? gpu_pipeline(builder, kept) : cpu_pipeline(has_vectors_only(machine));
}

// A block counts for these many instructions.
std::size_t size_of(const llvm::Function& function) {
  constexpr std::size_t instructions_of_a_block = 16;
  return function.getInstructionCount() + instructions_of_a_block * function.size();
}

std::size_t most_instructions(Target target) { return target == Target::Cuda ? 200'000 : 20'000; }

bool is_large(const llvm::Function& function, Target target) {
  return size_of(function) > most_instructions(target);
}

// A pass whose time is more than in proportion to a function's length, or that makes the function longer, with the
// length up to which it runs. What it would do is done in part by others: a loop of a constant count is unrolled in
// full by a pass of its own, and what branches tell of ranges reaches InstCombine too.
struct Bound {
  llvm::StringRef pass;
  std::size_t most_instructions;
};
constexpr Bound bounds[] = {
    {"LoopUnrollPass", 20'000},
    {"ConstraintEliminationPass", 40'000},
    {"CorrelatedValuePropagationPass", 40'000},
    {"WarnMissedTransformationsPass", 0}, // to stderr, of loops that nobody asked LLVM to name
};

static const llvm::Function* function_of(llvm::Any ir) {
  if (const auto* function = llvm::any_cast<const llvm::Function*>(&ir)) return *function;
  if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&ir)) return (*loop)->getHeader()->getParent();
  return nullptr;
}

static bool is_within_bounds(llvm::StringRef pass, llvm::Any ir) {
  const Bound* bound = llvm::find_if(bounds, [&](const Bound& one) { return one.pass == pass; });
  const llvm::Function* function = bound == std::end(bounds) ? nullptr : function_of(ir);
  return !function || size_of(*function) <= bound->most_instructions;
}

std::vector<InMemory> optimize(llvm::Module& module, llvm::TargetMachine& machine, Target target,
                               int optimization) {
  if (optimization == 0) {
    llvm::for_each(module, split_long_blocks);
    return {};
  }
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = true;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skips_large(/*DebugLogging=*/false);
  skips_large.registerCallbacks(callbacks);
  callbacks.registerShouldRunOptionalPassCallback(is_within_bounds);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  Analyses analyses(builder);
  for (llvm::Function& function : module)
    if (is_large(function, target)) optimize_little(function, analyses.functions);
  std::vector<InMemory> kept;
  full_pipeline(builder, machine, target, kept).run(module, analyses.modules);
  // By themselves, as a pipeline passes over a large function.
  for (llvm::Function& function : module) {
    if (target == Target::Cuda) ReductionsPass().run(function, analyses.functions);
    if (function.hasFnAttribute(holds_reruns)) hide_loop_counters(function);
  }
  return kept;
}

} // namespace kern::emitting
