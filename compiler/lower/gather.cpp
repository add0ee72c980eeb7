// Gathers and scatters. With AVX-512 both are instructions, and with AVX2 gathers are; bytes and halves are
// taken out of the aligned words that hold them, which never reach into another page. Everything else goes
// through a helper of its element type that visits one active lane after the other.
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering {

// ---- Helpers: functions of their own, one for each element type ----

static llvm::Function* new_helper(ModuleState& state, const std::string& name, llvm::FunctionType* type) {
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, state.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

static std::string helper_name(const ModuleState& state, const char* what, llvm::Type* element) {
  std::string name = std::string("kern_") + what + std::to_string(state.lanes()) + "_";
  llvm::raw_string_ostream(name) << *element;
  return name;
}

// for each set bit of `bits`, from the lowest: body(lane)
static void loop_over_bits(llvm::IRBuilder<>& builder, llvm::Value* bits,
                           const std::function<void(llvm::Value*)>& body) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = function->getContext();
  auto* before = builder.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(context, "head", function);
  auto* lane_block = llvm::BasicBlock::Create(context, "lane", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode* left = builder.CreatePHI(bits->getType(), 2);
  left->addIncoming(bits, before);
  builder.CreateCondBr(builder.CreateIsNull(left), done, lane_block);
  builder.SetInsertPoint(lane_block);
  llvm::Value* lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue());
  body(builder.CreateZExt(lane, builder.getInt64Ty()));
  llvm::Value* one = llvm::ConstantInt::get(bits->getType(), 1);
  left->addIncoming(builder.CreateAnd(left, builder.CreateSub(left, one)), builder.GetInsertBlock());
  builder.CreateBr(head);
  builder.SetInsertPoint(done);
}

// kern_gather_T(offsets-or-pointers in memory, bits, base): <W x T>; dead lanes are zero.
static llvm::Function* gather_helper(Lowerer& lower, llvm::Type* element) {
  ModuleState& state = lower.state;
  std::string name = helper_name(state, "gather", element);
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Type* pointer = llvm::PointerType::get(state.context, 0);
  llvm::FixedVectorType* vector = vector_of(state, element);
  llvm::Type* bits = llvm::Type::getIntNTy(state.context, state.lanes());
  llvm::Function* function =
      new_helper(state, name, llvm::FunctionType::get(vector, {vector_of(state, pointer), bits}, false));
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", function));
  llvm::AllocaInst* addresses = builder.CreateAlloca(vector_of(state, pointer));
  llvm::AllocaInst* result = builder.CreateAlloca(vector);
  builder.CreateStore(function->getArg(0), addresses);
  builder.CreateStore(llvm::Constant::getNullValue(vector), result);
  loop_over_bits(builder, function->getArg(1), [&](llvm::Value* lane) {
    llvm::Value* from = builder.CreateLoad(pointer, builder.CreateInBoundsGEP(pointer, addresses, lane));
    llvm::Value* value = builder.CreateAlignedLoad(element, from, llvm::MaybeAlign(1));
    builder.CreateStore(value, builder.CreateInBoundsGEP(element, result, lane));
  });
  builder.CreateRet(builder.CreateLoad(vector, result));
  return function;
}

// kern_scatter_T(addresses, values, bits): in ascending order, so that the highest lane wins.
static llvm::Function* scatter_helper(Lowerer& lower, llvm::Type* element) {
  ModuleState& state = lower.state;
  std::string name = helper_name(state, "scatter", element);
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Type* pointer = llvm::PointerType::get(state.context, 0);
  llvm::FixedVectorType* vector = vector_of(state, element);
  llvm::Type* bits = llvm::Type::getIntNTy(state.context, state.lanes());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(state.context),
                                       {vector_of(state, pointer), vector, bits}, false);
  llvm::Function* function = new_helper(state, name, type);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", function));
  llvm::AllocaInst* addresses = builder.CreateAlloca(vector_of(state, pointer));
  llvm::AllocaInst* values = builder.CreateAlloca(vector);
  builder.CreateStore(function->getArg(0), addresses);
  builder.CreateStore(function->getArg(1), values);
  loop_over_bits(builder, function->getArg(2), [&](llvm::Value* lane) {
    llvm::Value* to = builder.CreateLoad(pointer, builder.CreateInBoundsGEP(pointer, addresses, lane));
    llvm::Value* value = builder.CreateLoad(element, builder.CreateInBoundsGEP(element, values, lane));
    builder.CreateAlignedStore(value, to, llvm::MaybeAlign(1));
  });
  builder.CreateRetVoid();
  return function;
}

// ---- Instructions ----

static bool is_word(llvm::Type* element) {
  unsigned bits = element->getScalarSizeInBits();
  return bits == 32 || bits == 64;
}

static llvm::Value* pointers_of(Lowerer& lower, const LaneAddresses& addresses, llvm::Type* element) {
  if (addresses.pointers) return addresses.pointers;
  return lower.builder.CreateGEP(element, addresses.base, addresses.offsets);
}

