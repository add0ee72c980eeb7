// Warps on the CPU: a warp is one vector of 32 lanes that follow the linear thread id, so a vote is a test of mask bits
// and a shuffle a permutation. Lanes that left or take no part give unspecified values. The driver refuses what warps do
// together where a vector has other lanes; a place in a warp is known all the same.
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering::vocabulary {

// ---- Places ----

// Returns the place of a thread in its warp. It is 0 in the first lane where lanes are warps; elsewhere a row
// may begin anywhere in a warp.
llvm::Value* cpu_lane_id(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Place& place = lower.place;
  llvm::Value* row =
      builder.CreateAdd(builder.CreateMul(place.thread[2], place.block_dim[1]), place.thread[1]);
  llvm::Value* linear = builder.CreateAdd(builder.CreateMul(row, place.block_dim[0]), place.thread[0]);
  if (lower.lanes.linear_id) linear = lower.lanes.linear_id;
  if (call.form == Form::Vector) linear = to_vector(lower, {linear, linear_shape(1)});
  return builder.CreateAnd(linear, llvm::ConstantInt::get(linear->getType(), 31));
}

static llvm::Value* lane_bit(Lowerer& lower, const CustomCall& call) {
  llvm::Value* lane = cpu_lane_id(lower, call);
  return lower.builder.CreateShl(llvm::ConstantInt::get(lane->getType(), 1), lane);
}

llvm::Value* cpu_lane_mask_below(Lowerer& lower, const CustomCall& call) {
  llvm::Value* bit = lane_bit(lower, call);
  return lower.builder.CreateSub(bit, llvm::ConstantInt::get(bit->getType(), 1));
}

llvm::Value* cpu_active_mask(Lowerer& lower, const CustomCall& call) {
  return lower.lane_count() == 32 ? mask_bits(lower, active_lanes(lower)) : lane_bit(lower, call);
}

// ---- Votes ----

// The lanes that are here and named by the first argument, as bits; a vector where each lane names others.
static llvm::Value* taking_part(Lowerer& lower, const CustomCall& call) {
  assert(lower.lane_count() == 32 && "a warp is a vector");
  llvm::Value* here = mask_bits(lower, active_lanes(lower));
  Value named = read_value(lower, call.args[0]);
  if (named.shape.kind == Shape::Kind::Uniform) return lower.builder.CreateAnd(here, named.value);
  return lower.builder.CreateAnd(splat(lower, here), to_vector(lower, named));
}

static llvm::Value* like(Lowerer& lower, llvm::Value* bits, llvm::Value* other) {
  return other->getType()->isVectorTy() ? splat(lower, bits) : bits;
}

llvm::Value* cpu_vote(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* lanes = taking_part(lower, call);
  llvm::Value* bits = mask_bits(lower, read(lower, call.args[1], Form::Vector));
  llvm::Value* holding = builder.CreateAnd(lanes, like(lower, bits, lanes));
  llvm::Value* all = builder.CreateICmpEQ(holding, lanes);
  llvm::Value* none = builder.CreateIsNull(holding);
  if (call.builtin == Builtin::AllSync) return all;
  if (call.builtin == Builtin::AnySync) return builder.CreateNot(none);
  if (call.builtin == Builtin::EqSync) return builder.CreateOr(all, none);
  return holding;
}

// ---- Shuffles ----

static llvm::Value* lane_numbers(Lowerer& lower) { return lane_steps(lower, lower.builder.getInt32Ty(), 1); }

// The lane that each lane reads, and whether there is one.
struct SourceLanes {
  llvm::Value* lane;
  llvm::Value* exists; // null: always
};

static SourceLanes source_lanes(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* own = lane_numbers(lower);
  llvm::Value* by = read(lower, call.args[2], Form::Vector);
  llvm::Value* low_bits = llvm::ConstantInt::get(own->getType(), 31);
  llvm::Value* limit = llvm::ConstantInt::get(own->getType(), 32);
  if (call.builtin == Builtin::ShflSync) return {builder.CreateAnd(by, low_bits), nullptr};
  if (call.builtin == Builtin::ShflXorSync)
    return {builder.CreateAnd(builder.CreateXor(own, by), low_bits), nullptr};
  bool up = call.builtin == Builtin::ShflUpSync;
  llvm::Value* lane = up ? builder.CreateSub(own, by) : builder.CreateAdd(own, by);
  llvm::Value* exists =
      builder.CreateAnd(builder.CreateICmpULT(by, limit), builder.CreateICmpULT(lane, limit));
  return {lane, exists};
}

// Reads a vector at other lanes, through memory unless they are constants.
static llvm::Value* permute(Lowerer& lower, llvm::Value* vector, llvm::Value* lanes) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (auto* known = llvm::dyn_cast<llvm::Constant>(lanes)) {
    std::vector<int> numbers;
    for (unsigned lane = 0; lane < lower.lane_count(); ++lane)
      numbers.push_back(
          static_cast<int>(llvm::cast<llvm::ConstantInt>(known->getAggregateElement(lane))->getZExtValue()));
    return builder.CreateShuffleVector(vector, numbers);
  }
  Spilled spilled = spill(lower, vector);
  const unsigned bits = spilled.element->getPrimitiveSizeInBits();
  // Hardware gathers elements of these sizes; what it takes to do it lane by lane is 160 instructions.
  if (bits == 32 || bits == 64) {
    llvm::Value* wide = builder.CreateZExt(lanes, vector_of(lower, builder.getInt64Ty()));
    llvm::Value* pointers = builder.CreateInBoundsGEP(spilled.element, spilled.buffer, wide);
    return builder.CreateMaskedGather(vector_of(lower, spilled.element), pointers, llvm::Align(bits / 8));
  }
  llvm::Value* result = llvm::PoisonValue::get(vector_of(lower, spilled.element));
  for (unsigned lane = 0; lane < lower.lane_count(); ++lane)
    result = builder.CreateInsertElement(
        result, lane_of(lower, spilled, builder.CreateExtractElement(lanes, lane)), lane);
  return result;
}

