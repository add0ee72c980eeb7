// Effects that have no vector form: atomics and prints go lane by lane, in ascending order.
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"
#include "compiler/types/convert.h"

namespace kern::lowering {

// Lanes are read from memory at numbers that are not constant, so LLVM leaves them there: to take one out of
// a register costs two operations for which there is one unit.
static constexpr unsigned lanes_at_once = 4;

// All lanes, counted, so that LLVM unrolls.
static void for_each_lane(Lowerer& lower, const std::function<void(llvm::Value*)>& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* lane_block = new_block(lower, "lane");
  llvm::BasicBlock* done = new_block(lower, "lanes_done");
  builder.CreateBr(lane_block);
  builder.SetInsertPoint(lane_block);
  llvm::PHINode* lane = builder.CreatePHI(builder.getInt32Ty(), 2);
  lane->addIncoming(builder.getInt32(0), before);
  body(lane);
  llvm::Value* next = builder.CreateNUWAdd(lane, builder.getInt32(1));
  lane->addIncoming(next, builder.GetInsertBlock());
  llvm::BranchInst* back = builder.CreateCondBr(
      builder.CreateICmpULT(next, builder.getInt32(lower.lane_count())), lane_block, done);
  llvm::Metadata* count = llvm::ConstantAsMetadata::get(i32(lower.state, lanes_at_once));
  hint_loop(lower, back, {llvm::MDString::get(lower.state.context, "llvm.loop.unroll.count"), count});
  builder.SetInsertPoint(done);
}

void for_each_active_lane(Lowerer& lower, const std::function<void(llvm::Value*)>& body) {
  if (!lower.lanes.masked) return for_each_lane(lower, body);
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* bits = mask_bits(lower, active_lanes(lower));
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* lane_block = new_block(lower, "lane");
  llvm::BasicBlock* done = new_block(lower, "lanes_done");
  builder.CreateCondBr(builder.CreateIsNull(bits), done, lane_block);
  builder.SetInsertPoint(lane_block);
  llvm::PHINode* left = builder.CreatePHI(bits->getType(), 2);
  left->addIncoming(bits, before);
  llvm::Value* lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue());
  body(builder.CreateZExtOrTrunc(lane, builder.getInt32Ty()));
  llvm::Value* rest =
      builder.CreateAnd(left, builder.CreateSub(left, llvm::ConstantInt::get(bits->getType(), 1)));
  left->addIncoming(rest, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateIsNull(rest), done, lane_block);
  builder.SetInsertPoint(done);
}

LaneSource lane_source(Lowerer& lower, const Value& value) {
  LaneSource source{value};
  source.is_bool = value.value->getType()->getScalarType()->isIntegerTy(1);
  if (value.shape.kind == Shape::Kind::Varying) source.spilled = spill(lower, value.value);
  return source;
}

llvm::Value* at_lane(Lowerer& lower, const LaneSource& source, llvm::Value* lane) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (source.value.shape.kind == Shape::Kind::Uniform) return source.value.value;
  if (source.value.shape.kind == Shape::Kind::Linear) {
    llvm::Type* type = source.value.value->getType();
    llvm::Value* number = builder.CreateZExtOrTrunc(lane, type);
    llvm::Value* step =
        llvm::ConstantInt::get(type, static_cast<std::uint64_t>(source.value.shape.step), true);
    return builder.CreateAdd(source.value.value, builder.CreateMul(number, step));
  }
  llvm::Value* value = lane_of(lower, source.spilled, lane);
  return source.is_bool ? builder.CreateIsNotNull(value) : value;
}

// Whether an index is the place itself: of a shared array that is where it is from the start of the block.
static bool is_plain_index(const Lowerer& lower, const ir::Atomic& atomic) {
  auto array = static_cast<std::size_t>(*atomic.array.slot);
  return atomic.indices.size() == 1 && array < lower.block_arrays.size() && lower.block_arrays[array];
}

