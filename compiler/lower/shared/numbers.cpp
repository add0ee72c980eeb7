// Builtins over numbers that no single instruction gives: bits, extremes, parts of floats, integer powers.
// Scalars and vectors alike.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/shared/lowering.h"

namespace kern::lowering::vocabulary {

static ScalarKind kind_of(const CustomCall& call) { return call.args[0].type->scalar; }
static llvm::Value* arg(Lowerer& lower, const CustomCall& call, std::size_t index) {
  return call.arg(lower, index);
}

// ---- Bits ----

static llvm::Value* as_i32(Lowerer& lower, llvm::Value* value) {
  return lower.builder.CreateZExtOrTrunc(value, value->getType()->getWithNewType(lower.builder.getInt32Ty()));
}

llvm::Value* population_count(Lowerer& lower, const CustomCall& call) {
  return as_i32(lower, lower.builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, arg(lower, call, 0)));
}

llvm::Value* leading_zeros(Lowerer& lower, const CustomCall& call) {
  llvm::Value* value = arg(lower, call, 0);
  return as_i32(lower, lower.builder.CreateIntrinsic(llvm::Intrinsic::ctlz, {value->getType()},
                                                     {value, lower.builder.getFalse()}));
}

llvm::Value* first_set(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = arg(lower, call, 0);
  llvm::Value* zeros = as_i32(
      lower, builder.CreateIntrinsic(llvm::Intrinsic::cttz, {value->getType()}, {value, builder.getFalse()}));
  llvm::Value* place = builder.CreateAdd(zeros, llvm::ConstantInt::get(zeros->getType(), 1));
  llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
  return builder.CreateSelect(builder.CreateICmpEQ(value, zero),
                              llvm::Constant::getNullValue(zeros->getType()), place);
}

// The product of 64 bits in parts of 32: there are no vectors of 128-bit integers to multiply.
static llvm::Value* high_of_parts(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* right,
                                  bool is_signed) {
  llvm::Type* type = left->getType();
  llvm::Value* low_mask = llvm::ConstantInt::get(type, 0xFFFFFFFF);
  auto low = [&](llvm::Value* value) { return builder.CreateAnd(value, low_mask); };
  auto high = [&](llvm::Value* value) { return builder.CreateLShr(value, 32); };
  auto times = [&](llvm::Value* a, llvm::Value* b) { return builder.CreateMul(a, b); };
  llvm::Value* lowest = times(low(left), low(right));
  llvm::Value* middle = builder.CreateAdd(times(high(left), low(right)), high(lowest));
  llvm::Value* other = builder.CreateAdd(times(low(left), high(right)), low(middle));
  llvm::Value* result = builder.CreateAdd(times(high(left), high(right)), high(middle));
  result = builder.CreateAdd(result, high(other));
  if (!is_signed) return result;
  // A negative factor counts as 2 ** 64 more than it is.
  auto excess = [&](llvm::Value* sign, llvm::Value* factor) {
    return builder.CreateAnd(builder.CreateAShr(sign, 63), factor);
  };
  result = builder.CreateSub(result, excess(left, right));
  return builder.CreateSub(result, excess(right, left));
}

llvm::Value* high_product(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value *left = arg(lower, call, 0), *right = arg(lower, call, 1);
  llvm::Type* type = left->getType();
  bool is_signed = is_signed_kind(kind_of(call));
  unsigned width = type->getScalarSizeInBits();
  if (width == 64 && type->isVectorTy()) return high_of_parts(builder, left, right, is_signed);
  llvm::Type* wide = type->getWithNewBitWidth(2 * width);
  auto widen = [&](llvm::Value* value) {
    return is_signed ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  };
  return builder.CreateTrunc(builder.CreateLShr(builder.CreateMul(widen(left), widen(right)), width), type);
}

llvm::Value* same_bits(Lowerer& lower, const CustomCall& call) {
  llvm::Value* value = arg(lower, call, 0);
  llvm::Type* type = register_type(lower.state, call.result->scalar);
  return lower.builder.CreateBitCast(value, value->getType()->getWithNewType(type));
}

// The hardware's own of f32; of f64 it has too few bits.
llvm::Value* reciprocal_root(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = arg(lower, call, 0);
  if (lower.gpu() && value->getType()->isFloatTy())
    return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rsqrt_approx_f, {}, {value});
  llvm::Value* root = builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value);
  return builder.CreateFDiv(llvm::ConstantFP::get(value->getType(), 1.0), root);
}

// ---- Magnitudes and extremes ----

llvm::Value* absolute(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = arg(lower, call, 0);
  ScalarKind kind = kind_of(call);
  if (is_small_float(kind)) return builder.CreateAnd(value, llvm::ConstantInt::get(value->getType(), 0x7FFF));
  if (is_float_kind(kind)) return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  if (!is_signed_kind(kind)) return value;
  return builder.CreateIntrinsic(llvm::Intrinsic::abs, {value->getType()}, {value, builder.getFalse()});
}

