// Loads and stores of a vector of lanes. Neighbouring elements are one vector access, one element for all
// lanes a scalar one and a broadcast, anything else a gather. An index that is no linear value but follows
// from thread indices (clamped to an edge, say) is mostly linear all the same, so that is looked at first.
// LLVM's own expansion of masked accesses is never asked for: it takes 10 times as long to compile.
#include <llvm/IR/MDBuilder.h>

#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// Masked moves of neighbouring elements: 32 and 64 bits everywhere, all sizes with AVX-512.
static bool has_native_mask(const ModuleState& state, llvm::Type* element) {
  return state.has_avx512 || element->getScalarSizeInBits() >= 32;
}

// Whether neighbours are moved by one instruction here.
static bool can_move(const Lowerer& lower, llvm::Type* element) {
  return !lower.lanes.masked || has_native_mask(lower.state, element);
}

static bool is_consecutive(Shape shape) { return shape.kind == Shape::Kind::Linear && shape.step == 1; }

// Writes both ways of what a condition decides; returns the value of either, where they have one.
static llvm::Value* choose(Lowerer& lower, llvm::Value* condition, const char* name,
                           const std::function<llvm::Value*()>& if_so,
                           const std::function<llvm::Value*()>& otherwise) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* so = new_block(lower, name);
  llvm::BasicBlock* other = new_block(lower, "far");
  llvm::BasicBlock* done = new_block(lower, "accessed");
  builder.CreateCondBr(condition, so, other);
  auto write = [&](llvm::BasicBlock* block, const std::function<llvm::Value*()>& way) {
    builder.SetInsertPoint(block);
    llvm::Value* value = way();
    llvm::BasicBlock* end = builder.GetInsertBlock();
    builder.CreateBr(done);
    return std::pair(value, end);
  };
  auto [value, end] = write(so, if_so);
  auto [other_value, other_end] = write(other, otherwise);
  builder.SetInsertPoint(done);
  if (!value) return nullptr;
  llvm::PHINode* either = builder.CreatePHI(value->getType(), 2);
  either->addIncoming(value, end);
  either->addIncoming(other_value, other_end);
  return either;
}

// Writes both ways of an access whose offsets may turn out to be consecutive.
static llvm::Value* if_consecutive(Lowerer& lower, const LaneAddress& address, llvm::Type* element,
                                   const std::function<llvm::Value*(llvm::Value*)>& near,
                                   const std::function<llvm::Value*()>& far) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (const auto& steps = address.stepping) {
    llvm::Value* consecutive =
        builder.CreateAnd(builder.CreateICmpEQ(steps->step, i64(lower.state, 1)), steps->holds);
    return choose(
        lower, consecutive, "near",
        [&] { return near(builder.CreateGEP(element, address.lanes.base, steps->first)); }, far);
  }
  llvm::Value* first = builder.CreateExtractElement(address.lanes.offsets, std::uint64_t{0});
  llvm::Value* expected = to_vector(lower, {first, linear_shape(1)});
  llvm::Value* other = builder.CreateICmpNE(address.lanes.offsets, expected);
  if (lower.lanes.masked) other = builder.CreateAnd(other, active_lanes(lower));
  return choose(
      lower, builder.CreateNot(any_lane(lower, other)), "near",
      [&] { return near(builder.CreateGEP(element, address.lanes.base, first)); }, far);
}

// ---- Loads ----

static llvm::Value* load_consecutive(Lowerer& lower, llvm::Value* pointer, llvm::Type* element,
                                     llvm::Align align) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::FixedVectorType* vector = vector_of(lower, element);
  if (!lower.lanes.masked) return tag_element(lower, builder.CreateAlignedLoad(vector, pointer, align));
  llvm::Value* zero = llvm::Constant::getNullValue(vector);
  return tag_element(lower, builder.CreateMaskedLoad(vector, pointer, align, active_lanes(lower), zero));
}

static void fetch(Lowerer& lower, llvm::Value* pointer) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* how[] = {pointer, builder.getInt32(0), builder.getInt32(3), builder.getInt32(1)};
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()}, how);
}

