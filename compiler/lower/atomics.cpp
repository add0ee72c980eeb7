// Atomics on one element: relaxed, for the scope of the device. PTX lacks some; those are loops of
// compare-and-swap. On the CPU shared and local elements belong to the one thread that runs the block, so
// plain accesses do.
#include "compiler/lower/lowering.h"

namespace kern::lowering::vocabulary {

using Op = llvm::AtomicRMWInst::BinOp;
static constexpr llvm::AtomicOrdering relaxed = llvm::AtomicOrdering::Monotonic;

static bool is_plain(Lowerer& lower, const CustomCall& call) {
  return !lower.gpu() && call.space != AddressSpace::Global;
}

static bool is_signed_kind(ScalarKind kind) { return scalar_class(kind) == ScalarClass::Signed; }
static bool is_float_kind(ScalarKind kind) { return scalar_class(kind) == ScalarClass::Float; }

static llvm::MaybeAlign alignment(llvm::Type* type) {
  return llvm::MaybeAlign(type->getPrimitiveSizeInBits() / 8);
}

static llvm::Value* load_element(Lowerer& lower, const CustomCall& call) {
  return lower.builder.CreateAlignedLoad(register_type(lower.state, call.result->scalar), call.address,
                                         alignment(register_type(lower.state, call.result->scalar)));
}

// What an operation puts in place of `old`.
static llvm::Value* apply(llvm::IRBuilder<>& builder, Op op, llvm::Value* old, llvm::Value* value) {
  llvm::Type* type = old->getType();
  auto pick = [&](llvm::CmpInst::Predicate keep) {
    return builder.CreateSelect(builder.CreateICmp(keep, old, value), old, value);
  };
  switch (op) {
  case Op::Xchg: return value;
  case Op::Add: return builder.CreateAdd(old, value);
  case Op::Sub: return builder.CreateSub(old, value);
  case Op::And: return builder.CreateAnd(old, value);
  case Op::Or: return builder.CreateOr(old, value);
  case Op::Xor: return builder.CreateXor(old, value);
  case Op::Max: return pick(llvm::CmpInst::ICMP_SGT);
  case Op::Min: return pick(llvm::CmpInst::ICMP_SLT);
  case Op::UMax: return pick(llvm::CmpInst::ICMP_UGT);
  case Op::UMin: return pick(llvm::CmpInst::ICMP_ULT);
  case Op::FAdd: return builder.CreateFAdd(old, value);
  case Op::UIncWrap:
    return builder.CreateSelect(builder.CreateICmpUGE(old, value), llvm::ConstantInt::get(type, 0),
                                builder.CreateAdd(old, llvm::ConstantInt::get(type, 1)));
  case Op::UDecWrap: {
    llvm::Value* wraps = builder.CreateOr(builder.CreateIsNull(old), builder.CreateICmpUGT(old, value));
    return builder.CreateSelect(wraps, value, builder.CreateSub(old, llvm::ConstantInt::get(type, 1)));
  }
  default: break; // of LLVM's operations the rest are not used here
  }
  assert(false && "no such atomic");
  return value;
}

static llvm::Value* exchange(Lowerer& lower, const CustomCall& call, Op op, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (is_plain(lower, call)) {
    llvm::Value* old = load_element(lower, call);
    builder.CreateAlignedStore(apply(builder, op, old, value), call.address, alignment(value->getType()));
    return old;
  }
  return builder.CreateAtomicRMW(op, call.address, value, alignment(value->getType()), relaxed);
}

static llvm::Value* exchange(Lowerer& lower, const CustomCall& call, Op op) {
  return exchange(lower, call, op, call.arg(lower, 0));
}

// Puts `value` in place of an element while `replaces(old)`; an element that stays is not written.
static llvm::Value* replace_if(Lowerer& lower, const CustomCall& call, llvm::Value* value,
                               const std::function<llvm::Value*(llvm::Value*)>& replaces) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* first = load_element(lower, call);
  if (is_plain(lower, call)) {
    llvm::Value* next = builder.CreateSelect(replaces(first), value, first);
    builder.CreateAlignedStore(next, call.address, alignment(value->getType()));
    return first;
  }
  llvm::Type* bits = builder.getIntNTy(value->getType()->getPrimitiveSizeInBits());
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* test = new_block(lower, "atomic");
  llvm::BasicBlock* swap = new_block(lower, "swap");
  llvm::BasicBlock* done = new_block(lower, "swapped");
  builder.CreateBr(test);
  builder.SetInsertPoint(test);
  llvm::PHINode* old = builder.CreatePHI(value->getType(), 2);
  old->addIncoming(first, before);
  builder.CreateCondBr(replaces(old), swap, done);
  builder.SetInsertPoint(swap);
  llvm::Value* result = builder.CreateAtomicCmpXchg(call.address, builder.CreateBitCast(old, bits),
                                                    builder.CreateBitCast(value, bits),
                                                    alignment(value->getType()), relaxed, relaxed);
  llvm::Value* seen = builder.CreateBitCast(builder.CreateExtractValue(result, 0), value->getType());
  old->addIncoming(seen, swap);
  builder.CreateCondBr(builder.CreateExtractValue(result, 1), done, test);
  builder.SetInsertPoint(done);
  return old;
}

