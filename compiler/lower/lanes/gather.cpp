// Gathers and scatters. With AVX-512 both are instructions, and with AVX2 gathers are; bytes and halves are
// taken out of the aligned words that hold them, which never reach into another page. Everything else goes
// through a helper of its element type that visits one active lane after the other.
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// ---- Helpers: functions of their own, one for each element type ----

static std::string helper_name(const Lowerer& lower, const char* what, llvm::Type* element) {
  std::string name = std::string("kern_") + what + std::to_string(lower.lane_count()) + "_";
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
  std::string name = helper_name(lower, "gather", element);
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Type* pointer = llvm::PointerType::get(state.context, 0);
  llvm::FixedVectorType* vector = vector_of(lower, element);
  llvm::Type* bits = llvm::Type::getIntNTy(state.context, lower.lane_count());
  llvm::Function* function =
      new_helper(state, name, llvm::FunctionType::get(vector, {vector_of(lower, pointer), bits}, false));
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", function));
  llvm::AllocaInst* addresses = builder.CreateAlloca(vector_of(lower, pointer));
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
  std::string name = helper_name(lower, "scatter", element);
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Type* pointer = llvm::PointerType::get(state.context, 0);
  llvm::FixedVectorType* vector = vector_of(lower, element);
  llvm::Type* bits = llvm::Type::getIntNTy(state.context, lower.lane_count());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(state.context),
                                       {vector_of(lower, pointer), vector, bits}, false);
  llvm::Function* function = new_helper(state, name, type);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", function));
  llvm::AllocaInst* addresses = builder.CreateAlloca(vector_of(lower, pointer));
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

// kern_spread_T(first, step, values): the lanes' elements, `step` elements apart.
static llvm::Function* spread_helper(Lowerer& lower, llvm::Type* element) {
  ModuleState& state = lower.state;
  std::string name = helper_name(lower, "spread", element);
  if (llvm::Function* found = state.module.getFunction(name)) return found;
  llvm::Type* number = llvm::Type::getInt64Ty(state.context);
  auto* type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(state.context),
      {llvm::PointerType::get(state.context, 0), number, vector_of(lower, element)}, false);
  llvm::Function* function = new_helper(state, name, type);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", function));
  for (unsigned lane = 0; lane < lower.lane_count(); ++lane) {
    llvm::Value* distance = builder.CreateMul(function->getArg(1), builder.getInt64(lane));
    builder.CreateAlignedStore(builder.CreateExtractElement(function->getArg(2), lane),
                               builder.CreateGEP(element, function->getArg(0), distance),
                               llvm::MaybeAlign(1));
  }
  builder.CreateRetVoid();
  return function;
}

void spread(Lowerer& lower, llvm::Value* value, llvm::Value* first, llvm::Value* step) {
  lower.builder.CreateCall(spread_helper(lower, value->getType()->getScalarType()), {first, step, value});
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

// AVX2's instruction for elements of 32 or 64 bits, integers or floats, at offsets of 32 or 64 bits.
static llvm::Intrinsic::ID gather_instruction(llvm::Type* element, bool long_offsets) {
  namespace I = llvm::Intrinsic;
  bool is_long = element->getScalarSizeInBits() == 64, is_real = element->isFloatingPointTy();
  if (long_offsets)
    return is_long ? (is_real ? I::x86_avx2_gather_q_pd_256 : I::x86_avx2_gather_q_q_256)
                   : (is_real ? I::x86_avx2_gather_q_ps_256 : I::x86_avx2_gather_q_d_256);
  return is_long ? (is_real ? I::x86_avx2_gather_d_pd_256 : I::x86_avx2_gather_d_q_256)
                 : (is_real ? I::x86_avx2_gather_d_ps_256 : I::x86_avx2_gather_d_d_256);
}

// As many lanes as one instruction takes, offsets in units of `scale` bytes.
static llvm::Value* gather_part(Lowerer& lower, llvm::Value* base, llvm::Value* offsets, llvm::Value* mask,
                                llvm::Type* element, unsigned scale) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned width = llvm::cast<llvm::FixedVectorType>(offsets->getType())->getNumElements();
  llvm::Intrinsic::ID id = gather_instruction(element, offsets->getType()->getScalarSizeInBits() == 64);
  auto* type = llvm::FixedVectorType::get(element, width);
  auto* bits = llvm::FixedVectorType::get(builder.getIntNTy(element->getScalarSizeInBits()), width);
  llvm::Value* selected = builder.CreateBitCast(builder.CreateSExt(mask, bits), type);
  return builder.CreateIntrinsic(id, {},
                                 {llvm::Constant::getNullValue(type), base, offsets, selected,
                                  builder.getInt8(static_cast<std::uint8_t>(scale))});
}

static unsigned bits_of(llvm::Value* vector) { return vector->getType()->getScalarSizeInBits(); }

// Lanes that one AVX-512 instruction with offsets of 32 bits takes.
static unsigned wide_part(llvm::Type* element) { return 512 / element->getScalarSizeInBits(); }

// LLVM's own gather widens such offsets to 64 bits, and is two instructions then.
static llvm::Value* gather_wide_part(Lowerer& lower, llvm::Value* base, llvm::Value* offsets,
                                     llvm::Value* mask, llvm::Type* element, unsigned scale) {
  namespace I = llvm::Intrinsic;
  bool is_long = element->getScalarSizeInBits() == 64, is_real = element->isFloatingPointTy();
  I::ID id = is_long ? (is_real ? I::x86_avx512_mask_gather_dpd_512 : I::x86_avx512_mask_gather_dpq_512)
                     : (is_real ? I::x86_avx512_mask_gather_dps_512 : I::x86_avx512_mask_gather_dpi_512);
  auto* type = llvm::FixedVectorType::get(element, wide_part(element));
  return lower.builder.CreateIntrinsic(
      id, {}, {llvm::Constant::getNullValue(type), base, offsets, mask, lower.builder.getInt32(scale)});
}

