// Masks of lanes, and vectors made of scalars. Where there are mask registers a mask is <W x i1> everywhere;
// elsewhere it is kept as <W x i32>, 1.4 to 1.7 times faster in divergent loops, and turned into i1 where it
// is used.
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

llvm::Function* new_helper(ModuleState& state, const std::string& name, llvm::FunctionType* type) {
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, state.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

llvm::FixedVectorType* vector_of(const Lowerer& lower, llvm::Type* element) {
  return llvm::FixedVectorType::get(element, lower.lane_count());
}

llvm::Type* mask_type(const Lowerer& lower) {
  unsigned bits = lower.state.has_avx512 ? 1 : 32;
  return vector_of(lower, llvm::IntegerType::get(lower.state.context, bits));
}

llvm::Value* new_mask_slot(Lowerer& lower, const char* name) {
  return entry_alloca(lower, mask_type(lower), name);
}

llvm::Constant* full_mask(const Lowerer& lower, bool value) {
  return llvm::ConstantInt::get(vector_of(lower, llvm::Type::getInt1Ty(lower.state.context)), value ? 1 : 0);
}

llvm::Value* load_mask(Lowerer& lower, llvm::Value* slot) {
  llvm::Value* mask = lower.builder.CreateLoad(mask_type(lower), slot);
  return lower.state.has_avx512 ? mask : lower.builder.CreateIsNeg(mask);
}

void store_mask(Lowerer& lower, llvm::Value* slot, llvm::Value* mask) {
  lower.builder.CreateStore(lower.builder.CreateSExt(mask, mask_type(lower)), slot);
}

llvm::Value* mask_bits(Lowerer& lower, llvm::Value* mask) {
  return lower.builder.CreateBitCast(mask, lower.builder.getIntNTy(lower.lane_count()));
}

llvm::Value* mask_of_bits(Lowerer& lower, llvm::Value* bits) {
  bits = lower.builder.CreateTrunc(bits, lower.builder.getIntNTy(lower.lane_count()));
  return lower.builder.CreateBitCast(bits, vector_of(lower, lower.builder.getInt1Ty()));
}

llvm::Value* any_lane(Lowerer& lower, llvm::Value* mask) {
  return lower.builder.CreateIsNotNull(mask_bits(lower, mask));
}

llvm::Value* all_lanes(Lowerer& lower, llvm::Value* mask) {
  llvm::Value* bits = mask_bits(lower, mask);
  return lower.builder.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

llvm::Value* active_lanes(Lowerer& lower) {
  return lower.lanes.masked ? load_mask(lower, lower.lanes.active) : full_mask(lower, true);
}

llvm::Value* first_active_lane(Lowerer& lower) {
  llvm::Value* bits = mask_bits(lower, active_lanes(lower));
  return lower.builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, lower.builder.getTrue());
}

llvm::Constant* lane_steps(const Lowerer& lower, llvm::Type* element, std::int64_t step) {
  std::vector<llvm::Constant*> values;
  for (unsigned lane = 0; lane < lower.lane_count(); ++lane)
    values.push_back(llvm::ConstantInt::get(element, static_cast<std::uint64_t>(step) * lane, true));
  return llvm::ConstantVector::get(values);
}

llvm::Value* lanes_below(Lowerer& lower, llvm::Value* limit) {
  llvm::IRBuilder<>& builder = lower.builder;
  limit = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, limit, i64(lower.state, lower.lane_count()));
  llvm::Value* numbers = lane_steps(lower, builder.getInt32Ty(), 1);
  return builder.CreateICmpULT(numbers, splat(lower, builder.CreateTrunc(limit, builder.getInt32Ty())));
}

llvm::Value* splat(Lowerer& lower, llvm::Value* scalar) {
  if (scalar->getType()->isVectorTy()) return scalar;
  return lower.builder.CreateVectorSplat(lower.lane_count(), scalar);
}

llvm::Value* to_vector(Lowerer& lower, const Value& value) {
  if (value.shape.kind == Shape::Kind::Varying) return value.value;
  llvm::Value* vector = splat(lower, value.value);
  if (value.shape.kind == Shape::Kind::Uniform) return vector;
  return lower.builder.CreateAdd(vector, lane_steps(lower, value.value->getType(), value.shape.step));
}

