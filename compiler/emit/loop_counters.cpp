#include "compiler/emit/loop_counters.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace kern::emitting {

// Nothing is known of what a `freeze` gives, and no instruction comes of it.
static void hide(llvm::PHINode& counter) {
  auto* hidden = new llvm::FreezeInst(&counter, "", counter.getParent()->getFirstInsertionPt());
  counter.replaceUsesWithIf(hidden, [&](const llvm::Use& use) { return use.getUser() != hidden; });
}

void hide_loop_counters(llvm::Function& function) {
  const llvm::DominatorTree tree(function);
  const llvm::LoopInfo loops(tree);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    for (llvm::PHINode& phi : loop->getHeader()->phis())
      if (phi.getType()->isIntOrPtrTy() && !phi.getType()->isIntegerTy(1)) hide(phi);
}

} // namespace kern::emitting