// A NaN loses, and -0.0 is less than 0.0: the hardware's minimum on a GPU, spelled out on the CPU.
static llvm::Value* float_extreme(Lowerer& lower, bool greatest, llvm::Value* left, llvm::Value* right) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.gpu())
    return builder.CreateBinaryIntrinsic(greatest ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum, left,
                                         right);
  auto id = greatest ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum;
  llvm::Value* both = builder.CreateBinaryIntrinsic(id, left, right);
  both = builder.CreateSelect(builder.CreateFCmpUNO(right, right), left, both);
  return builder.CreateSelect(builder.CreateFCmpUNO(left, left), right, both);
}

static llvm::Value* extreme_of_two(Lowerer& lower, ScalarKind kind, bool greatest, llvm::Value* left,
                                   llvm::Value* right) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (is_small_float(kind)) {
    llvm::Value* wide = float_extreme(lower, greatest, convert(lower, left, kind, ScalarKind::F32),
                                      convert(lower, right, kind, ScalarKind::F32));
    return convert(lower, wide, ScalarKind::F32, kind);
  }
  if (is_float_kind(kind)) return float_extreme(lower, greatest, left, right);
  namespace I = llvm::Intrinsic;
  I::ID id = is_signed_kind(kind) ? (greatest ? I::smax : I::smin) : (greatest ? I::umax : I::umin);
  return builder.CreateBinaryIntrinsic(id, left, right);
}

static llvm::Value* extreme(Lowerer& lower, const CustomCall& call, bool greatest) {
  llvm::Value* best = arg(lower, call, 0);
  for (std::size_t index = 1; index < call.args.size(); ++index)
    best = extreme_of_two(lower, kind_of(call), greatest, best, arg(lower, call, index));
  return best;
}

llvm::Value* minimum(Lowerer& lower, const CustomCall& call) { return extreme(lower, call, false); }
llvm::Value* maximum(Lowerer& lower, const CustomCall& call) { return extreme(lower, call, true); }

// ---- Parts of floats ----

static llvm::Value* infinity(llvm::Value* like) { return llvm::ConstantFP::getInfinity(like->getType()); }

static llvm::Value* magnitude(Lowerer& lower, llvm::Value* value) {
  return lower.builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
}

llvm::Value* is_nan(Lowerer& lower, const CustomCall& call) {
  llvm::Value* value = arg(lower, call, 0);
  return lower.builder.CreateFCmpUNO(value, value);
}

llvm::Value* is_infinite(Lowerer& lower, const CustomCall& call) {
  llvm::Value* value = arg(lower, call, 0);
  return lower.builder.CreateFCmpOEQ(magnitude(lower, value), infinity(value));
}

llvm::Value* is_finite(Lowerer& lower, const CustomCall& call) {
  llvm::Value* value = arg(lower, call, 0);
  return lower.builder.CreateFCmpOLT(magnitude(lower, value), infinity(value));
}

// Returns a part of a kernel's complex parameter, which is the same in all lanes.
llvm::Value* complex_part(Lowerer& lower, const CustomCall& call) {
  const bool is_imag = call.builtin == Builtin::ImagC64 || call.builtin == Builtin::ImagC128;
  return lower.builder.CreateExtractElement(read(lower, call.args[0], Form::Scalar), is_imag ? 1 : 0);
}

llvm::Value* modf_fraction(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = arg(lower, call, 0);
  llvm::Value* fraction =
      builder.CreateFSub(value, builder.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, value));
  llvm::Value* infinite = builder.CreateFCmpOEQ(magnitude(lower, value), infinity(value));
  fraction = builder.CreateSelect(infinite, llvm::ConstantFP::get(value->getType(), 0.0), fraction);
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, fraction, value);
}

// The parts of a float's bits; a denormal is scaled up first, by 2 to the power `scale`.
struct FloatParts {
  llvm::Value* bits;
  llvm::Value* exponent; // as frexp has it
  llvm::Value* special;  // zero, infinite or NaN
  int mantissa_bits;
  int bias;
};

static FloatParts take_apart(Lowerer& lower, llvm::Value* value, bool is_f32) {
  llvm::IRBuilder<>& builder = lower.builder;
  int mantissa_bits = is_f32 ? 23 : 52, bias = is_f32 ? 126 : 1022, scale = is_f32 ? 24 : 53;
  llvm::Type* type = value->getType()->getWithNewType(is_f32 ? builder.getInt32Ty() : builder.getInt64Ty());
  auto number = [&](std::int64_t n) { return llvm::ConstantInt::getSigned(type, n); };
  llvm::Value* smallest = llvm::ConstantFP::get(value->getType(), is_f32 ? 0x1p-126 : 0x1p-1022);
  llvm::Value* denormal = builder.CreateFCmpOLT(magnitude(lower, value), smallest);
  llvm::Value* scaled =
      builder.CreateFMul(value, llvm::ConstantFP::get(value->getType(), is_f32 ? 0x1p24 : 0x1p53));
  llvm::Value* bits = builder.CreateBitCast(builder.CreateSelect(denormal, scaled, value), type);
  llvm::Value* exponent =
      builder.CreateAnd(builder.CreateLShr(bits, number(mantissa_bits)), number(is_f32 ? 0xFF : 0x7FF));
  exponent = builder.CreateSub(exponent, builder.CreateSelect(denormal, number(bias + scale), number(bias)));
  llvm::Value* zero = builder.CreateFCmpOEQ(value, llvm::ConstantFP::get(value->getType(), 0.0));
  llvm::Value* finite = builder.CreateFCmpOLT(magnitude(lower, value), infinity(value));
  return {bits, exponent, builder.CreateOr(zero, builder.CreateNot(finite)), mantissa_bits, bias};
}

