// Values that are linear in all vectors but a few: indices that are clamped to the edges of an array, and
// what is computed of them. Where the clamp does not bite, two lanes say so, and the value is that of lane 0
// and a step. So the plain copy seldom needs the vector: it waits, and is computed where something reads it
// or lanes leave for the masked copy (a minimum of 64 bits is two instructions of AVX2 for four lanes).
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"
#include "compiler/support/limits.h"

namespace kern::lowering {

// Slots whose one assignment stands before every read of them, in the same body or around it.
static void find_steady(const ir::Body& body, const std::vector<std::size_t>& writes, std::vector<bool>& seen,
                        std::vector<bool>& steady) {
  std::vector<std::size_t> assigned;
  for (const ir::Stmt& stmt : body) {
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (operand.slot && !seen[static_cast<std::size_t>(*operand.slot)])
        steady[static_cast<std::size_t>(*operand.slot)] = false;
    });
    ir::visit_results(stmt, [&](ir::SlotId id) {
      auto slot = static_cast<std::size_t>(id);
      if (writes[slot] == 1) seen[slot] = true;
      assigned.push_back(slot);
    });
    ir::visit_bodies(stmt, [&](const ir::Body& inner) { find_steady(inner, writes, seen, steady); });
  }
  for (std::size_t slot : assigned) seen[slot] = false;
}

bool is_steady(Lowerer& lower, ir::SlotId id) {
  auto slot = static_cast<std::size_t>(id);
  std::vector<bool>& steady = lower.lanes.steady;
  if (steady.empty()) {
    const std::vector<std::size_t> writes = ir::count_writes(lower.ir);
    steady.assign(lower.slots.size(), true);
    std::vector<bool> seen(lower.slots.size());
    for (std::size_t param = 0; param < lower.ir.param_count; ++param) seen[param] = writes[param] == 0;
    find_steady(lower.ir.body, writes, seen, steady);
  }
  return steady[slot] && !lower.slots[slot].crosses;
}

std::optional<MostlyLinear> mostly_linear(Lowerer& lower, const ir::Operand& operand) {
  if (shape_of(lower, operand).kind != Shape::Kind::Varying) {
    Value value = read_value(lower, operand);
    return MostlyLinear{steps_without_wrap(lower, is_signed(operand.type), operand, value), value, true};
  }
  auto known = lower.lanes.mostly_linear.find(*operand.slot);
  return known == lower.lanes.mostly_linear.end() ? std::nullopt : std::optional(known->second);
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
  ir::CompareOp order = least ? ir::CompareOp::LessEqual : ir::CompareOp::GreaterEqual;
  llvm::Value* within = order_in_all(lower, order, is_signed(call.args[0].type), linear->value, limit->value);
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
  return MostlyLinear{left->holds, multiply_values(lower, left->value, right->value, false), false};
}

static std::optional<MostlyLinear> widened(Lowerer& lower, const ir::Convert& convert, Type type) {
  Type from = convert.value.type;
  if (!is_integer(from) || bit_width(type->scalar) < bit_width(from->scalar)) return std::nullopt;
  auto value = mostly_linear(lower, convert.value);
  if (!value || (!value->is_exact && from != type)) return std::nullopt;
  value->value.value = lower.builder.CreateIntCast(value->value.value,
                                                   register_type(lower.state, type->scalar), is_signed(from));
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
  if (!lower.is_vector() || lower.lanes.masked) return;
  auto slot = static_cast<std::size_t>(assign.slot);
  Type type = lower.ir.slots[slot].type;
  bool may_be = is_integer(type) && lower.lanes.computed[slot] &&
                shape_of(lower, {type, assign.slot}).kind == Shape::Kind::Varying;
  if (!may_be || !is_steady(lower, assign.slot)) return;
  if (auto value = evaluate(lower, assign.value, type); value && !is_uniform(*value))
    lower.lanes.mostly_linear.emplace(assign.slot, *value);
}

// ---- Vectors that wait ----

// Whoever needs one writes all of them: with few, that is little.
static constexpr std::size_t most_waiting = 16;

bool wait_for_reader(Lowerer& lower, const ir::Assign& assign) {
  auto known = lower.lanes.mostly_linear.find(assign.slot);
  // A vector that stops and comes back brings only what has been written.
  if (lower.lanes.strips || known == lower.lanes.mostly_linear.end()) return false;
  if (llvm::isa<llvm::Constant>(known->second.holds) || lower.lanes.waiting.size() == most_waiting)
    return false;
  bool steady = true;
  ir::visit_operands(assign.value, [&](const ir::Operand& operand) {
    steady = steady && (!operand.slot || is_array(operand.type) || is_steady(lower, *operand.slot));
  });
  if (steady) lower.lanes.waiting.push_back(&assign);
  return steady;
}

bool is_waiting(const Lowerer& lower, ir::SlotId slot) {
  return std::any_of(lower.lanes.waiting.begin(), lower.lanes.waiting.end(),
                     [&](const ir::Assign* assign) { return assign->slot == slot; });
}

void write_waiting(Lowerer& lower) {
  // Each reads what was written before it; of all lanes, also where some of them wait for others to come
  // back.
  std::vector<const ir::Assign*> waiting = std::exchange(lower.lanes.waiting, {});
  bool masked = std::exchange(lower.lanes.masked, false);
  for (const ir::Assign* assign : waiting) write_value(lower, assign->slot, value_of(lower, *assign));
  lower.lanes.masked = masked;
  lower.lanes.waiting = std::move(waiting);
}

} // namespace kern::lowering
