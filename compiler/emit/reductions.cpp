#include "compiler/emit/reductions.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include <string>
#include <string_view>

namespace kern::emitting {

namespace {

using Atomic = llvm::AtomicRMWInst;

// Returns the operation of PTX without the size of its type, "add.u"; "" where there is none.
std::string_view operation(const Atomic& atomic) {
  switch (atomic.getOperation()) {
  case Atomic::Add: return "add.u";
  case Atomic::Sub: return "add.u"; // of the negative
  case Atomic::FAdd: return "add.f";
  case Atomic::And: return "and.b";
  case Atomic::Or: return "or.b";
  case Atomic::Xor: return "xor.b";
  case Atomic::Max: return "max.s";
  case Atomic::Min: return "min.s";
  case Atomic::UMax: return "max.u";
  case Atomic::UMin: return "min.u";
  default: return "";
  }
}

// Returns the letter by which LLVM names a register of a type: of 32 or 64 bits, for an integer or a float.
std::string_view constraint(const llvm::Type& type) {
  if (type.isIntegerTy(32)) return "r";
  if (type.isIntegerTy(64)) return "l";
  if (type.isFloatTy()) return "f";
  return type.isDoubleTy() ? "d" : "";
}

// Returns the instruction for an atomic; "" where there is none.
std::string reduction(const Atomic& atomic) {
  constexpr unsigned generic = 0, global = 1;
  const unsigned space = atomic.getPointerAddressSpace();
  const bool is_relaxed = atomic.getOrdering() == llvm::AtomicOrdering::Monotonic && !atomic.isVolatile();
  const llvm::Type& type = *atomic.getValOperand()->getType();
  const std::string_view name = operation(atomic);
  if (!atomic.use_empty() || !is_relaxed || name.empty() || constraint(type).empty()) return "";
  if (space != generic && space != global) return "";
  return fmt::format("red{}.{}{} [$0], $1;", space == global ? ".global" : "", name,
                     type.getPrimitiveSizeInBits().getFixedValue());
}

void replace(Atomic& atomic, const std::string& reduction) {
  llvm::IRBuilder<> builder(&atomic);
  const bool is_sub = atomic.getOperation() == Atomic::Sub;
  llvm::Value* value = is_sub ? builder.CreateNeg(atomic.getValOperand()) : atomic.getValOperand();
  llvm::Value* operands[] = {atomic.getPointerOperand(), value};
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {operands[0]->getType(), operands[1]->getType()},
                                       /*isVarArg=*/false);
  const std::string registers = fmt::format("l,{},~{{memory}}", constraint(*operands[1]->getType()));
  builder.CreateCall(type, llvm::InlineAsm::get(type, reduction, registers, /*hasSideEffects=*/true),
                     operands);
  atomic.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses ReductionsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool has_changed = false;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* atomic = llvm::dyn_cast<Atomic>(&instruction);
      const std::string instead = atomic ? reduction(*atomic) : "";
      if (instead.empty()) continue;
      replace(*atomic, instead);
      has_changed = true;
    }
  if (!has_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace kern::emitting