// Four lanes, offsets in units of `scale` bytes.
static llvm::Value* gather_four(Lowerer& lower, llvm::Value* base, llvm::Value* offsets, llvm::Value* mask,
                                llvm::Type* element, unsigned scale) {
  namespace I = llvm::Intrinsic;
  llvm::IRBuilder<>& builder = lower.builder;
  bool is_long = element->getScalarSizeInBits() == 64, is_real = element->isFloatingPointTy();
  I::ID id = is_long ? (is_real ? I::x86_avx2_gather_q_pd_256 : I::x86_avx2_gather_q_q_256)
                     : (is_real ? I::x86_avx2_gather_q_ps_256 : I::x86_avx2_gather_q_d_256);
  auto* type = llvm::FixedVectorType::get(element, 4);
  auto* bits = llvm::FixedVectorType::get(builder.getIntNTy(element->getScalarSizeInBits()), 4);
  llvm::Value* selected = builder.CreateBitCast(builder.CreateSExt(mask, bits), type);
  return builder.CreateIntrinsic(id, {},
                                 {llvm::Constant::getNullValue(type), base, offsets, selected,
                                  builder.getInt8(static_cast<std::uint8_t>(scale))});
}

// Elements of 32 or 64 bits at `base + offset * scale` bytes.
static llvm::Value* gather_words(Lowerer& lower, llvm::Value* base, llvm::Value* offsets, llvm::Type* element,
                                 unsigned scale) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::FixedVectorType* vector = vector_of(lower.state, element);
  if (lower.state.has_avx512) {
    llvm::Type* unit = builder.getIntNTy(8 * scale);
    return builder.CreateMaskedGather(vector, builder.CreateGEP(unit, base, offsets), llvm::Align(scale),
                                      active_lanes(lower), llvm::Constant::getNullValue(vector));
  }
  std::vector<llvm::Value*> parts;
  llvm::Value* mask = active_lanes(lower);
  for (unsigned first = 0; first < lower.state.lanes(); first += 4)
    parts.push_back(gather_four(lower, base, part_of(lower, offsets, first, 4),
                                part_of(lower, mask, first, 4), element, scale));
  return concatenate_parts(lower, parts);
}

// Bytes and halves: the aligned words around them, shifted.
static llvm::Value* gather_small(Lowerer& lower, const LaneAddresses& addresses, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned bytes = element->getScalarSizeInBits() / 8;
  llvm::Type* words = vector_of(lower.state, builder.getInt64Ty());
  llvm::Value* address = builder.CreatePtrToInt(addresses.base, builder.getInt64Ty());
  llvm::Value* inside = builder.CreateAnd(address, 3);
  llvm::Value* base =
      builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {addresses.base->getType(), builder.getInt64Ty()},
                              {addresses.base, builder.getInt64(~std::uint64_t{3})});
  llvm::Value* offsets = builder.CreateMul(addresses.offsets, llvm::ConstantInt::get(words, bytes));
  offsets = builder.CreateAdd(offsets, splat(lower, inside));
  llvm::Value* aligned = builder.CreateAnd(offsets, llvm::ConstantInt::getSigned(words, -4));
  llvm::Value* word = gather_words(lower, base, aligned, builder.getInt32Ty(), 1);
  llvm::Value* shift =
      builder.CreateTrunc(builder.CreateAnd(offsets, llvm::ConstantInt::get(words, 3)), word->getType());
  shift = builder.CreateShl(shift, llvm::ConstantInt::get(shift->getType(), 3));
  return builder.CreateTrunc(builder.CreateLShr(word, shift), vector_of(lower.state, element));
}

llvm::Value* gather(Lowerer& lower, const LaneAddresses& addresses, llvm::Type* element) {
  unsigned bytes = element->getScalarSizeInBits() / 8;
  if (addresses.base && is_word(element))
    return gather_words(lower, addresses.base, addresses.offsets, element, bytes);
  if (addresses.base && bytes < 4) return gather_small(lower, addresses, element);
  llvm::Value* pointers = pointers_of(lower, addresses, element);
  return lower.builder.CreateCall(gather_helper(lower, element),
                                  {pointers, mask_bits(lower, active_lanes(lower))});
}

void scatter(Lowerer& lower, llvm::Value* value, const LaneAddresses& addresses) {
  llvm::Type* element = value->getType()->getScalarType();
  llvm::Value* pointers = pointers_of(lower, addresses, element);
  if (lower.state.has_avx512 && is_word(element)) {
    lower.builder.CreateMaskedScatter(value, pointers, llvm::Align(element->getScalarSizeInBits() / 8),
                                      active_lanes(lower));
    return;
  }
  lower.builder.CreateCall(scatter_helper(lower, element),
                           {pointers, value, mask_bits(lower, active_lanes(lower))});
}

} // namespace kern::lowering