// The greater or the lesser; `nan_wins` says which of a NaN and a number stays.
static llvm::Value* extreme(Lowerer& lower, const CustomCall& call, bool greatest, bool nan_wins) {
  ScalarKind kind = call.result->scalar;
  if (!is_float_kind(kind)) {
    bool sign = is_signed_kind(kind);
    return exchange(lower, call, greatest ? (sign ? Op::Max : Op::UMax) : (sign ? Op::Min : Op::UMin));
  }
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = call.arg(lower, 0);
  return replace_if(lower, call, value, [&](llvm::Value* old) {
    llvm::Value* better = greatest ? builder.CreateFCmpOGT(value, old) : builder.CreateFCmpOLT(value, old);
    if (!nan_wins)
      return builder.CreateOr(
          better, builder.CreateAnd(builder.CreateFCmpUNO(old, old), builder.CreateFCmpORD(value, value)));
    llvm::Value* nan_comes =
        builder.CreateAnd(builder.CreateFCmpUNO(value, value), builder.CreateFCmpORD(old, old));
    return builder.CreateOr(better, nan_comes);
  });
}

llvm::Value* atomic_add(Lowerer& lower, const CustomCall& call) {
  return exchange(lower, call, is_float_kind(call.result->scalar) ? Op::FAdd : Op::Add);
}

llvm::Value* atomic_sub(Lowerer& lower, const CustomCall& call) {
  if (!is_float_kind(call.result->scalar)) return exchange(lower, call, Op::Sub);
  return exchange(lower, call, Op::FAdd, lower.builder.CreateFNeg(call.arg(lower, 0)));
}

llvm::Value* atomic_max(Lowerer& lower, const CustomCall& call) { return extreme(lower, call, true, true); }
llvm::Value* atomic_min(Lowerer& lower, const CustomCall& call) { return extreme(lower, call, false, true); }
llvm::Value* atomic_nanmax(Lowerer& lower, const CustomCall& call) {
  return extreme(lower, call, true, false);
}
llvm::Value* atomic_nanmin(Lowerer& lower, const CustomCall& call) {
  return extreme(lower, call, false, false);
}
llvm::Value* atomic_and(Lowerer& lower, const CustomCall& call) { return exchange(lower, call, Op::And); }
llvm::Value* atomic_or(Lowerer& lower, const CustomCall& call) { return exchange(lower, call, Op::Or); }
llvm::Value* atomic_xor(Lowerer& lower, const CustomCall& call) { return exchange(lower, call, Op::Xor); }
llvm::Value* atomic_exch(Lowerer& lower, const CustomCall& call) { return exchange(lower, call, Op::Xchg); }
llvm::Value* atomic_inc(Lowerer& lower, const CustomCall& call) {
  return exchange(lower, call, Op::UIncWrap);
}
llvm::Value* atomic_dec(Lowerer& lower, const CustomCall& call) {
  return exchange(lower, call, Op::UDecWrap);
}

llvm::Value* atomic_cas(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* expected = call.arg(lower, 0);
  llvm::Value* value = call.arg(lower, 1);
  if (is_plain(lower, call)) {
    llvm::Value* old = load_element(lower, call);
    llvm::Value* next = builder.CreateSelect(builder.CreateICmpEQ(old, expected), value, old);
    builder.CreateAlignedStore(next, call.address, alignment(value->getType()));
    return old;
  }
  llvm::Value* result = builder.CreateAtomicCmpXchg(call.address, expected, value,
                                                    alignment(value->getType()), relaxed, relaxed);
  return builder.CreateExtractValue(result, 0);
}

} // namespace kern::lowering::vocabulary
