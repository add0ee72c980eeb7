// Computes the addresses of the lanes of an access: one element, neighbours, a fixed number of elements
// apart, or each somewhere else. For clamped indices it also finds where lanes lie as a rule.
#include <algorithm>

#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

static bool is_computed(const Lowerer& lower, const ArrayValue& array,
                        const std::vector<ir::Operand>& indices) {
  bool computed = array.base.shape.kind == Shape::Kind::Uniform &&
                  array.offset.shape.kind != Shape::Kind::Varying && array.space != AddressSpace::Local;
  for (const ir::Operand& index : indices)
    computed = computed && (shape_of(lower, index).kind != Shape::Kind::Varying ||
                            lower.lanes.computed[static_cast<std::size_t>(*index.slot)]);
  return computed;
}

// The terms of the indices along which lanes differ, where these are linear: all that element_place leaves to
// the offsets of lanes.
static std::optional<Stepping> stepping(Lowerer& lower, const ArrayValue& array,
                                        const std::vector<ir::Operand>& indices) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.lanes.masked) return std::nullopt;
  if (array.offset.shape.kind != Shape::Kind::Uniform) return std::nullopt;
  Stepping sum{builder.getTrue(), i64(lower.state, 0), i64(lower.state, 0)};
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (array.strides[axis].shape.kind != Shape::Kind::Uniform) return std::nullopt;
    if (!is_varying(lower, indices[axis])) continue;
    std::optional<MostlyLinear> index = mostly_linear(lower, indices[axis]);
    if (!index) return std::nullopt;
    llvm::Value* stride = array.strides[axis].value;
    if (shape_of(lower, indices[axis]).kind == Shape::Kind::Varying)
      sum.holds = builder.CreateAnd(sum.holds, index->holds);
    sum.first = builder.CreateAdd(sum.first, builder.CreateMul(index->value.value, stride));
    sum.step =
        builder.CreateAdd(sum.step, builder.CreateMul(i64(lower.state, index->value.shape.step), stride));
  }
  return sum;
}

// Returns the address of lanes that step alike as a rule; nothing for others.
static std::optional<LaneAddress> stepping_address(Lowerer& lower, const ArrayValue& array,
                                                   const std::vector<ir::Operand>& indices) {
  bool varies = std::any_of(indices.begin(), indices.end(), [&](const ir::Operand& index) {
    return shape_of(lower, index).kind == Shape::Kind::Varying;
  });
  if (!varies || !is_computed(lower, array, indices)) return std::nullopt;
  std::optional<Stepping> steps = stepping(lower, array, indices);
  if (!steps) return std::nullopt;
  LaneAddress address;
  address.shape = varying_shape;
  address.computed = true;
  address.stepping = steps;
  address.space = array.space;
  address.lanes.base = place_base(lower, array, indices).value;
  address.offsets = [&lower, array, indices] { return place_offset(lower, array, indices).value; };
  return address;
}

LaneAddress lane_address(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices) {
  if (auto address = stepping_address(lower, array, indices)) return *address;
  ElementPlace place = element_place(lower, array, indices);
  llvm::Type* element = memory_type(lower.state, array.element);
  LaneAddress address;
  address.shape = place.offset.shape;
  address.space = array.space;
  bool own_bases = place.base.shape.kind == Shape::Kind::Varying;
  if (own_bases || address.shape.kind == Shape::Kind::Varying) address.shape = varying_shape;
  if (own_bases) {
    address.lanes.pointers =
        lower.builder.CreateGEP(element, place.base.value, to_vector(lower, place.offset));
  } else if (address.shape.kind == Shape::Kind::Varying) {
    address.lanes = {place.base.value, place.offset.value, nullptr};
    address.computed = is_computed(lower, array, indices);
    if (address.computed) address.stepping = stepping(lower, array, indices);
  } else {
    address.first = element_address(lower, array, place);
  }
  return address;
}

LaneAddresses all_addresses(Lowerer& lower, const LaneAddress& address) {
  if (address.offsets) return {address.lanes.base, address.offsets(), nullptr};
  if (address.shape.kind == Shape::Kind::Varying) return address.lanes;
  return {address.first, lane_steps(lower, lower.builder.getInt64Ty(), address.shape.step), nullptr};
}

} // namespace kern::lowering
