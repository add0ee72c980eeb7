// Loads and stores of a vector of lanes. Neighbouring elements are one vector access, one element for all
// lanes a scalar one and a broadcast; anything else goes through a helper of its element type that visits one
// active lane after the other, or through the gather and scatter of AVX-512. LLVM's own expansion of masked
// accesses is never asked for: it takes 10 times as long to compile.
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering {

static bool has_native_gather(const ModuleState& state, llvm::Type* element) {
  unsigned bits = element->getScalarSizeInBits();
  return state.has_avx512 && (bits == 32 || bits == 64);
}

// Masked moves of neighbouring elements: 32 and 64 bits everywhere, all sizes with AVX-512.
static bool has_native_mask(const ModuleState& state, llvm::Type* element) {
  return state.has_avx512 || element->getScalarSizeInBits() >= 32;
}

// ---- Helpers: functions of their own, one for each element type ----

static llvm::Function* new_helper(ModuleState& state, const std::string& name, llvm::FunctionType* type) {
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, state.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

static std::string helper_name(const char* what, llvm::Type* element) {
  std::string name = std::string("kern_") + what + "_";
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
  std::string name = helper_name("gather", element);
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
  std::string name = helper_name("scatter", element);
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

// ---- Addresses ----

struct LaneAddress {
  llvm::Value* pointer; // of lane 0, or a vector of pointers
  Shape shape;          // Linear: steps in elements
};

static LaneAddress lane_address(Lowerer& lower, const ArrayValue& array,
                                const std::vector<ir::Operand>& indices) {
  llvm::IRBuilder<>& builder = lower.builder;
  ElementPlace place = element_place(lower, array, indices);
  llvm::Type* element = memory_type(lower.state, array.element);
  bool varying =
      place.base.shape.kind == Shape::Kind::Varying || place.offset.shape.kind == Shape::Kind::Varying;
  if (!varying) return {element_address(lower, array, place), place.offset.shape};
  llvm::Value* pointers = builder.CreateGEP(element, place.base.value, to_vector(lower, place.offset));
  return {splat(lower, pointers), varying_shape};
}

// The pointers of all lanes.
static llvm::Value* pointer_vector(Lowerer& lower, const LaneAddress& address, llvm::Type* element) {
  if (address.shape.kind == Shape::Kind::Varying) return address.pointer;
  llvm::Constant* steps = lane_steps(lower.state, lower.builder.getInt64Ty(), address.shape.step);
  return lower.builder.CreateGEP(element, address.pointer, steps);
}

static bool is_consecutive(Shape shape) { return shape.kind == Shape::Kind::Linear && shape.step == 1; }

// ---- Loads ----

static llvm::Value* load_consecutive(Lowerer& lower, llvm::Value* pointer, llvm::Type* element,
                                     llvm::Align align) {
  llvm::FixedVectorType* vector = vector_of(lower.state, element);
  if (!lower.lanes.masked) return lower.builder.CreateAlignedLoad(vector, pointer, align);
  return lower.builder.CreateMaskedLoad(vector, pointer, align, active_lanes(lower),
                                        llvm::Constant::getNullValue(vector));
}

static llvm::Value* gather(Lowerer& lower, llvm::Value* pointers, llvm::Type* element, llvm::Align align) {
  llvm::FixedVectorType* vector = vector_of(lower.state, element);
  if (has_native_gather(lower.state, element))
    return lower.builder.CreateMaskedGather(vector, pointers, align, active_lanes(lower),
                                            llvm::Constant::getNullValue(vector));
  return lower.builder.CreateCall(gather_helper(lower, element),
                                  {pointers, mask_bits(lower, active_lanes(lower))});
}

static llvm::Value* load_element(Lowerer& lower, const LaneAddress& address, llvm::Type* element,
                                 llvm::Align align) {
  if (address.shape.kind == Shape::Kind::Uniform)
    return lower.builder.CreateAlignedLoad(element, address.pointer, align);
  if (is_consecutive(address.shape) && (!lower.lanes.masked || has_native_mask(lower.state, element)))
    return load_consecutive(lower, address.pointer, element, align);
  return gather(lower, pointer_vector(lower, address, element), element, align);
}

void load_lanes(Lowerer& lower, const ir::Load& load) {
  ArrayValue array = read_array(lower, load.array);
  LaneAddress address = lane_address(lower, array, load.indices);
  llvm::Value* value =
      load_element(lower, address, memory_type(lower.state, array.element), element_alignment(array.element));
  if (array.element == ScalarKind::Bool) value = lower.builder.CreateIsNotNull(value);
  write(lower, load.slot, value);
}

// ---- Stores ----

static void scatter(Lowerer& lower, llvm::Value* value, llvm::Value* pointers, llvm::Align align) {
  llvm::Type* element = value->getType()->getScalarType();
  if (has_native_gather(lower.state, element)) {
    lower.builder.CreateMaskedScatter(value, pointers, align, active_lanes(lower));
    return;
  }
  lower.builder.CreateCall(scatter_helper(lower, element),
                           {pointers, value, mask_bits(lower, active_lanes(lower))});
}

// All lanes write one element: the last active one wins, as if they came one after the other.
static void store_uniform(Lowerer& lower, llvm::Value* value, llvm::Value* pointer, llvm::Align align) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (value->getType()->isVectorTy()) {
    llvm::Value* lane = builder.getInt32(lower.state.lanes() - 1);
    if (lower.lanes.masked) {
      llvm::Value* bits = mask_bits(lower, active_lanes(lower));
      llvm::Value* above = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder.getTrue());
      lane = builder.CreateSub(lane, builder.CreateZExtOrTrunc(above, builder.getInt32Ty()));
    }
    value = builder.CreateExtractElement(value, lane);
  }
  builder.CreateAlignedStore(value, pointer, align);
}

void store_lanes(Lowerer& lower, const ir::Store& store) {
  llvm::IRBuilder<>& builder = lower.builder;
  ArrayValue array = read_array(lower, store.array);
  llvm::Type* element = memory_type(lower.state, array.element);
  llvm::Align align = element_alignment(array.element);
  LaneAddress address = lane_address(lower, array, store.indices);
  Value stored = read_value(lower, store.value);
  bool one_for_all = address.shape.kind == Shape::Kind::Uniform && stored.shape.kind == Shape::Kind::Uniform;
  llvm::Value* value = one_for_all ? stored.value : to_vector(lower, stored);
  if (array.element == ScalarKind::Bool)
    value = builder.CreateZExt(value, value->getType()->getWithNewType(element));
  if (address.shape.kind == Shape::Kind::Uniform) return store_uniform(lower, value, address.pointer, align);
  if (!is_consecutive(address.shape) || (lower.lanes.masked && !has_native_mask(lower.state, element)))
    return scatter(lower, value, pointer_vector(lower, address, element), align);
  if (lower.lanes.masked) {
    builder.CreateMaskedStore(value, address.pointer, align, active_lanes(lower));
  } else {
    builder.CreateAlignedStore(value, address.pointer, align);
  }
}

// ---- Local arrays ----

// Fills the elements of the active lanes with zeros.
void clear_local_array(Lowerer& lower, llvm::Value* base, llvm::Type* element, std::uint64_t count) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::uint64_t row = lower.state.lanes() * (element->getScalarSizeInBits() / 8);
  if (!lower.lanes.masked) {
    builder.CreateMemSet(base, builder.getInt8(0), count * row, llvm::MaybeAlign(16));
    return;
  }
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* body = new_block(lower, "clear");
  llvm::BasicBlock* done = new_block(lower, "cleared");
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  llvm::PHINode* index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(i64(lower.state, 0), before);
  llvm::Value* offset = builder.CreateMul(index, i64(lower.state, lower.state.lanes()));
  llvm::Value* pointer = builder.CreateGEP(element, base, offset);
  llvm::Value* zero = llvm::Constant::getNullValue(vector_of(lower.state, element));
  if (has_native_mask(lower.state, element)) {
    builder.CreateMaskedStore(zero, pointer, llvm::Align(element->getScalarSizeInBits() / 8),
                              active_lanes(lower));
  } else {
    LaneAddress address{pointer, linear_shape(1)};
    scatter(lower, zero, pointer_vector(lower, address, element), llvm::Align(1));
  }
  llvm::Value* next = builder.CreateAdd(index, i64(lower.state, 1));
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, i64(lower.state, static_cast<std::int64_t>(count))), body,
                       done);
  builder.SetInsertPoint(done);
}

} // namespace kern::lowering
