// The truncated quotient of two integers is the same whether they are divided as integers or as doubles, as
// long as both are exact as doubles: a quotient that is no integer lies at least 1/|b| beside one, and its
// rounding moves it by at most |a / b| / 2^53, which is less while |a| < 2^53.
#include "compiler/emit/integer_quotients.h"

#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <limits>
#include <optional>

namespace kern::emitting {

namespace {

using namespace llvm::PatternMatch;

// An integer of 64 bits that is exact as a double.
struct Exact {
  llvm::Value* value = nullptr; // of any width, or a constant of 64 bits
  bool is_signed = true;        // how it is extended to 64 bits
  llvm::ConstantRange range{64, true};
};

constexpr std::int64_t most_exact = std::int64_t{1} << 53;

class Quotients {
public:
  explicit Quotients(llvm::Function& function)
      : function_(function), builder_(function.getContext()), layout_(function.getParent()->getDataLayout()) {
  }

  bool run() {
    llvm::SmallVector<llvm::BinaryOperator*> found;
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& instruction : block)
        if (instruction.getType()->isDoubleTy() && is_quotient(instruction))
          found.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
    bool has_changed = false;
    for (llvm::BinaryOperator* quotient : found) has_changed |= rewrite(*quotient);
    return has_changed;
  }

private:
  static bool is_quotient(const llvm::Instruction& instruction) {
    return instruction.getOpcode() == llvm::Instruction::FDiv ||
           instruction.getOpcode() == llvm::Instruction::FMul;
  }

  // Returns the integer that a double is, if all that it may be is exact.
  std::optional<Exact> exact(llvm::Value* number) const {
    Exact found;
    llvm::Value* from = nullptr;
    const llvm::APFloat* constant = nullptr;
    if (match(number, m_APFloat(constant))) {
      llvm::APSInt whole(64, /*isUnsigned=*/false);
      bool is_whole = false;
      constant->convertToInteger(whole, llvm::APFloat::rmTowardZero, &is_whole);
      if (!is_whole || constant->isNegZero()) return std::nullopt;
      found.value = llvm::ConstantInt::get(number->getContext(), whole);
      found.range = llvm::ConstantRange(whole);
    } else if (match(number, m_SIToFP(m_Value(from))) || match(number, m_UIToFP(m_Value(from)))) {
      found.is_signed = llvm::isa<llvm::SIToFPInst>(number);
      if (from->getType()->getIntegerBitWidth() > 64) return std::nullopt;
      found.value = from;
      const llvm::ConstantRange range =
          llvm::ConstantRange::fromKnownBits(llvm::computeKnownBits(from, layout_), found.is_signed)
              .intersectWith(llvm::computeConstantRange(from, found.is_signed));
      found.range = found.is_signed ? range.sextOrTrunc(64) : range.zextOrTrunc(64);
    } else {
      return std::nullopt;
    }
    const llvm::ConstantRange& range = found.range;
    const bool is_exact = found.is_signed
                              ? range.getSignedMin().sgt(-most_exact) && range.getSignedMax().slt(most_exact)
                              : range.getUnsignedMax().ult(most_exact);
    return is_exact ? std::optional(found) : std::nullopt;
  }

  // Returns the divisor whose inverse LLVM multiplies by, a power of two.
  std::optional<Exact> inverse(const llvm::Value* factor) const {
    const llvm::APFloat* constant = nullptr;
    llvm::APFloat divisor(0.0);
    if (!match(factor, m_APFloat(constant)) || !constant->getExactInverse(&divisor)) return std::nullopt;
    return exact(llvm::ConstantFP::get(factor->getType(), divisor));
  }

  bool rewrite(llvm::BinaryOperator& quotient) {
    const std::optional<Exact> above = exact(quotient.getOperand(0));
    const std::optional<Exact> below = quotient.getOpcode() == llvm::Instruction::FDiv
                                           ? exact(quotient.getOperand(1))
                                           : inverse(quotient.getOperand(1));
    if (!above || !below || is_zero_itself(*below)) return false;
    if (quotient.use_empty() || !llvm::all_of(quotient.users(), [&](llvm::User* user) {
          return is_cast(*user) || is_test(*user, quotient);
        }))
      return false;
    const llvm::SmallSetVector<llvm::User*, 4> users(quotient.user_begin(), quotient.user_end());
    for (llvm::User* user : users) {
      auto& instruction = llvm::cast<llvm::Instruction>(*user);
      builder_.SetInsertPoint(&instruction);
      instruction.replaceAllUsesWith(is_cast(*user) ? divide(*above, *below) : is_nan(*above, *below));
      instruction.eraseFromParent();
    }
    quotient.eraseFromParent();
    return true;
  }

