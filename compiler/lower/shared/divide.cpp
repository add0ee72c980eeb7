// Division of integers. Processors divide integers one by one, so vectors are divided as floats, which is
// exact where a quotient that is no integer cannot be rounded to one: 16 bits in f32, 51 bits in f64. Lanes
// that need more are divided one after the other. This picks instructions for a quotient that IR has one
// operation for: how depends on what holds the lanes, and a form in IR of f64 and selects would be no
// shorter.
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

// The number that all lanes are, if they are one constant.
static llvm::ConstantInt* constant_of(llvm::Value* value) {
  if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) return number;
  auto* vector = llvm::dyn_cast<llvm::Constant>(value);
  return vector && value->getType()->isVectorTy()
             ? llvm::dyn_cast_or_null<llvm::ConstantInt>(vector->getSplatValue())
             : nullptr;
}

// ---- Vectors of 64 bits ----

static constexpr std::uint64_t exact_limit = std::uint64_t{1} << 51;

static llvm::Function* new_helper(ModuleState& state, const std::string& name, llvm::Type* type) {
  llvm::Function* function = new_helper(state, name, llvm::FunctionType::get(type, {type, type}, false));
  function->setMemoryEffects(llvm::MemoryEffects::none());
  function->addFnAttr(llvm::Attribute::WillReturn);
  return function;
}

// One lane after the other.
static llvm::Function* slow_helper(ModuleState& state, llvm::FixedVectorType* type, bool is_signed) {
  std::string name = "kern_divide_slowly_";
  name.append(is_signed ? "i" : "u").append(std::to_string(type->getNumElements()));
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Function* function = new_helper(state, name, type);
  function->addFnAttr(llvm::Attribute::Cold);
  // Unrolled it would take longer to compile than the kernel.
  function->addFnAttr(llvm::Attribute::OptimizeForSize);
  function->addFnAttr(llvm::Attribute::MinSize);
  auto* entry = llvm::BasicBlock::Create(state.context, "entry", function);
  auto* body = llvm::BasicBlock::Create(state.context, "lane", function);
  auto* done = llvm::BasicBlock::Create(state.context, "done", function);
  llvm::IRBuilder<> builder(entry);
  llvm::AllocaInst *left = builder.CreateAlloca(type), *right = builder.CreateAlloca(type);
  builder.CreateStore(function->getArg(0), left);
  builder.CreateStore(function->getArg(1), right);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  llvm::PHINode* lane = builder.CreatePHI(builder.getInt64Ty(), 2);
  lane->addIncoming(builder.getInt64(0), entry);
  llvm::Type* element = builder.getInt64Ty();
  llvm::Value* place = builder.CreateInBoundsGEP(element, left, lane);
  llvm::Value* dividend = builder.CreateLoad(element, place);
  llvm::Value* divisor = builder.CreateLoad(element, builder.CreateInBoundsGEP(element, right, lane));
  builder.CreateStore(
      is_signed ? builder.CreateSDiv(dividend, divisor) : builder.CreateUDiv(dividend, divisor), place);
  llvm::Value* next = builder.CreateNUWAdd(lane, builder.getInt64(1));
  lane->addIncoming(next, body);
  builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(type->getNumElements())), body, done);
  builder.SetInsertPoint(done);
  builder.CreateRet(builder.CreateLoad(type, left));
  return function;
}

// Integers below 2^51 either way as f64 and back: the bits of 1.5 * 2^52 plus a small integer are that sum.
static constexpr std::uint64_t shift_bits = 0x4338000000000000;
static constexpr double shift = 0x1.8p52;

static llvm::Value* small_to_f64(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* real = value->getType()->getWithNewType(builder.getDoubleTy());
  llvm::Value* moved = builder.CreateAdd(value, llvm::ConstantInt::get(value->getType(), shift_bits));
  return builder.CreateFSub(builder.CreateBitCast(moved, real), llvm::ConstantFP::get(real, shift));
}