// In a loop of long strides: asks for what will be read later.
static void fetch_ahead(Lowerer& lower, llvm::Value* pointer, llvm::Type* element) {
  static constexpr std::uint64_t line = 64;
  if (lower.lanes.masked) return;
  llvm::IRBuilder<>& builder = lower.builder;
  const Ahead& ahead = lower.lanes.ahead;
  if (ahead.bytes) fetch(lower, builder.CreateGEP(builder.getInt8Ty(), pointer, ahead.bytes));
  if (!ahead.elements) return;
  llvm::Value* later = builder.CreateGEP(element, pointer, ahead.elements);
  std::uint64_t bytes = lower.lane_count() * (element->getScalarSizeInBits() / 8);
  for (std::uint64_t from = 0; from < bytes; from += line)
    fetch(lower, builder.CreateConstGEP1_64(builder.getInt8Ty(), later, from));
}

// One lane after the other, where each is a constant number of elements from the last.
static llvm::Value* load_one_by_one(Lowerer& lower, const LaneAddress& address, llvm::Type* element,
                                    llvm::Align align) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* loaded = llvm::PoisonValue::get(vector_of(lower, element));
  for (unsigned lane = 0; lane < lower.lane_count(); ++lane) {
    llvm::Value* from =
        builder.CreateGEP(element, address.first, i64(lower.state, lane * address.shape.step));
    loaded = builder.CreateInsertElement(loaded, builder.CreateAlignedLoad(element, from, align), lane);
  }
  return loaded;
}

static llvm::Value* load_elsewhere(Lowerer& lower, const LaneAddress& address, llvm::Type* element,
                                   llvm::Align align) {
  bool is_word = element->getScalarSizeInBits() >= 32;
  if (address.shape.kind == Shape::Kind::Linear && is_word && !lower.lanes.masked && !lower.state.has_avx512)
    return load_one_by_one(lower, address, element, align);
  auto far = [&] { return gather(lower, all_addresses(lower, address), element); };
  if (!address.computed || !can_move(lower, element)) return far();
  auto near = [&](llvm::Value* first) { return load_consecutive(lower, first, element, align); };
  return if_consecutive(lower, address, element, near, far);
}

// Whether what lies beside an array's elements may be read with them, in one page with an active lane's. LLVM
// may know where arrays of the kernel's own end, and drop what reads more.
static bool may_read_more(AddressSpace space) { return space == AddressSpace::Global; }

// Whether the bytes from there on lie in one page of memory.
static llvm::Value* in_one_page(Lowerer& lower, llvm::Value* first, std::uint64_t bytes) {
  static constexpr std::uint64_t page = 4096;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* place =
      builder.CreateAnd(builder.CreatePtrToInt(first, builder.getInt64Ty()), builder.getInt64(page - 1));
  return builder.CreateICmpULE(place, builder.getInt64(page - bytes));
}

static llvm::Value* load_element(Lowerer& lower, const LaneAddress& address, llvm::Type* element,
                                 llvm::Align align) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (address.shape.kind == Shape::Kind::Uniform)
    return tag_element(lower, builder.CreateAlignedLoad(element, address.first, align));
  if (is_consecutive(address.shape) && can_move(lower, element)) {
    fetch_ahead(lower, address.first, element);
    return load_consecutive(lower, address.first, element, align);
  }
  if (is_consecutive(address.shape) && may_read_more(address.space)) {
    auto whole = [&] { return builder.CreateAlignedLoad(vector_of(lower, element), address.first, align); };
    auto lanes = [&] { return gather(lower, all_addresses(lower, address), element); };
    return choose(lower, in_one_page(lower, address.first, lower.lane_count() * align.value()), "whole",
                  whole, lanes);
  }
  return load_elsewhere(lower, address, element, align);
}

llvm::Value* first_address(Lowerer& lower, const ir::Load& load) {
  ArrayValue array = read_array(lower, load.array);
  LaneAddress address = lane_address(lower, array, load.indices);
  if (is_consecutive(address.shape))
    fetch_ahead(lower, address.first, memory_type(lower.state, array.element));
  return address.first;
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

// All lanes write one element: the last active one wins, as if they came one after the other.
static void store_uniform(Lowerer& lower, llvm::Value* value, llvm::Value* pointer, llvm::Align align) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (value->getType()->isVectorTy()) {
    llvm::Value* lane = builder.getInt32(lower.lane_count() - 1);
    if (lower.lanes.masked) {
      llvm::Value* bits = mask_bits(lower, active_lanes(lower));
      llvm::Value* above = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder.getTrue());
      lane = builder.CreateSub(lane, builder.CreateZExtOrTrunc(above, builder.getInt32Ty()));
    }
    value = builder.CreateExtractElement(value, lane);
  }
  tag_element(lower, builder.CreateAlignedStore(value, pointer, align));
}