// By the same distance in all lanes: one load beside the place where the vector was stored.
static llvm::Value* shift_lanes(Lowerer& lower, llvm::Value* vector, llvm::Value* distance, bool up) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* element = vector->getType()->getScalarType();
  unsigned lanes = lower.lane_count();
  llvm::AllocaInst* buffer = entry_alloca(lower, llvm::ArrayType::get(element, 2 * lanes), "shifted");
  buffer->setAlignment(llvm::Align(64));
  auto at = [&](llvm::Value* index) { return builder.CreateInBoundsGEP(element, buffer, index); };
  for (unsigned half : {0u, lanes})
    builder.CreateAlignedStore(vector, at(builder.getInt64(half)), llvm::Align(64));
  llvm::Value* by =
      builder.CreateZExt(builder.CreateAnd(distance, builder.getInt32(31)), builder.getInt64Ty());
  llvm::Value* from = up ? builder.CreateSub(builder.getInt64(lanes), by) : by;
  return builder.CreateAlignedLoad(vector->getType(), at(from),
                                   llvm::Align(element->getPrimitiveSizeInBits() / 8));
}

llvm::Value* cpu_shuffle(Lowerer& lower, const CustomCall& call) {
  assert(lower.lane_count() == 32 && "a warp is a vector");
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* vector = read(lower, call.args[1], Form::Vector);
  bool is_bool = vector->getType()->getScalarType()->isIntegerTy(1);
  if (is_bool) vector = builder.CreateZExt(vector, vector_of(lower, builder.getInt8Ty()));
  bool by_distance = call.builtin == Builtin::ShflUpSync || call.builtin == Builtin::ShflDownSync;
  Value distance = read_value(lower, call.args[2]);
  if (call.builtin == Builtin::ShflSync && distance.shape.kind == Shape::Kind::Uniform) {
    llvm::Value* lane = builder.CreateAnd(distance.value, 31);
    llvm::Value* sent = builder.CreateExtractElement(vector, lane);
    return is_bool ? builder.CreateIsNotNull(sent) : sent;
  }
  SourceLanes source = source_lanes(lower, call);
  llvm::Value* moved = nullptr;
  if (by_distance && distance.shape.kind == Shape::Kind::Uniform &&
      !llvm::isa<llvm::Constant>(distance.value)) {
    moved = shift_lanes(lower, vector, distance.value, call.builtin == Builtin::ShflUpSync);
  } else {
    llvm::Value* in_range =
        builder.CreateAnd(source.lane, llvm::ConstantInt::get(source.lane->getType(), 31));
    moved = permute(lower, vector, in_range);
  }
  if (source.exists) moved = builder.CreateSelect(source.exists, moved, vector);
  return is_bool ? builder.CreateIsNotNull(moved) : moved;
}

// ---- Matches ----

// For each lane, the lanes that have its value, bit for bit.
static llvm::Value* equal_lanes(Lowerer& lower, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned width = value->getType()->getScalarSizeInBits();
  value = builder.CreateBitCast(value, vector_of(lower, builder.getIntNTy(width)));
  llvm::Value* result = llvm::PoisonValue::get(vector_of(lower, builder.getInt32Ty()));
  for (unsigned lane = 0; lane < lower.lane_count(); ++lane) {
    llvm::Value* same = builder.CreateICmpEQ(value, splat(lower, builder.CreateExtractElement(value, lane)));
    result = builder.CreateInsertElement(result, mask_bits(lower, same), lane);
  }
  return result;
}

llvm::Value* cpu_match(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* lanes = splat(lower, taking_part(lower, call));
  llvm::Value* equal = builder.CreateAnd(equal_lanes(lower, read(lower, call.args[1], Form::Vector)), lanes);
  if (call.builtin == Builtin::MatchAnySync) return equal;
  return builder.CreateSelect(builder.CreateICmpEQ(equal, lanes), lanes,
                              llvm::Constant::getNullValue(lanes->getType()));
}

} // namespace kern::lowering::vocabulary