static bool is_varying(const Value& value) { return value.shape.kind == Shape::Kind::Varying; }

static Shape linear(std::int64_t step) { return step == 0 ? Shape{} : Shape{Shape::Kind::Linear, step}; }

Value add_values(Lowerer& lower, const Value& left, const Value& right, bool exact) {
  if (is_varying(left) || is_varying(right))
    return {lower.builder.CreateAdd(to_vector(lower, left), to_vector(lower, right)), varying_shape};
  llvm::Value* sum = lower.builder.CreateAdd(left.value, right.value, "", false, exact);
  return {sum, linear(left.shape.step + right.shape.step)};
}

Value multiply_values(Lowerer& lower, const Value& left, const Value& right, bool exact) {
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(right.value);
  bool scales = left.shape.kind == Shape::Kind::Linear && right.shape.kind == Shape::Kind::Uniform && known;
  bool both_uniform = left.shape.kind == Shape::Kind::Uniform && right.shape.kind == Shape::Kind::Uniform;
  if (!both_uniform && !scales)
    return {lower.builder.CreateMul(to_vector(lower, left), to_vector(lower, right)), varying_shape};
  llvm::Value* product = lower.builder.CreateMul(left.value, right.value, "", false, exact);
  return {product, scales ? linear(left.shape.step * known->getSExtValue()) : Shape{}};
}

llvm::Value* linear_at(Lowerer& lower, const Value& value, std::int64_t lane) {
  if (value.shape.kind != Shape::Kind::Linear || lane == 0) return value.value;
  auto step = static_cast<std::uint64_t>(value.shape.step * lane);
  return lower.builder.CreateAdd(value.value, llvm::ConstantInt::get(value.value->getType(), step, true));
}

llvm::Value* blend(Lowerer& lower, llvm::Value* value, llvm::Value* old) {
  return lower.lanes.masked ? lower.builder.CreateSelect(active_lanes(lower), value, old) : value;
}

llvm::Value* part_of(Lowerer& lower, llvm::Value* vector, unsigned first, unsigned width) {
  std::vector<int> lanes;
  for (unsigned lane = first; lane < first + width; ++lane) lanes.push_back(static_cast<int>(lane));
  return lower.builder.CreateShuffleVector(vector, lanes);
}

// Puts parts of one width together; their number is a power of two.
llvm::Value* concatenate_parts(Lowerer& lower, std::vector<llvm::Value*> parts) {
  while (parts.size() > 1) {
    unsigned width = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
    std::vector<int> lanes;
    for (unsigned lane = 0; lane < 2 * width; ++lane) lanes.push_back(static_cast<int>(lane));
    std::vector<llvm::Value*> wider;
    for (std::size_t index = 0; index < parts.size(); index += 2)
      wider.push_back(lower.builder.CreateShuffleVector(parts[index], parts[index + 1], lanes));
    parts = std::move(wider);
  }
  return parts[0];
}

llvm::Value* value_of_first_lane(Lowerer& lower, const Value& value) {
  if (value.shape.kind == Shape::Kind::Uniform) return value.value;
  return lower.builder.CreateExtractElement(to_vector(lower, value), first_active_lane(lower));
}

Spilled spill(Lowerer& lower, llvm::Value* vector) {
  llvm::Type* type = vector->getType();
  if (type->getScalarType()->isIntegerTy(1)) {
    type = type->getWithNewType(lower.builder.getInt8Ty());
    vector = lower.builder.CreateZExt(vector, type);
  }
  llvm::Value* buffer = entry_alloca(lower, type, "spilled");
  lower.builder.CreateStore(vector, buffer);
  return {buffer, type->getScalarType()};
}

llvm::Value* lane_pointer(Lowerer& lower, const Spilled& spilled, llvm::Value* lane) {
  return lower.builder.CreateInBoundsGEP(spilled.element, spilled.buffer,
                                         lower.builder.CreateZExt(lane, lower.builder.getInt64Ty()));
}

llvm::Value* lane_of(Lowerer& lower, const Spilled& spilled, llvm::Value* lane) {
  return lower.builder.CreateLoad(spilled.element, lane_pointer(lower, spilled, lane));
}

} // namespace kern::lowering