static void store_consecutive(Lowerer& lower, llvm::Value* value, llvm::Value* pointer, llvm::Align align) {
  if (lower.lanes.masked) {
    tag_element(lower, lower.builder.CreateMaskedStore(value, pointer, align, active_lanes(lower)));
  } else {
    tag_element(lower, lower.builder.CreateAlignedStore(value, pointer, align));
  }
}

// Stores lanes that are not neighbours. Where the step between them is known, and there is no instruction for
// it, one after the other without their addresses in a vector.
static void store_apart(Lowerer& lower, llvm::Value* value, const LaneAddress& address, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.lanes.masked || has_scatter(lower, element))
    return scatter(lower, value, all_addresses(lower, address));
  if (address.shape.kind == Shape::Kind::Linear)
    return spread(lower, value, address.first, i64(lower.state, address.shape.step));
  auto* known = address.stepping ? llvm::dyn_cast<llvm::ConstantInt>(address.stepping->holds) : nullptr;
  if (!known || !known->isOne()) return scatter(lower, value, all_addresses(lower, address));
  llvm::Value* first = builder.CreateGEP(element, address.lanes.base, address.stepping->first);
  spread(lower, value, first, address.stepping->step);
}

static void store_element(Lowerer& lower, llvm::Value* value, const LaneAddress& address, llvm::Type* element,
                          llvm::Align align) {
  if (address.shape.kind == Shape::Kind::Uniform) return store_uniform(lower, value, address.first, align);
  if (is_consecutive(address.shape) && can_move(lower, element))
    return store_consecutive(lower, value, address.first, align);
  if (!address.computed || !can_move(lower, element)) return store_apart(lower, value, address, element);
  if_consecutive(
      lower, address, element,
      [&](llvm::Value* first) {
        store_consecutive(lower, value, first, align);
        return nullptr;
      },
      [&] {
        store_apart(lower, value, address, element);
        return nullptr;
      });
}

void store_lanes(Lowerer& lower, const ir::Store& store) {
  ArrayValue array = read_array(lower, store.array);
  llvm::Type* element = memory_type(lower.state, array.element);
  LaneAddress address = lane_address(lower, array, store.indices);
  Value stored = read_value(lower, store.value);
  bool one_for_all = address.shape.kind == Shape::Kind::Uniform && stored.shape.kind == Shape::Kind::Uniform;
  llvm::Value* value = one_for_all ? stored.value : to_vector(lower, stored);
  if (array.element == ScalarKind::Bool)
    value = lower.builder.CreateZExt(value, value->getType()->getWithNewType(element));
  store_element(lower, value, address, element, element_alignment(array.element));
}

// ---- Local arrays ----

// Fills the elements of the active lanes with zeros.
static void clear_local_array(Lowerer& lower, llvm::Value* base, llvm::Type* element, std::uint64_t count) {
  // The loop over the elements stores before it asks.
  if (count == 0) return;
  llvm::IRBuilder<>& builder = lower.builder;
  std::uint64_t row = lower.lane_count() * (element->getScalarSizeInBits() / 8);
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
  llvm::Value* offset = builder.CreateMul(index, i64(lower.state, lower.lane_count()));
  llvm::Value* pointer = builder.CreateGEP(element, base, offset);
  llvm::Value* zero = llvm::Constant::getNullValue(vector_of(lower, element));
  if (has_native_mask(lower.state, element)) {
    builder.CreateMaskedStore(zero, pointer, llvm::Align(element->getScalarSizeInBits() / 8),
                              active_lanes(lower));
  } else {
    scatter(lower, zero, {pointer, lane_steps(lower, builder.getInt64Ty(), 1), nullptr});
  }
  llvm::Value* next = builder.CreateAdd(index, i64(lower.state, 1));
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, i64(lower.state, static_cast<std::int64_t>(count))), body,
                       done);
  builder.SetInsertPoint(done);
}

void local_array_lanes(Lowerer& lower, const ir::Assign& assign, const ir::LocalArray& local) {
  Type type = lower.ir.slots[static_cast<std::size_t>(assign.slot)].type;
  auto [array, cell, cells] = place_local_array(lower, local, type);
  clear_local_array(lower, array.base.value, memory_type(lower.state, cell), cells);
  write_array(lower, assign.slot, array);
}

} // namespace kern::lowering