// The narrowest integer that holds each lane's place in an array, and whether with a sign: there is less to
// write, and to read again lane by lane. A shared array that is named once has no offset.
static std::pair<llvm::Type*, bool> place_type(Lowerer& lower, const ir::Atomic& atomic) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (atomic.array.type->space == AddressSpace::Global && !lower.facts.small_arrays)
    return {builder.getInt64Ty(), true};
  Interval range =
      is_plain_index(lower, atomic) ? lower.shapes.range_of(atomic.indices[0]) : Interval{-1, -1};
  if (range.low >= 0 && range.high <= UINT8_MAX) return {builder.getInt8Ty(), false};
  if (range.low >= 0 && range.high <= UINT16_MAX) return {builder.getInt16Ty(), false};
  return {builder.getInt32Ty(), true};
}

// Whether all lanes add integers to one element, and no one asks what was there.
static bool is_joint_sum(const Lowerer& lower, const ir::Atomic& atomic, const ArrayValue& array,
                         const ElementPlace& place) {
  bool sums = atomic.builtin == Builtin::AtomicAdd || atomic.builtin == Builtin::AtomicSub;
  return sums && scalar_class(array.element) != ScalarClass::Float &&
         place.base.shape.kind == Shape::Kind::Uniform && place.offset.shape.kind == Shape::Kind::Uniform &&
         !(atomic.slot && lower.definitions.reads(*atomic.slot) > 0);
}

// The lanes' sum in one atomic: other threads that add to the element are waited for once, not once a lane (a
// count of hits by 16 threads takes an eighth of the time).
static void atomic_joint_sum(Lowerer& lower, const ir::Atomic& atomic, const ArrayValue& array,
                             const ElementPlace& place) {
  llvm::Value* terms = to_vector(lower, read_value(lower, atomic.args[0]));
  terms = blend(lower, terms, llvm::Constant::getNullValue(terms->getType()));
  CustomCall call{atomic.builtin,
                  types::scalar(array.element),
                  atomic.args,
                  Form::Scalar,
                  element_address(lower, array, place),
                  array.space,
                  {lower.builder.CreateAddReduce(terms)}};
  lower_recipe(lower, call);
}

// Says of each lane where its element is.
using LanePlaces = std::function<llvm::Value*(llvm::Value* lane)>;

static LanePlaces places_of(Lowerer& lower, const ir::Atomic& atomic, ElementPlace place,
                            llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  const auto [narrow, has_sign] = place_type(lower, atomic);
  if (place.offset.shape.kind == Shape::Kind::Varying)
    place.offset.value = builder.CreateTrunc(place.offset.value, vector_of(lower, narrow));
  LaneSource base = lane_source(lower, place.base), offset = lane_source(lower, place.offset);
  return [=, &lower, has_sign = has_sign](llvm::Value* lane) {
    llvm::IRBuilder<>& builder = lower.builder;
    llvm::Value* distance =
        builder.CreateIntCast(at_lane(lower, offset, lane), builder.getInt64Ty(), has_sign);
    return builder.CreateGEP(element, at_lane(lower, base, lane), distance);
  };
}

// Each lane loads its index: a vector of them would go to memory first, and lanes that read back parts of
// what was just written as one take longer than lanes that read neighbouring elements (a histogram of 24 KiB:
// 11 us, not 13).
static LanePlaces places_loaded(Lowerer& lower, const ir::Load& load, llvm::Value* base,
                                llvm::Type* element) {
  Type type = types::scalar(load.array.type->scalar);
  llvm::Value* first = first_address(lower, load);
  std::int64_t step = lower.shapes.element(load.array, load.indices).step;
  return [=, &lower](llvm::Value* lane) {
    llvm::IRBuilder<>& builder = lower.builder;
    llvm::Type* index_type = memory_type(lower.state, type->scalar);
    llvm::Value* number = builder.CreateZExt(lane, builder.getInt64Ty());
    llvm::Value* address =
        builder.CreateGEP(index_type, first, builder.CreateMul(number, i64(lower.state, step)));
    llvm::Value* index = builder.CreateAlignedLoad(index_type, address, element_alignment(type->scalar));
    return builder.CreateGEP(element, base,
                             builder.CreateIntCast(index, builder.getInt64Ty(), is_signed(type)));
  };
}

