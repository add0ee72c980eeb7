// A sum overflows where it has the sign of neither operand, a difference where the operands' signs part and its own is not that
// of the first. LLVM narrows such a test only where the long sum has no other use, and not in vectors; here a fault
// reports it.
#include "compiler/emit/overflow_tests.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <limits>

namespace kern::emitting {

namespace {

using namespace llvm::PatternMatch;

constexpr unsigned narrow_bits = 32;

// Returns a long integer as the i32 that it is widened from, or as a constant that fits one; null of any other.
llvm::Value* narrowed(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* type = value->getType()->getWithNewBitWidth(narrow_bits);
  const llvm::APInt* constant = nullptr;
  if (match(value, m_APInt(constant)))
    return constant->isSignedIntN(narrow_bits) ? llvm::ConstantInt::get(type, constant->trunc(narrow_bits))
                                               : nullptr;
  llvm::Value* source = nullptr;
  const bool has_sign = match(value, m_SExt(m_Value(source)));
  if (!has_sign && !match(value, m_ZExt(m_Value(source)))) return nullptr;
  const unsigned bits = source->getType()->getScalarSizeInBits();
  if (bits > narrow_bits || (bits == narrow_bits && !has_sign)) return nullptr;
  return builder.CreateIntCast(source, type, has_sign);
}

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(),
                       least = std::numeric_limits<std::int32_t>::min();

// A sum or difference of two i32s.
struct Sum {
  llvm::Value *left = nullptr, *right = nullptr;
  bool is_difference = false;
  llvm::Instruction* wide = nullptr; // as it is computed; null where it is folded into the test
};

// Returns the sum that a comparison tests for whether it fits an i32; without operands where it tests something else.
Sum tested(llvm::IRBuilder<>& builder, const llvm::ICmpInst& compare) {
  llvm::Value* moved = nullptr;
  const llvm::APInt *offset = nullptr, *bound = nullptr;
  if (!match(compare.getOperand(0), m_Add(m_Value(moved), m_APInt(offset))) ||
      !match(compare.getOperand(1), m_APInt(bound)) || bound->getBitWidth() <= narrow_bits)
    return {};
  const std::uint64_t extent = std::uint64_t{1} << narrow_bits;
  const bool is_test = compare.getPredicate() == llvm::ICmpInst::ICMP_ULT   ? *bound == extent
                       : compare.getPredicate() == llvm::ICmpInst::ICMP_UGT ? *bound == extent - 1
                                                                            : false;
  if (!is_test) return {};
  const llvm::APInt constant = *offset + static_cast<std::uint64_t>(least);
  if (llvm::Value* left = constant.isZero() ? nullptr : narrowed(builder, moved))
    return {left, narrowed(builder, llvm::ConstantInt::get(moved->getType(), constant)), false, nullptr};
  llvm::Value *left = nullptr, *right = nullptr;
  const bool is_sum = match(moved, m_Add(m_Value(left), m_Value(right)));
  auto* wide = llvm::dyn_cast<llvm::Instruction>(moved);
  if (!wide || !constant.isZero() || (!is_sum && !match(moved, m_Sub(m_Value(left), m_Value(right)))))
    return {};
  builder.SetInsertPoint(wide);
  left = narrowed(builder, left);
  return {left, left ? narrowed(builder, right) : nullptr, !is_sum, wide};
}

// Returns a bit, or a vector of such, that says whether a sum fits an i32.
llvm::Value* fits(llvm::IRBuilder<>& builder, const Sum& sum, llvm::Value* result) {
  auto number = [&](std::int64_t value) {
    return llvm::ConstantInt::get(result->getType(), static_cast<std::uint64_t>(value));
  };
  const llvm::APInt* constant = nullptr;
  if (match(sum.right, m_APInt(constant))) {
    const std::int64_t added = sum.is_difference ? -constant->getSExtValue() : constant->getSExtValue();
    return added < 0 ? builder.CreateICmpSGE(sum.left, number(least - added))
                     : builder.CreateICmpSLE(sum.left, number(most - added));
  }
  llvm::Value* other = sum.is_difference ? sum.left : result;
  llvm::Value* sign =
      builder.CreateAnd(builder.CreateXor(sum.left, result), builder.CreateXor(sum.right, other));
  return builder.CreateICmpSGE(sign, number(0));
}

bool narrow(llvm::ICmpInst& compare) {
  llvm::IRBuilder<> builder(&compare);
  const Sum sum = tested(builder, compare);
  if (!sum.right) return false;
  // Those who take the low bits of the long sum take the narrow one, which leaves the long one to the fault.
  llvm::Value* result =
      sum.is_difference ? builder.CreateSub(sum.left, sum.right) : builder.CreateAdd(sum.left, sum.right);
  if (sum.wide)
    for (llvm::User* user : llvm::make_early_inc_range(sum.wide->users()))
      if (auto* low = llvm::dyn_cast<llvm::TruncInst>(user); low && low->getType() == result->getType())
        low->replaceAllUsesWith(result);
  builder.SetInsertPoint(&compare);
  llvm::Value* holds = fits(builder, sum, result);
  const bool asks_fit = compare.getPredicate() == llvm::ICmpInst::ICMP_ULT;
  compare.replaceAllUsesWith(asks_fit ? holds : builder.CreateNot(holds));
  return true;
}

} // namespace

llvm::PreservedAnalyses OverflowTestsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changes = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!compare || !narrow(*compare)) continue;
    compare->eraseFromParent();
    changes = true;
  }
  if (!changes) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace kern::emitting