static void scatter_wide_part(Lowerer& lower, llvm::Value* base, llvm::Value* offsets, llvm::Value* mask,
                              llvm::Value* value) {
  namespace I = llvm::Intrinsic;
  llvm::Type* element = value->getType()->getScalarType();
  bool is_long = element->getScalarSizeInBits() == 64, is_real = element->isFloatingPointTy();
  I::ID id = is_long ? (is_real ? I::x86_avx512_mask_scatter_dpd_512 : I::x86_avx512_mask_scatter_dpq_512)
                     : (is_real ? I::x86_avx512_mask_scatter_dps_512 : I::x86_avx512_mask_scatter_dpi_512);
  lower.builder.CreateIntrinsic(
      id, {}, {base, mask, offsets, value, lower.builder.getInt32(element->getScalarSizeInBits() / 8)});
}

// Elements of 32 or 64 bits at `base + offset * scale` bytes.
static llvm::Value* gather_words(Lowerer& lower, llvm::Value* base, llvm::Value* offsets, llvm::Value* mask,
                                 llvm::Type* element, unsigned scale) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::FixedVectorType* vector = vector_of(lower, element);
  bool wide = lower.state.has_avx512;
  if (wide && bits_of(offsets) == 64) {
    llvm::Type* unit = builder.getIntNTy(8 * scale);
    return builder.CreateMaskedGather(vector, builder.CreateGEP(unit, base, offsets), llvm::Align(scale),
                                      mask, llvm::Constant::getNullValue(vector));
  }
  std::vector<llvm::Value*> parts;
  unsigned widest = std::max(element->getScalarSizeInBits(), offsets->getType()->getScalarSizeInBits());
  unsigned width = wide ? wide_part(element) : 256 / widest;
  for (unsigned first = 0; first < lower.lane_count(); first += width)
    parts.push_back(
        (wide ? gather_wide_part : gather_part)(lower, base, part_of(lower, offsets, first, width),
                                                part_of(lower, mask, first, width), element, scale));
  return concatenate_parts(lower, parts);
}

// Bytes and halves: the aligned words around them, shifted.
static llvm::Value* gather_small(Lowerer& lower, const LaneAddresses& addresses, llvm::Value* mask,
                                 llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned bytes = element->getScalarSizeInBits() / 8;
  llvm::Type* words = addresses.offsets->getType();
  llvm::Value* address = builder.CreatePtrToInt(addresses.base, builder.getInt64Ty());
  llvm::Value* inside = builder.CreateTrunc(builder.CreateAnd(address, 3), words->getScalarType());
  llvm::Value* base =
      builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {addresses.base->getType(), builder.getInt64Ty()},
                              {addresses.base, builder.getInt64(~std::uint64_t{3})});
  llvm::Value* offsets = builder.CreateMul(addresses.offsets, llvm::ConstantInt::get(words, bytes));
  offsets = builder.CreateAdd(offsets, splat(lower, inside));
  llvm::Value* aligned = builder.CreateAnd(offsets, llvm::ConstantInt::getSigned(words, -4));
  llvm::Value* word = gather_words(lower, base, aligned, mask, builder.getInt32Ty(), 1);
  llvm::Value* shift =
      builder.CreateTrunc(builder.CreateAnd(offsets, llvm::ConstantInt::get(words, 3)), word->getType());
  shift = builder.CreateShl(shift, llvm::ConstantInt::get(shift->getType(), 3));
  return builder.CreateTrunc(builder.CreateLShr(word, shift), vector_of(lower, element));
}

llvm::Value* gather(Lowerer& lower, const LaneAddresses& addresses, llvm::Type* element) {
  unsigned bytes = element->getScalarSizeInBits() / 8;
  if (addresses.base && is_word(element))
    return gather_words(lower, addresses.base, addresses.offsets, active_lanes(lower), element, bytes);
  if (addresses.base && bytes < 4) return gather_small(lower, addresses, active_lanes(lower), element);
  llvm::Value* pointers = pointers_of(lower, addresses, element);
  return lower.builder.CreateCall(gather_helper(lower, element),
                                  {pointers, mask_bits(lower, active_lanes(lower))});
}

bool has_scatter(const Lowerer& lower, llvm::Type* element) {
  return lower.state.has_avx512 && is_word(element);
}

void scatter(Lowerer& lower, llvm::Value* value, const LaneAddresses& addresses) {
  llvm::Type* element = value->getType()->getScalarType();
  if (has_scatter(lower, element) && addresses.base && bits_of(addresses.offsets) == 32) {
    unsigned width = wide_part(element);
    for (unsigned first = 0; first < lower.lane_count(); first += width)
      scatter_wide_part(lower, addresses.base, part_of(lower, addresses.offsets, first, width),
                        part_of(lower, active_lanes(lower), first, width),
                        part_of(lower, value, first, width));
    return;
  }
  llvm::Value* pointers = pointers_of(lower, addresses, element);
  if (has_scatter(lower, element)) {
    lower.builder.CreateMaskedScatter(value, pointers, llvm::Align(element->getScalarSizeInBits() / 8),
                                      active_lanes(lower));
    return;
  }
  lower.builder.CreateCall(scatter_helper(lower, element),
                           {pointers, value, mask_bits(lower, active_lanes(lower))});
}

} // namespace kern::lowering
