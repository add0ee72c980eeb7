// The layout is a sum over the parameters in their order.
#include "compiler/ir/param_block.h"

#include <utility>

namespace kern::ir {

std::uint32_t block_slots(Type type) {
  if (is_array(type)) return 1u + 2u * type->rank;
  return type == types::c128 ? 2 : 1;
}

std::uint32_t block_slot(const Function& function, SlotId param) {
  std::uint32_t slot = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(param); ++i)
    slot += block_slots(function.slots[i].type);
  return slot;
}

std::vector<std::string> block_names(const Function& function) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < function.param_count; ++i) {
    names.push_back(function.slots[i].name);
    names.resize(names.size() + block_slots(function.slots[i].type) - 1);
  }
  return names;
}

std::optional<ExpressionType> expression_type(Type type) {
  static constexpr std::pair<Type, ExpressionType> pairs[] = {
      {types::boolean, ExpressionType::Bool}, {types::i8, ExpressionType::I8},
      {types::i16, ExpressionType::I16},      {types::i32, ExpressionType::I32},
      {types::i64, ExpressionType::I64},      {types::u8, ExpressionType::U8},
      {types::u16, ExpressionType::U16},      {types::u32, ExpressionType::U32},
      {types::u64, ExpressionType::U64},      {types::f32, ExpressionType::F32},
      {types::f64, ExpressionType::F64}};
  for (const auto& [each, result] : pairs)
    if (each == type) return result;
  return std::nullopt;
}

Expression constant_expression(std::int64_t value) {
  Expression expression;
  expression.value = value;
  return expression;
}

Expression binary_expression(ExpressionOp op, Expression left, Expression right) {
  Expression expression;
  expression.op = op;
  expression.operands = {std::move(left), std::move(right)};
  return expression;
}

Expression axis_expression(const Function& function, SlotId array, ExpressionOp op, int axis) {
  Expression expression;
  expression.op = op;
  expression.axis = axis;
  expression.rank = function.slots[static_cast<std::size_t>(array)].type->rank;
  expression.value = block_slot(function, array);
  return expression;
}

Expression scalar_expression(const Function& function, SlotId scalar) {
  Expression expression;
  expression.op = ExpressionOp::Scalar;
  expression.type = *expression_type(function.slots[static_cast<std::size_t>(scalar)].type);
  expression.value = block_slot(function, scalar);
  return expression;
}

Expression launch_expression(ExpressionOp op, std::int32_t axis) {
  Expression expression;
  expression.op = op;
  expression.axis = axis;
  return expression;
}

} // namespace kern::ir