static llvm::Value* small_from_f64(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type) {
  llvm::Value* moved = builder.CreateFAdd(value, llvm::ConstantFP::get(value->getType(), shift));
  return builder.CreateSub(builder.CreateBitCast(moved, type), llvm::ConstantInt::get(type, shift_bits));
}

static llvm::Value* divide_as_f64(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* divisor) {
  llvm::Value* quotient = builder.CreateFDiv(small_to_f64(builder, left), small_to_f64(builder, divisor));
  quotient = builder.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, quotient);
  return small_from_f64(builder, quotient, left->getType());
}

// A function, so that a quotient and a remainder of the same values share it, and that it is compiled once.
static llvm::Function* long_helper(ModuleState& state, llvm::FixedVectorType* type, bool is_signed) {
  std::string name =
      std::string("kern_divide_") + (is_signed ? "i" : "u") + std::to_string(type->getNumElements());
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Function* slow = slow_helper(state, type, is_signed);
  llvm::Function* function = new_helper(state, name, type);
  auto* fast_block = llvm::BasicBlock::Create(state.context, "fast", function);
  auto* slow_block = llvm::BasicBlock::Create(state.context, "slow", function);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", function, fast_block));
  llvm::Value *left = function->getArg(0), *right = function->getArg(1);
  auto above = [&](llvm::Value* value) {
    return is_signed ? builder.CreateAdd(value, llvm::ConstantInt::get(type, exact_limit)) : value;
  };
  llvm::Value* large = builder.CreateOr(above(left), above(right));
  llvm::Constant* limit = llvm::ConstantInt::get(type, is_signed ? 2 * exact_limit : exact_limit);
  llvm::Value* too_large = builder.CreateICmpUGE(large, limit);
  llvm::Value* any =
      builder.CreateIsNotNull(builder.CreateBitCast(too_large, builder.getIntNTy(type->getNumElements())));
  builder.CreateCondBr(any, slow_block, fast_block);
  builder.SetInsertPoint(fast_block);
  builder.CreateRet(divide_as_f64(builder, left, right));
  builder.SetInsertPoint(slow_block);
  builder.CreateRet(builder.CreateCall(slow, {left, right}));
  return function;
}

// ---- Quotients ----

static llvm::Value* divide_long_lanes(Lowerer& lower, llvm::Value* left, llvm::Value* divisor,
                                      bool is_signed) {
  auto* type = llvm::cast<llvm::FixedVectorType>(left->getType());
  // Dead lanes may hold large numbers, for which the helper would go its slow way.
  left = blend(lower, left, llvm::ConstantInt::get(type, 1));
  divisor = blend(lower, divisor, llvm::ConstantInt::get(type, 1));
  return lower.builder.CreateCall(long_helper(lower.state, type, is_signed), {left, divisor});
}

static llvm::Value* divide_short_lanes(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* divisor,
                                       bool is_signed) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  llvm::Type* type = left->getType();
  bool is_word = type->getScalarSizeInBits() == 32;
  llvm::Type* wide =
      type->getWithNewType(is_word && !is_signed ? builder.getInt64Ty() : builder.getInt32Ty());
  auto widen = [&](llvm::Value* value) {
    return is_signed ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  };
  left = widen(left), divisor = widen(divisor);
  if (is_word && !is_signed) return builder.CreateTrunc(divide_as_f64(builder, left, divisor), type);
  llvm::Type* real = type->getWithNewType(is_word ? builder.getDoubleTy() : builder.getFloatTy());
  llvm::Value* quotient =
      builder.CreateFDiv(builder.CreateSIToFP(left, real), builder.CreateSIToFP(divisor, real));
  return builder.CreateTrunc(builder.CreateFPToSI(quotient, wide), type);
}