static void atomic_each(Lowerer& lower, const ir::Atomic& atomic, const ArrayValue& array,
                        const LanePlaces& places) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* element = memory_type(lower.state, array.element);
  std::vector<LaneSource> sources;
  for (const ir::Operand& arg : atomic.args) sources.push_back(lane_source(lower, read_value(lower, arg)));
  llvm::Value* results = entry_alloca(lower, vector_of(lower, element), "old");
  if (atomic.slot) builder.CreateStore(llvm::Constant::getNullValue(vector_of(lower, element)), results);
  for_each_active_lane(lower, [&](llvm::Value* lane) {
    CustomCall call{atomic.builtin, types::scalar(array.element), atomic.args, Form::Scalar, places(lane),
                    array.space};
    for (const LaneSource& source : sources) call.values.push_back(at_lane(lower, source, lane));
    llvm::Value* old = lower_recipe(lower, call);
    if (atomic.slot) builder.CreateStore(old, lane_pointer(lower, {results, element}, lane));
  });
  if (atomic.slot) write(lower, *atomic.slot, builder.CreateLoad(vector_of(lower, element), results));
}

void atomic_lanes(Lowerer& lower, const ir::Atomic& atomic) {
  ArrayValue array = read_array(lower, atomic.array);
  ElementPlace place = element_place(lower, array, atomic.indices);
  if (is_joint_sum(lower, atomic, array, place)) return atomic_joint_sum(lower, atomic, array, place);
  atomic_each(lower, atomic, array, places_of(lower, atomic, place, memory_type(lower.state, array.element)));
}

static bool steps_in_global(const Lowerer& lower, const ir::Load& load) {
  return load.array.type->space == AddressSpace::Global && !load.is_polled &&
         is_integer(types::scalar(load.array.type->scalar)) &&
         lower.shapes.arrays[static_cast<std::size_t>(*load.array.slot)].base == uniform_shape &&
         lower.shapes.element(load.array, load.indices).kind == Shape::Kind::Linear;
}

std::size_t atomic_with_load(Lowerer& lower, std::span<const ir::Stmt> stmts) {
  const auto* load = std::get_if<ir::Load>(&stmts.front().node);
  if (!load || !steps_in_global(lower, *load)) return 0;
  std::vector<ir::SlotId> values{load->slot}; // the index, as it is converted
  std::size_t end = 1;
  for (; end < stmts.size() && !std::holds_alternative<ir::Atomic>(stmts[end].node); ++end) {
    if (ir::guard_state(stmts[end]) == ir::GuardState::Proved) continue;
    const auto* assign = std::get_if<ir::Assign>(&stmts[end].node);
    const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    if (!convert || convert->value.slot != values.back()) return 0;
    if (!keeps_value(convert->value.type, lower.ir.slots[static_cast<std::size_t>(assign->slot)].type))
      return 0;
    values.push_back(assign->slot);
  }
  if (end == stmts.size()) return 0;
  const auto& atomic = std::get<ir::Atomic>(stmts[end].node);
  if (!is_plain_index(lower, atomic) || atomic.indices[0].slot != values.back()) return 0;
  for (ir::SlotId value : values)
    if (!lower.definitions.is_used_once(value)) return 0;
  lower.state.debug.set_location(lower.builder, stmts[end].span, stmts[end].scope);
  ArrayValue array = read_array(lower, atomic.array);
  llvm::Type* element = memory_type(lower.state, array.element);
  atomic_each(lower, atomic, array, places_loaded(lower, *load, array.base.value, element));
  return end + 1;
}

void print_lanes(Lowerer& lower, const ir::Print& print) {
  std::vector<LaneSource> sources;
  for (const ir::Operand& arg : print.args) sources.push_back(lane_source(lower, read_value(lower, arg)));
  for_each_active_lane(lower, [&](llvm::Value* lane) {
    std::vector<llvm::Value*> values;
    for (const LaneSource& source : sources) values.push_back(at_lane(lower, source, lane));
    print_values(lower, print, values);
  });
}

} // namespace kern::lowering