llvm::Value* frexp_mantissa(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = arg(lower, call, 0);
  bool is_f32 = kind_of(call) == ScalarKind::F32;
  FloatParts parts = take_apart(lower, value, is_f32);
  llvm::Type* type = parts.bits->getType();
  std::uint64_t field = is_f32 ? 0xFFull << 23 : 0x7FFull << 52;
  llvm::Value* kept = builder.CreateAnd(parts.bits, llvm::ConstantInt::get(type, ~field));
  std::uint64_t half = static_cast<std::uint64_t>(parts.bias) << parts.mantissa_bits;
  llvm::Value* mantissa =
      builder.CreateBitCast(builder.CreateOr(kept, llvm::ConstantInt::get(type, half)), value->getType());
  return builder.CreateSelect(parts.special, value, mantissa);
}

llvm::Value* frexp_exponent(Lowerer& lower, const CustomCall& call) {
  FloatParts parts = take_apart(lower, arg(lower, call, 0), kind_of(call) == ScalarKind::F32);
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* exponent = builder.CreateSExtOrTrunc(
      parts.exponent, parts.exponent->getType()->getWithNewType(builder.getInt32Ty()));
  return builder.CreateSelect(parts.special, llvm::Constant::getNullValue(exponent->getType()), exponent);
}

// ---- Powers of integers ----

// kern_power(base, exponent): by squaring, while any lane has bits left.
static llvm::Function* power_function(Lowerer& lower, llvm::Type* type) {
  std::string name = "kern_power_";
  llvm::raw_string_ostream(name) << *type;
  if (llvm::Function* found = lower.state.module.getFunction(name)) return found;
  llvm::LLVMContext& context = lower.state.context;
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                          llvm::GlobalValue::InternalLinkage, name, lower.state.module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->setMemoryEffects(llvm::MemoryEffects::none());
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* head = llvm::BasicBlock::Create(context, "head", function);
  auto* body = llvm::BasicBlock::Create(context, "body", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  llvm::IRBuilder<> builder(entry);
  llvm::Constant *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode *base = builder.CreatePHI(type, 2), *left = builder.CreatePHI(type, 2),
                *result = builder.CreatePHI(type, 2);
  llvm::Value* some = builder.CreateICmpNE(left, zero);
  if (type->isVectorTy()) some = builder.CreateOrReduce(some);
  builder.CreateCondBr(some, body, done);
  builder.SetInsertPoint(body);
  llvm::Value* odd = builder.CreateICmpNE(builder.CreateAnd(left, one), zero);
  llvm::Value* product = builder.CreateSelect(odd, builder.CreateMul(result, base), result);
  llvm::Value *square = builder.CreateMul(base, base), *rest = builder.CreateLShr(left, one);
  builder.CreateBr(head);
  base->addIncoming(function->getArg(0), entry), base->addIncoming(square, body);
  left->addIncoming(function->getArg(1), entry), left->addIncoming(rest, body);
  result->addIncoming(one, entry), result->addIncoming(product, body);
  builder.SetInsertPoint(done);
  builder.CreateRet(result);
  return function;
}

llvm::Value* integer_power(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value *base = arg(lower, call, 0), *exponent = arg(lower, call, 1);
  llvm::Value* zero = llvm::Constant::getNullValue(exponent->getType());
  bool is_signed = is_signed_kind(kind_of(call));
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(exponent); known && known->getValue().ult(64)) {
    llvm::Value* result = llvm::ConstantInt::get(base->getType(), 1);
    for (std::uint64_t left = known->getZExtValue(); left > 0;
         left >>= 1, base = builder.CreateMul(base, base))
      if (left & 1) result = builder.CreateMul(result, base);
    return result;
  }
  llvm::Value* negative = is_signed ? builder.CreateICmpSLT(exponent, zero) : nullptr;
  if (negative) exponent = builder.CreateSelect(negative, zero, exponent);
  llvm::Value* result = builder.CreateCall(power_function(lower, base->getType()), {base, exponent});
  return negative ? builder.CreateSelect(negative, zero, result) : result;
}

} // namespace kern::lowering::vocabulary