// The quotient, rounded towards zero; no lane divides by zero or overflows.
static llvm::Value* divide(Lowerer& lower, llvm::Value* left, llvm::Value* divisor, bool is_signed) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (!left->getType()->isVectorTy() || constant_of(divisor))
    return is_signed ? builder.CreateSDiv(left, divisor) : builder.CreateUDiv(left, divisor);
  if (left->getType()->getScalarSizeInBits() == 64) return divide_long_lanes(lower, left, divisor, is_signed);
  return divide_short_lanes(builder, left, divisor, is_signed);
}

static llvm::Value* remainder_of(Lowerer& lower, llvm::Value* left, llvm::Value* divisor, bool is_signed) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (left->getType()->isVectorTy() && !constant_of(divisor))
    return builder.CreateSub(left, builder.CreateMul(divide(lower, left, divisor, is_signed), divisor));
  return is_signed ? builder.CreateSRem(left, divisor) : builder.CreateURem(left, divisor);
}

// A divisor that can be divided by; a quotient by zero becomes 0 afterwards.
static llvm::Value* safe_divisor(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* right,
                                 bool is_signed) {
  // What is chosen of a constant is none, and no product takes the division's place. Vectors of 64 bits have
  // no such products, and are divided in f64 in half of the time.
  llvm::Type* type = left->getType();
  const llvm::ConstantInt* known = type->getScalarSizeInBits() < 64 ? constant_of(right) : nullptr;
  if (known && !known->isZero() && !known->isMinusOne()) return right;
  llvm::Value* bad = builder.CreateICmpEQ(right, llvm::ConstantInt::get(type, 0));
  if (is_signed) {
    auto smallest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    llvm::Value* wraps =
        builder.CreateAnd(builder.CreateICmpEQ(left, smallest),
                          builder.CreateICmpEQ(right, llvm::ConstantInt::getSigned(type, -1)));
    bad = builder.CreateOr(bad, wraps);
  }
  return builder.CreateSelect(bad, llvm::ConstantInt::get(type, 1), right);
}

// The quotient of Python: towards minus infinity.
static llvm::Value* signed_floor_divide(Lowerer& lower, llvm::Value* left, llvm::Value* right,
                                        bool quotient) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = left->getType();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* divisor = safe_divisor(builder, left, right, true);
  llvm::Value* remainder = remainder_of(lower, left, divisor, true);
  llvm::Value* signs_differ = builder.CreateICmpSLT(builder.CreateXor(remainder, divisor), zero);
  llvm::Value* adjust = builder.CreateAnd(builder.CreateICmpNE(remainder, zero), signs_differ);
  llvm::Value* result = nullptr;
  if (quotient) {
    llvm::Value* exact = divide(lower, left, divisor, true);
    // -smallest wraps to itself, which is what dividing by 1 gave.
    result = builder.CreateAdd(exact, builder.CreateSExt(adjust, type));
  } else {
    result = builder.CreateAdd(remainder, builder.CreateSelect(adjust, divisor, zero));
  }
  return builder.CreateSelect(builder.CreateICmpEQ(right, zero), zero, result);
}

llvm::Value* integer_divide(Lowerer& lower, ScalarKind kind, llvm::Value* left, llvm::Value* right,
                            bool quotient) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = left->getType();
  if (const llvm::ConstantInt* known = constant_of(right);
      known && known->getValue().isPowerOf2() && !(is_signed_kind(kind) && known->isNegative())) {
    if (!quotient) return builder.CreateAnd(left, llvm::ConstantInt::get(type, known->getValue() - 1));
    llvm::Value* count = llvm::ConstantInt::get(type, known->getValue().logBase2());
    return is_signed_kind(kind) ? builder.CreateAShr(left, count) : builder.CreateLShr(left, count);
  }
  if (is_signed_kind(kind)) return signed_floor_divide(lower, left, right, quotient);
  llvm::Value* divisor = safe_divisor(builder, left, right, false);
  llvm::Value* result =
      quotient ? divide(lower, left, divisor, false) : remainder_of(lower, left, divisor, false);
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  return builder.CreateSelect(builder.CreateICmpEQ(right, zero), zero, result);
}

} // namespace kern::lowering
