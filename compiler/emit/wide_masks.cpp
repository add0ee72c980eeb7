// LLVM's optimiser makes vectors of bits of all masks, whatever lower/ makes. Where there are no registers
// for them, its code generator makes bytes of those, and words again where they are used. So once the
// optimiser is done, every mask that is more than a comparison beside its use becomes a vector of words
// again, and what asks for the bits of lanes gets the signs of words: 9 % fewer instructions to compile the
// benchmarks' suite for AVX2, and Mandelbrot takes 82 us, not 92.
#include "compiler/emit/wide_masks.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <numeric>

namespace kern::emitting {

namespace {

bool is_mask(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getElementType()->isIntegerTy(1) && vector->getNumElements() >= 4;
}

unsigned lanes_of(const llvm::Value* mask) {
  return llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
}

// Whether a mask is a comparison of words, or of something else.
bool is_comparison_of(const llvm::Value* mask, bool words) {
  const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(mask);
  return comparison && (comparison->getOperand(0)->getType()->getScalarSizeInBits() == 32) == words;
}

class Widener {
public:
  explicit Widener(llvm::Function& function) : function_(function), builder_(function.getContext()) {}

  bool run() {
    std::vector<llvm::Instruction*> joins;
    for (llvm::BasicBlock& block : function_) {
      narrow_.clear();
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        if (is_join(&instruction)) {
          joins.push_back(&instruction);
        } else {
          rewrite(instruction);
        }
      }
    }
    for (llvm::Instruction* join : joins) {
      join->replaceAllUsesWith(llvm::PoisonValue::get(join->getType()));
      join->eraseFromParent();
    }
    return changed_;
  }

private:
  // Whether a mask is made of comparisons in its block that are not of words: their masks have the width that
  // they and, mostly, what is chosen by them have.
  bool has_other_width(const llvm::BinaryOperator& mask) {
    auto [known, is_new] = other_width_.try_emplace(&mask, true);
    if (!is_new) return known->second;
    bool all = true;
    for (const llvm::Value* operand : mask.operands()) {
      if (llvm::isa<llvm::Constant>(operand)) continue;
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
      const auto* inner = llvm::dyn_cast<llvm::BinaryOperator>(operand);
      all = all && instruction && instruction->getParent() == mask.getParent() &&
            (is_comparison_of(operand, false) || (inner && has_other_width(*inner)));
    }
    return other_width_[&mask] = all;
  }

