// What LLVM is told of a loop.
#include "compiler/lower/shared/lowerer.h"

namespace kern::lowering {

void hint_loop(Lowerer& lower, llvm::BranchInst* back, llvm::ArrayRef<llvm::Metadata*> hint) {
  llvm::LLVMContext& context = lower.state.context;
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, hint)});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

void forbid_unrolling(Lowerer& lower, llvm::BranchInst* back) {
  hint_loop(lower, back, llvm::MDString::get(lower.state.context, "llvm.loop.unroll.disable"));
}

} // namespace kern::lowering