  static bool is_cast(const llvm::User& user) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
    return call && call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat && call->getType()->isIntegerTy(64);
  }

  // Says whether a comparison only asks whether the quotient is a number.
  static bool is_test(const llvm::User& user, const llvm::Value& quotient) {
    const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&user);
    if (!compare || compare->getPredicate() != llvm::FCmpInst::FCMP_UNO) return false;
    return llvm::all_of(compare->operands(), [&](const llvm::Use& operand) {
      return operand.get() == &quotient || llvm::isa<llvm::ConstantFP>(operand.get());
    });
  }

  static bool is_zero_itself(const Exact& number) {
    return number.range.isSingleElement() && number.range.contains(zero());
  }

  static llvm::APInt zero() { return llvm::APInt::getZero(64); }

  llvm::Value* wide(const Exact& number) {
    llvm::Type* type = builder_.getInt64Ty();
    return number.is_signed ? builder_.CreateSExt(number.value, type)
                            : builder_.CreateZExt(number.value, type);
  }

  llvm::Value* is_zero(const Exact& number) {
    return builder_.CreateICmpEQ(number.value, llvm::ConstantInt::get(number.value->getType(), 0));
  }

  llvm::Value* is_nan(const Exact& above, const Exact& below) {
    if (!below.range.contains(zero())) return builder_.getFalse();
    return builder_.CreateAnd(is_zero(above), is_zero(below));
  }

  // Divides in 32 bits what has no more.
  llvm::Value* divide_safely(const Exact& above, const Exact& below, llvm::Value* dividend,
                             llvm::Value* divisor) {
    llvm::Type *full = builder_.getInt64Ty(), *half = builder_.getInt32Ty();
    const llvm::ConstantRange both = above.range.unionWith(below.range, llvm::ConstantRange::Signed);
    auto are_within = [&](std::int64_t least, std::int64_t most) {
      return both.getSignedMin().sge(least) && both.getSignedMax().sle(most);
    };
    auto word = [&](llvm::Value* number) { return builder_.CreateTrunc(number, half); };
    if (are_within(0, std::numeric_limits<std::uint32_t>::max()))
      return builder_.CreateZExt(builder_.CreateUDiv(word(dividend), word(divisor)), full);
    if (!are_within(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()))
      return builder_.CreateSDiv(dividend, divisor);
    // The least number by -1 is one more than there is; by magnitudes it is none.
    if (!below.range.contains(-llvm::APInt(64, 1)))
      return builder_.CreateSExt(builder_.CreateSDiv(word(dividend), word(divisor)), full);
    auto magnitude = [&](llvm::Value* number) {
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, word(number), builder_.getFalse());
    };
    llvm::Value* size =
        builder_.CreateZExt(builder_.CreateUDiv(magnitude(dividend), magnitude(divisor)), full);
    llvm::Value* is_negative =
        builder_.CreateICmpSLT(builder_.CreateXor(dividend, divisor), builder_.getInt64(0));
    return builder_.CreateSelect(is_negative, builder_.CreateNeg(size), size);
  }

  // By zero it is what the cast makes of an infinity, or of what is no number.
  llvm::Value* divide(const Exact& above, const Exact& below) {
    llvm::Value *dividend = wide(above), *divisor = wide(below);
    if (!below.range.contains(zero())) return divide_safely(above, below, dividend, divisor);
    llvm::Value* none = builder_.CreateICmpEQ(divisor, builder_.getInt64(0));
    llvm::Value* quotient =
        divide_safely(above, below, dividend, builder_.CreateSelect(none, builder_.getInt64(1), divisor));
    llvm::Value* least = builder_.getInt64(std::numeric_limits<std::int64_t>::min());
    llvm::Value* most = builder_.getInt64(std::numeric_limits<std::int64_t>::max());
    llvm::Value* end =
        builder_.CreateSelect(builder_.CreateICmpSLT(dividend, builder_.getInt64(0)), least, most);
    return builder_.CreateSelect(none, builder_.CreateSelect(is_zero(above), builder_.getInt64(0), end),
                                 quotient);
  }

  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  const llvm::DataLayout& layout_;
};

} // namespace

llvm::PreservedAnalyses IntegerQuotientsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!Quotients(function).run()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace kern::emitting