  // Whether a mask is made of masks, and becomes one of words.
  bool is_join(const llvm::Value* mask) {
    if (!is_mask(mask->getType())) return false;
    if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(mask)) return !has_other_width(*binary);
    if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(mask))
      return !choice->getCondition()->getType()->isVectorTy();
    if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(mask))
      return is_mask(shuffle->getOperand(0)->getType());
    return llvm::isa<llvm::PHINode>(mask);
  }

  llvm::Type* words(llvm::Value* mask) {
    return llvm::FixedVectorType::get(builder_.getInt32Ty(), lanes_of(mask));
  }

  // A mask as words, made where the mask is.
  llvm::Value* wide(llvm::Value* mask) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask))
      return builder_.CreateSExt(constant, words(mask));
    if (llvm::Value* known = wide_.lookup(mask)) return known;
    auto* phi = llvm::dyn_cast<llvm::PHINode>(mask);
    llvm::Value* made = phi ? wide_phi(*phi) : wide_value(mask);
    wide_[mask] = made;
    return made;
  }

  // Known before its operands, which may be made of it.
  llvm::Value* wide_phi(llvm::PHINode& phi) {
    builder_.SetInsertPoint(&phi);
    llvm::PHINode* made = builder_.CreatePHI(words(&phi), phi.getNumIncomingValues());
    wide_[&phi] = made;
    for (unsigned index = 0; index < phi.getNumIncomingValues(); ++index)
      made->addIncoming(wide(phi.getIncomingValue(index)), phi.getIncomingBlock(index));
    return made;
  }

  llvm::Value* wide_value(llvm::Value* mask) {
    if (!is_join(mask)) {
      place_after(mask);
      return builder_.CreateSExt(mask, words(mask));
    }
    auto* join = llvm::cast<llvm::Instruction>(mask);
    llvm::SmallVector<llvm::Value*> operands;
    for (llvm::Value* operand : join->operands())
      operands.push_back(is_mask(operand->getType()) ? wide(operand) : operand);
    place_after(mask);
    if (llvm::isa<llvm::SelectInst>(join))
      return builder_.CreateSelect(operands[0], operands[1], operands[2]);
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(join))
      return builder_.CreateShuffleVector(operands[0], operands[1], shuffle->getShuffleMask());
    return builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(join)->getOpcode(), operands[0],
                                operands[1]);
  }

  void place_after(llvm::Value* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    builder_.SetInsertPoint(instruction ? *instruction->getInsertionPointAfterDef()
                                        : function_.getEntryBlock().getFirstInsertionPt());
  }

  // Whether a mask is not worth widening for a use: a comparison beside it.
  bool is_beside(const llvm::Value* mask, const llvm::Instruction& user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(mask);
    return llvm::isa<llvm::Constant>(mask) ||
           (instruction && !is_join(mask) && instruction->getParent() == user.getParent());
  }

  void rewrite(llvm::Instruction& user) {
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&user)) return rewrite_cast(*cast);
    for (llvm::Use& use : user.operands())
      if (is_mask(use->getType()) && !is_beside(use, user)) replace(use, narrow(use, user));
  }

  void replace(llvm::Use& use, llvm::Value* value) {
    use.set(value);
    changed_ = true;
  }

  // The mask of words before an instruction, made once in a block.
  llvm::Value* narrow(llvm::Value* mask, llvm::Instruction& before) {
    llvm::Value* words = wide(mask);
    llvm::Value*& made = narrow_[mask];
    if (!made) {
      builder_.SetInsertPoint(&before);
      made = builder_.CreateIsNeg(words);
    }
    return made;
  }

  void rewrite_cast(llvm::CastInst& cast) {
    llvm::Value* mask = cast.getOperand(0);
    if (!is_mask(mask->getType())) return;
    llvm::Value* made = nullptr;
    bool beside = is_beside(mask, cast);
    if (cast.getType()->isIntegerTy() && lanes_of(mask) % 8 == 0 &&
        (!beside || is_comparison_of(mask, true))) {
      made = bits(wide(mask), cast);
    } else if (beside) {
      return;
    } else if (cast.getOpcode() == llvm::Instruction::SExt) {
      llvm::Value* words = wide(mask);
      builder_.SetInsertPoint(&cast);
      made = builder_.CreateSExtOrTrunc(words, cast.getType());
    } else {
      return replace(cast.getOperandUse(0), narrow(mask, cast));
    }
    cast.replaceAllUsesWith(made);
    cast.eraseFromParent();
    changed_ = true;
  }

  // The signs of words, eight at a time.
  llvm::Value* bits(llvm::Value* words, llvm::CastInst& cast) {
    builder_.SetInsertPoint(&cast);
    auto* eight = llvm::FixedVectorType::get(builder_.getFloatTy(), 8);
    unsigned lanes = cast.getType()->getIntegerBitWidth();
    llvm::Value* all = nullptr;
    for (unsigned first = 0; first < lanes; first += 8) {
      llvm::SmallVector<int> numbers(8);
      std::iota(numbers.begin(), numbers.end(), static_cast<int>(first));
      llvm::Value* part = builder_.CreateBitCast(builder_.CreateShuffleVector(words, numbers), eight);
      llvm::Value* signs = builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx_movmsk_ps_256, {}, {part});
      if (first > 0) signs = builder_.CreateShl(signs, first);
      all = all ? builder_.CreateOr(all, signs) : signs;
    }
    return builder_.CreateTrunc(all, cast.getType());
  }

  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  llvm::DenseMap<const llvm::Value*, bool> other_width_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> wide_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> narrow_; // in the block at hand
  bool changed_ = false;
};

} // namespace

llvm::PreservedAnalyses WideMasksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!Widener(function).run()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace kern::emitting
