// Values that are linear in all vectors but a few: indices that are clamped to the edges of an array, and
// what is computed of them. Where the clamp does not bite, two lanes say so, and the value is that of lane 0
// and a step: neighbours are loaded at once, which a moving average over a clamped index does in a quarter of
// the time, and a step of the heat equation in half.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"
#include "compiler/support/limits.h"
#include "compiler/types/convert.h"

namespace kern::lowering {

// Whether it may be that a slot is linear as a rule, and that it stays as it is.
static bool is_candidate(Lowerer& lower, ir::SlotId slot) {
  auto index = static_cast<std::size_t>(slot);
  Type type = lower.ir.slots[index].type;
  return is_integer(type) && lower.lanes.computed[index] &&
         shape_of(lower, {type, slot}).kind == Shape::Kind::Varying && is_steady(lower, slot);
}

std::optional<MostlyLinear> mostly_linear(Lowerer& lower, const ir::Operand& operand) {
  if (shape_of(lower, operand).kind == Shape::Kind::Varying) {
    auto known = lower.lanes.mostly_linear.find(*operand.slot);
    return known == lower.lanes.mostly_linear.end() ? std::nullopt : std::optional(known->second);
  }
  Value value = read_value(lower, operand);
  return MostlyLinear{steps_without_wrap(lower, is_signed(operand.type), operand, value), value, true};
}

static bool is_uniform(const MostlyLinear& value) { return value.value.shape.kind == Shape::Kind::Uniform; }

// A minimum or maximum of a linear value and one for all lanes, where it is the linear one.
static std::optional<MostlyLinear> extremum(Lowerer& lower, const ir::CallPure& call) {
  bool least = call.builtin == Builtin::Min;
  if ((!least && call.builtin != Builtin::Max) || call.args.size() != 2) return std::nullopt;
  auto linear = mostly_linear(lower, call.args[0]), limit = mostly_linear(lower, call.args[1]);
  if (!linear || !limit) return std::nullopt;
  if (is_uniform(*linear)) std::swap(linear, limit);
  if (!is_uniform(*limit) || !linear->is_exact) return std::nullopt;
  Type type = call.args[0].type;
  ir::CompareOp order = least ? ir::CompareOp::LessEqual : ir::CompareOp::GreaterEqual;
  llvm::Value* within = order_in_all(lower, order, is_signed(type), linear->value, limit->value);
  linear->holds = lower.builder.CreateAnd(linear->holds, within);
  return linear;
}

static std::optional<MostlyLinear> sum(Lowerer& lower, const ir::Binary& binary, bool negates) {
  auto left = mostly_linear(lower, binary.left), right = mostly_linear(lower, binary.right);
  if (!left || !right) return std::nullopt;
  if (negates) {
    right->value.value = lower.builder.CreateNeg(right->value.value);
    right->value.shape.step = -right->value.shape.step;
  }
  Value total = add_values(lower, left->value, right->value, false);
  return MostlyLinear{lower.builder.CreateAnd(left->holds, right->holds), total, false};
}

static std::optional<MostlyLinear> product(Lowerer& lower, const ir::Binary& binary) {
  auto left = mostly_linear(lower, binary.left), right = mostly_linear(lower, binary.right);
  if (!left || !right) return std::nullopt;
  if (is_uniform(*left)) std::swap(left, right);
  auto* factor = llvm::dyn_cast<llvm::ConstantInt>(right->value.value);
  std::int64_t most = limits::linear_step / (std::abs(left->value.shape.step) + 1);
  if (!is_uniform(*right) || !factor || factor->getSExtValue() > most || factor->getSExtValue() < -most)
    return std::nullopt;
  Value value = multiply_values(lower, left->value, right->value, false);
  return MostlyLinear{left->holds, value, false};
}

static std::optional<MostlyLinear> widened(Lowerer& lower, const ir::Convert& convert, Type type) {
  Type from = convert.value.type;
  if (!keeps_value(from, type)) return std::nullopt;
  auto value = mostly_linear(lower, convert.value);
  if (!value || (from != type && !value->is_exact)) return std::nullopt;
  auto widen = [&](llvm::Value* narrow) {
    return lower.builder.CreateIntCast(narrow, register_type(lower.state, type->scalar), is_signed(from));
  };
  value->value.value = widen(value->value.value);
  return value;
}

static std::optional<MostlyLinear> evaluate(Lowerer& lower, const ir::Expr& expr, Type type) {
  if (const auto* copy = std::get_if<ir::Copy>(&expr)) return mostly_linear(lower, copy->value);
  if (const auto* call = std::get_if<ir::CallPure>(&expr)) return extremum(lower, *call);
  if (const auto* convert = std::get_if<ir::Convert>(&expr)) return widened(lower, *convert, type);
  const auto* binary = std::get_if<ir::Binary>(&expr);
  if (!binary) return std::nullopt;
  if (binary->op == ir::BinaryOp::Multiply) return product(lower, *binary);
  if (binary->op == ir::BinaryOp::Add || binary->op == ir::BinaryOp::Subtract)
    return sum(lower, *binary, binary->op == ir::BinaryOp::Subtract);
  return std::nullopt;
}

void note_mostly_linear(Lowerer& lower, const ir::Assign& assign) {
  if (lower.lanes.masked || !is_candidate(lower, assign.slot)) return;
  Type type = lower.ir.slots[static_cast<std::size_t>(assign.slot)].type;
  if (auto value = evaluate(lower, assign.value, type); value && !is_uniform(*value))
    lower.lanes.mostly_linear.emplace(assign.slot, *value);
}

} // namespace kern::lowering
