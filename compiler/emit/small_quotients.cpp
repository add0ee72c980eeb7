// The truncated quotient of two integers below 2^23 either way is the same in f32 as in f64. Both integers
// are exact there; a quotient that is no integer lies at least 1/|b| beside one, and its rounding moves it by
// at most |a / b| / 2^24, which is less. By zero it is an infinity, or no number, in both.
#include "compiler/emit/small_quotients.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace kern::emitting {

namespace {

using namespace llvm::PatternMatch;

constexpr unsigned exact_bits = 23;

// Says whether a float is an integer below 2^23 either way.
bool is_small(const llvm::Value* number, const llvm::DataLayout& layout) {
  llvm::Value* from = nullptr;
  if (!match(number, m_SIToFP(m_Value(from))) && !match(number, m_UIToFP(m_Value(from)))) return false;
  // LLVM does not count the signs of what all lanes hold.
  if (llvm::Value* held = llvm::getSplatValue(from)) from = held;
  if (llvm::isa<llvm::UIToFPInst>(number))
    return llvm::computeKnownBits(from, layout).countMaxActiveBits() <= exact_bits;
  const unsigned bits = from->getType()->getScalarSizeInBits();
  return bits <= exact_bits || llvm::ComputeNumSignBits(from, layout) >= bits - exact_bits;
}

bool is_small_quotient(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  return instruction.getOpcode() == llvm::Instruction::FDiv && instruction.getType()->isVectorTy() &&
         instruction.getType()->getScalarType()->isDoubleTy() && !instruction.use_empty() &&
         llvm::all_of(instruction.users(), llvm::IsaPred<llvm::FPToSIInst>) &&
         llvm::all_of(instruction.operands(),
                      [&](const llvm::Use& number) { return is_small(number.get(), layout); });
}

void divide_in_f32(llvm::Instruction& quotient) {
  llvm::IRBuilder<> builder(&quotient);
  llvm::Type* real = quotient.getType()->getWithNewType(builder.getFloatTy());
  auto shortened = [&](llvm::Value* number) {
    const auto* made = llvm::cast<llvm::CastInst>(number);
    return builder.CreateCast(made->getOpcode(), made->getOperand(0), real);
  };
  llvm::Value *above = shortened(quotient.getOperand(0)), *below = shortened(quotient.getOperand(1));
  llvm::Value* divided = builder.CreateFDiv(above, below);
  for (llvm::User* user : llvm::make_early_inc_range(quotient.users())) user->setOperand(0, divided);
  quotient.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses SmallQuotientsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  llvm::SmallVector<llvm::Instruction*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_small_quotient(instruction, layout)) found.push_back(&instruction);
  for (llvm::Instruction* quotient : found) divide_in_f32(*quotient);
  if (found.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace kern::emitting
