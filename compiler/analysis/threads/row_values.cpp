// Both questions go through the same statements, copies, conversions and builtins; how a value changes is
// asked of any value, its part in the number of a thread in the grid of integers that hold that number.
#include "compiler/analysis/threads/row_values.h"

#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/support/overloaded.h"

namespace kern {

static bool holds_grid_index(Type type) {
  return !is_array(type) && is_integer(type) && bit_width(type->scalar) >= 32;
}

RowValues::RowValues(const ir::Function& kernel)
    : kernel_(kernel), definitions_(kernel), values_(kernel.slots.size()) {
  for (std::uint32_t param = 0; param < kernel.param_count; ++param)
    if (definitions_.writes(ir::SlotId(param)) == 0) values_[param].along = AlongRow::Fixed;
}

void RowValues::see(const ir::Assign& assign) {
  if (definitions_.writes(assign.slot) != 1) return;
  RowValue value = of(assign.value);
  if (!holds_grid_index(kernel_.slots[index_of(assign.slot)].type)) value.part = GridPart::Other;
  values_[index_of(assign.slot)] = value;
}

bool RowValues::is_block_size(const ir::Operand& constant) const {
  return kernel_.options.block && !is_array(constant.type) && is_integer(constant.type) &&
         ir::int_value(constant) == (*kernel_.options.block)[0];
}

RowValue RowValues::of(const ir::Operand& operand) const {
  if (operand.slot) return values_[index_of(*operand.slot)];
  return {AlongRow::Fixed, is_block_size(operand) ? GridPart::Size : GridPart::Other};
}

static RowValue of_call(const ir::CallPure& call, bool are_fixed) {
  switch (call.builtin) {
  case Builtin::ThreadIndexX: return {AlongRow::Apart, GridPart::Thread};
  case Builtin::ThreadIndexY:
  case Builtin::ThreadIndexZ: return {AlongRow::Fixed, GridPart::Other};
  case Builtin::BlockIndexX: return {AlongRow::Fixed, GridPart::Block};
  case Builtin::BlockDimX: return {AlongRow::Fixed, GridPart::Size};
  case Builtin::LaneId: return {AlongRow::Apart, GridPart::InWarp};
  // The hundreds of builtins that are functions of their arguments, and those that say where in a warp a
  // thread is.
  default:
    if (row(call.builtin).effects == Effects::Thread) return {AlongRow::Other, GridPart::InWarp};
    return {are_fixed ? AlongRow::Fixed : AlongRow::Other, GridPart::Other};
  }
}

RowValue RowValues::of(const ir::Expr& value) const {
  bool are_fixed = true;
  ir::visit_operands(value, [&](const ir::Operand& operand) {
    are_fixed = are_fixed && of(operand).along == AlongRow::Fixed;
  });
  return match(
      value, [&](const ir::Copy& e) { return of(e.value); },
      [&](const ir::Convert& e) { return of(e.value); }, [&](const ir::Binary& e) { return of(e); },
      [&](const ir::CallPure& e) { return of_call(e, are_fixed); },
      [&](const auto&) { return RowValue{are_fixed ? AlongRow::Fixed : AlongRow::Other, GridPart::Other}; });
}

static AlongRow along_of(const ir::Binary& binary, AlongRow left, AlongRow right) {
  if (left == AlongRow::Fixed && right == AlongRow::Fixed) return AlongRow::Fixed;
  bool is_apart = left == AlongRow::Apart && right == AlongRow::Fixed;
  bool is_number = !binary.right.slot && is_integer(binary.right.type);
  std::int64_t number = is_number ? ir::int_value(binary.right) : 0;
  switch (binary.op) {
  case ir::BinaryOp::Add: is_apart = is_apart || (left == AlongRow::Fixed && right == AlongRow::Apart); break;
  case ir::BinaryOp::Subtract: break;
  // A warp's threads are no more than that from each other.
  case ir::BinaryOp::Modulo: is_apart = is_apart && number >= limits::warp_size; break;
  case ir::BinaryOp::BitAnd:
    is_apart = is_apart && number >= limits::warp_size - 1 && (number & (number + 1)) == 0;
    break;
  case ir::BinaryOp::Multiply:
  case ir::BinaryOp::Divide:
  case ir::BinaryOp::FloorDivide:
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: is_apart = false;
  }
  return is_apart ? AlongRow::Apart : AlongRow::Other;
}

static GridPart part_of(const ir::Binary& binary, GridPart left, GridPart right) {
  auto are = [&](GridPart one, GridPart other) {
    return (left == one && right == other) || (left == other && right == one);
  };
  if (binary.op == ir::BinaryOp::Multiply && are(GridPart::Block, GridPart::Size))
    return GridPart::FirstOfBlock;
  if (binary.op == ir::BinaryOp::Add && are(GridPart::Thread, GridPart::FirstOfBlock))
    return GridPart::InGrid;
  return GridPart::Other;
}

RowValue RowValues::of(const ir::Binary& binary) const {
  const RowValue left = of(binary.left), right = of(binary.right);
  return {along_of(binary, left.along, right.along), part_of(binary, left.part, right.part)};
}

} // namespace kern
