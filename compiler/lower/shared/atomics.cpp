// Atomics on one element, for the scope of the device: a load acquires, a store releases, all others are relaxed. PTX lacks
// some; those are loops of compare-and-swap. On the CPU shared and local elements belong to the one thread that runs the block, so
// plain accesses do.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/shared/lowering.h"

namespace kern::lowering::vocabulary {

using Op = llvm::AtomicRMWInst::BinOp;
static constexpr llvm::AtomicOrdering relaxed = llvm::AtomicOrdering::Monotonic;

static bool is_plain(Lowerer& lower, const CustomCall& call) {
  return !lower.gpu() && call.space != AddressSpace::Global;
}

static llvm::MaybeAlign alignment(llvm::Type* type) {
  return llvm::MaybeAlign(type->getPrimitiveSizeInBits() / 8);
}

static llvm::Value* load_element(Lowerer& lower, const CustomCall& call) {
  return lower.builder.CreateAlignedLoad(register_type(lower.state, call.result->scalar), call.address,
                                         alignment(register_type(lower.state, call.result->scalar)));
}

// Returns the value that an operation puts in place of `old`.
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
  // PTX has these two for 32 bits, and LLVM makes a loop of compare-and-swap of its own instructions for them.
  const bool wraps = op == Op::UIncWrap || op == Op::UDecWrap;
  if (lower.gpu() && wraps && value->getType()->isIntegerTy(32))
    return builder.CreateIntrinsic(op == Op::UIncWrap ? llvm::Intrinsic::nvvm_atomic_load_inc_32
                                                      : llvm::Intrinsic::nvvm_atomic_load_dec_32,
                                   {call.address->getType()}, {call.address, value});
  return builder.CreateAtomicRMW(op, call.address, value, alignment(value->getType()), relaxed);
}

static llvm::Value* exchange(Lowerer& lower, const CustomCall& call, Op op) {
  return exchange(lower, call, op, call.arg(lower, 0));
}

// LLVM 19 selects no acquire and no release for PTX, so a GPU's are written out. Shared memory is of one block.
static llvm::Value* ordered_access(Lowerer& lower, const CustomCall& call, llvm::Value* stored) {
  llvm::IRBuilder<>& builder = lower.builder;
  const unsigned width = register_type(lower.state, call.result->scalar)->getPrimitiveSizeInBits();
  const std::string place = call.space == AddressSpace::Shared ? "cta.shared" : "gpu.global";
  const std::string letter = width == 64 ? "l" : width == 32 ? "r" : "h";
  llvm::Type* word = builder.getIntNTy(std::max(width, 16U)); // bytes are in the registers of 16 bits
  auto assembly = [&](llvm::Type* result, std::vector<llvm::Type*> params, const std::string& text,
                      const std::string& constraints) {
    return llvm::InlineAsm::get(llvm::FunctionType::get(result, params, false), text, constraints, true);
  };
  llvm::Type* pointer = call.address->getType();
  if (!stored)
    return builder.CreateCall(assembly(word, {pointer},
                                       fmt::format("ld.acquire.{}.b{} $0, [$1];", place, width),
                                       fmt::format("={},l,~{{memory}}", letter)),
                              {call.address});
  return builder.CreateCall(assembly(builder.getVoidTy(), {pointer, word},
                                     fmt::format("st.release.{}.b{} [$0], $1;", place, width),
                                     fmt::format("l,{},~{{memory}}", letter)),
                            {call.address, builder.CreateZExt(stored, word)});
}

static bool is_written_out(Lowerer& lower, const CustomCall& call) {
  return lower.gpu() && call.space != AddressSpace::Local;
}

llvm::Value* atomic_load(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = register_type(lower.state, call.result->scalar);
  if (is_written_out(lower, call)) {
    llvm::Value* word = ordered_access(lower, call, nullptr);
    return builder.CreateBitCast(builder.CreateTrunc(word, builder.getIntNTy(type->getPrimitiveSizeInBits())),
                                 type);
  }
  auto* load = builder.CreateAlignedLoad(type, call.address, alignment(type));
  if (call.space == AddressSpace::Global) load->setAtomic(llvm::AtomicOrdering::Acquire);
  return load;
}

llvm::Value* atomic_store(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* value = call.arg(lower, 0);
  llvm::Type* type = value->getType();
  if (is_written_out(lower, call))
    return ordered_access(lower, call,
                          builder.CreateBitCast(value, builder.getIntNTy(type->getPrimitiveSizeInBits())));
  auto* store = builder.CreateAlignedStore(value, call.address, alignment(type));
  if (call.space == AddressSpace::Global) store->setAtomic(llvm::AtomicOrdering::Release);
  return store;
}

using OfOld = std::function<llvm::Value*(llvm::Value* old)>;

// Puts `next(old)` in place of an element while `replaces(old)`; an element that stays is not written.
static llvm::Value* replace_if(Lowerer& lower, const CustomCall& call, const OfOld& next,
                               const OfOld& replaces) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* first = load_element(lower, call);
  llvm::Type* type = first->getType();
  if (is_plain(lower, call)) {
    llvm::Value* stays = builder.CreateSelect(replaces(first), next(first), first);
    builder.CreateAlignedStore(stays, call.address, alignment(type));
    return first;
  }
  llvm::Type* bits = builder.getIntNTy(type->getPrimitiveSizeInBits());
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* test = new_block(lower, "atomic");
  llvm::BasicBlock* swap = new_block(lower, "swap");
  llvm::BasicBlock* done = new_block(lower, "swapped");
  builder.CreateBr(test);
  builder.SetInsertPoint(test);
  llvm::PHINode* old = builder.CreatePHI(type, 2);
  old->addIncoming(first, before);
  builder.CreateCondBr(replaces(old), swap, done);
  builder.SetInsertPoint(swap);
  llvm::Value* value = builder.CreateBitCast(next(old), bits);
  llvm::Value* result = builder.CreateAtomicCmpXchg(call.address, builder.CreateBitCast(old, bits), value,
                                                    alignment(type), relaxed, relaxed);
  llvm::Value* seen = builder.CreateBitCast(builder.CreateExtractValue(result, 0), type);
  old->addIncoming(seen, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateExtractValue(result, 1), done, test);
  builder.SetInsertPoint(done);
  return old;
}

// A float to compute with: small ones are integers in registers.
static llvm::Value* as_real(Lowerer& lower, ScalarKind kind, llvm::Value* value) {
  return is_small_float(kind) ? convert(lower, value, kind, ScalarKind::F32) : value;
}

// A GPU has an instruction for these, or LLVM makes a loop of it; the CPU has none.
static llvm::Value* add_small_floats(Lowerer& lower, const CustomCall& call, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  ScalarKind kind = call.result->scalar;
  if (lower.gpu()) {
    llvm::Type* type = kind == ScalarKind::F16 ? builder.getHalfTy() : builder.getBFloatTy();
    llvm::Value* old = builder.CreateAtomicRMW(Op::FAdd, call.address, builder.CreateBitCast(value, type),
                                               alignment(type), relaxed);
    return builder.CreateBitCast(old, value->getType());
  }
  llvm::Value* term = as_real(lower, kind, value);
  auto sum = [&](llvm::Value* old) {
    return convert(lower, builder.CreateFAdd(as_real(lower, kind, old), term), ScalarKind::F32, kind);
  };
  return replace_if(lower, call, sum, [&](llvm::Value*) { return builder.getTrue(); });
}

// The greater or the lesser; `nan_wins` says which of a NaN and a number stays.
static llvm::Value* extreme(Lowerer& lower, const CustomCall& call, bool greatest, bool nan_wins) {
  ScalarKind kind = call.result->scalar;
  if (!is_float_kind(kind)) {
    bool sign = is_signed_kind(kind);
    return exchange(lower, call, greatest ? (sign ? Op::Max : Op::UMax) : (sign ? Op::Min : Op::UMin));
  }
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* stored = call.arg(lower, 0);
  llvm::Value* value = as_real(lower, kind, stored);
  auto next = [&](llvm::Value*) { return stored; };
  return replace_if(lower, call, next, [&](llvm::Value* old_element) {
    llvm::Value* old = as_real(lower, kind, old_element);
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
  if (is_small_float(call.result->scalar)) return add_small_floats(lower, call, call.arg(lower, 0));
  return exchange(lower, call, is_float_kind(call.result->scalar) ? Op::FAdd : Op::Add);
}

llvm::Value* atomic_sub(Lowerer& lower, const CustomCall& call) {
  ScalarKind kind = call.result->scalar;
  if (!is_float_kind(kind)) return exchange(lower, call, Op::Sub);
  if (is_small_float(kind))
    return add_small_floats(lower, call, lower.builder.CreateXor(call.arg(lower, 0), 0x8000));
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

// Floats are compared and swapped as their bits.
llvm::Value* atomic_cas(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = register_type(lower.state, call.result->scalar);
  llvm::Type* bits = builder.getIntNTy(type->getPrimitiveSizeInBits());
  llvm::Value* expected = builder.CreateBitCast(call.arg(lower, 0), bits);
  llvm::Value* value = builder.CreateBitCast(call.arg(lower, 1), bits);
  if (is_plain(lower, call)) {
    llvm::Value* old = builder.CreateBitCast(load_element(lower, call), bits);
    llvm::Value* next = builder.CreateSelect(builder.CreateICmpEQ(old, expected), value, old);
    builder.CreateAlignedStore(next, call.address, alignment(bits));
    return builder.CreateBitCast(old, type);
  }
  llvm::Value* result =
      builder.CreateAtomicCmpXchg(call.address, expected, value, alignment(bits), relaxed, relaxed);
  return builder.CreateBitCast(builder.CreateExtractValue(result, 0), type);
}

} // namespace kern::lowering::vocabulary
