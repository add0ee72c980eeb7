// Values that are linear in all vectors but a few: indices that are clamped to the edges of an array, and
// what is computed of them. Where the clamp does not bite, two lanes say so, and the value is that of lane 0
// and a step. Where it does, lanes go by the same steps, but stop at the edge, or start late: how many steps
// each is from lane 0 takes half as many registers as the value, and seldom changes over a loop.
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

// Finds the steady slots, and what each slot is assigned.
static void find_sources(Lowerer& lower) {
  const std::vector<std::size_t> writes = ir::count_writes(lower.ir);
  lower.lanes.steady.assign(lower.slots.size(), true);
  std::vector<bool> seen(lower.slots.size());
  for (std::size_t param = 0; param < lower.ir.param_count; ++param) seen[param] = writes[param] == 0;
  find_steady(lower.ir.body, writes, seen, lower.lanes.steady);
  lower.lanes.sources.assign(lower.slots.size(), nullptr);
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node))
      lower.lanes.sources[static_cast<std::size_t>(assign->slot)] = assign;
  });
}

bool is_steady(Lowerer& lower, ir::SlotId id) {
  auto slot = static_cast<std::size_t>(id);
  if (lower.lanes.steady.empty()) find_sources(lower);
  return lower.lanes.steady[slot] && !lower.slots[slot].crosses;
}

namespace {

// What is asked for where nothing was noted is worked out of assignments: of so many.
struct Search {
  Lowerer& lower;
  int left = 16;
};

} // namespace

static std::optional<MostlyLinear> evaluate(Search& search, const ir::Expr& expr, Type type);

// Whether it may be that a slot is linear as a rule, and that it stays as it is.
static bool is_candidate(Lowerer& lower, ir::SlotId slot) {
  auto index = static_cast<std::size_t>(slot);
  Type type = lower.ir.slots[index].type;
  return is_integer(type) && lower.lanes.computed[index] &&
         shape_of(lower, {type, slot}).kind == Shape::Kind::Varying && is_steady(lower, slot);
}

// In masked code what was noted on one way is not there on another, from the plain copy, but slots are.
static std::optional<MostlyLinear> find_anew(Search& search, ir::SlotId slot) {
  Lowerer& lower = search.lower;
  // A vector that stops and comes back brings only what is still read.
  if (!lower.lanes.masked || lower.lanes.strips || search.left == 0 || !is_candidate(lower, slot))
    return std::nullopt;
  const ir::Assign* source = lower.lanes.sources[static_cast<std::size_t>(slot)];
  if (!source) return std::nullopt;
  --search.left;
  auto value = evaluate(search, source->value, lower.ir.slots[static_cast<std::size_t>(slot)].type);
  return value && value->value.shape.kind == Shape::Kind::Uniform ? std::nullopt : value;
}

// Whether a slot is in masked code what it was where it was assigned, and does not wrap in lanes that are not
// active: what is known of ranges is of the others, beside which these lie.
static bool stays_exact(Lowerer& lower, const ir::Operand& operand) {
  if (!operand.slot) return true;
  if (!is_steady(lower, *operand.slot)) return false;
  if (shape_of(lower, operand).kind == Shape::Kind::Uniform) return true;
  const Interval range = lower.shapes.range_of(operand);
  const Wide steps = Wide{lower.lane_count() - 1} * shape_of(lower, operand).step;
  const Wide beside = std::max(steps, -steps);
  return contains(type_interval(operand.type), {range.low - beside, range.high + beside});
}

static std::optional<MostlyLinear> find(Search& search, const ir::Operand& operand) {
  Lowerer& lower = search.lower;
  if (shape_of(lower, operand).kind == Shape::Kind::Varying) {
    auto known = lower.lanes.mostly_linear.find(*operand.slot);
    if (known == lower.lanes.mostly_linear.end()) return find_anew(search, *operand.slot);
    return known->second;
  }
  if (lower.lanes.masked && !stays_exact(lower, operand)) return std::nullopt;
  Value value = read_value(lower, operand);
  MostlyLinear linear{steps_without_wrap(lower, is_signed(operand.type), operand, value), value, true};
  auto* holds = llvm::dyn_cast<llvm::ConstantInt>(linear.holds);
  if (holds && holds->isOne() && is_integer(operand.type))
    linear.numbers = StepNumbers{value.value, lane_steps(lower, lower.builder.getInt32Ty(), 1),
                                 lower.shapes.range_of(operand)};
  return linear;
}

std::optional<MostlyLinear> mostly_linear(Lowerer& lower, const ir::Operand& operand) {
  Search search{lower};
  return find(search, operand);
}

static bool is_uniform(const MostlyLinear& value) { return value.value.shape.kind == Shape::Kind::Uniform; }

// The numbers of lanes that stop at a limit, where they come to it by steps of 1, or begin there.
static std::optional<StepNumbers> stop_at(Lowerer& lower, const ir::CallPure& call,
                                          const MostlyLinear& linear, const MostlyLinear& limit) {
  llvm::IRBuilder<>& builder = lower.builder;
  Type type = call.args[0].type;
  const std::int64_t step = linear.value.shape.step;
  if (!linear.numbers || !limit.numbers || std::abs(step) != 1 || type == types::u64) return std::nullopt;
  const StepNumbers &from = *linear.numbers, &to = *limit.numbers;
  auto wide = [&](llvm::Value* value) {
    return builder.CreateIntCast(value, builder.getInt64Ty(), is_signed(type));
  };
  llvm::Value *low = wide(from.first), *high = wide(to.first);
  if (step < 0) std::swap(low, high);
  const Interval both = hull(from.range, to.range);
  // Lanes that are not active may lie beside their range.
  const Wide most = both.high - both.low + lower.lane_count();
  const bool fits = contains(type_interval(types::i64), {-most, most});
  llvm::Value* apart = fits ? builder.CreateSub(high, low)
                            : builder.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, high, low);
  // More steps than there are lanes are as good as any number of them.
  apart = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, apart, i64(lower.state, 0));
  apart = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, apart, i64(lower.state, lower.lane_count()));
  llvm::Value* steps = splat(lower, builder.CreateTrunc(apart, builder.getInt32Ty()));
  const bool least = call.builtin == Builtin::Min, stops = least == (step > 0);
  llvm::Value* lanes =
      stops ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, from.lanes, steps)
            : builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, builder.CreateSub(from.lanes, steps),
                                            llvm::Constant::getNullValue(steps->getType()));
  auto extremum = is_signed(type) ? (least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                  : (least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
  return StepNumbers{builder.CreateBinaryIntrinsic(extremum, from.first, to.first), lanes, both};
}

// A minimum or maximum of a linear value and one for all lanes, where it is the linear one.
static std::optional<MostlyLinear> extremum(Search& search, const ir::CallPure& call) {
  Lowerer& lower = search.lower;
  bool least = call.builtin == Builtin::Min;
  if ((!least && call.builtin != Builtin::Max) || call.args.size() != 2) return std::nullopt;
  auto linear = find(search, call.args[0]), limit = find(search, call.args[1]);
  if (!linear || !limit) return std::nullopt;
  if (is_uniform(*linear)) std::swap(linear, limit);
  if (!is_uniform(*limit) || !linear->is_exact) return std::nullopt;
  Type type = call.args[0].type;
  linear->numbers = stop_at(lower, call, *linear, *limit);
  ir::CompareOp order = least ? ir::CompareOp::LessEqual : ir::CompareOp::GreaterEqual;
  llvm::Value* within = order_in_all(lower, order, is_signed(type), linear->value, limit->value);
  linear->holds = lower.builder.CreateAnd(linear->holds, within);
  return linear;
}

// The numbers of a sum: those of one side, where the other is the same in all lanes. It may wrap, and does so
// in all of them alike.
static std::optional<StepNumbers> sum_numbers(Lowerer& lower, const MostlyLinear& left,
                                              const MostlyLinear& right) {
  if (!left.numbers || !right.numbers || (!is_uniform(left) && !is_uniform(right))) return std::nullopt;
  StepNumbers sum = is_uniform(left) ? *right.numbers : *left.numbers;
  sum.first = lower.builder.CreateAdd(left.numbers->first, right.numbers->first);
  return sum;
}

static std::optional<MostlyLinear> sum(Search& search, const ir::Binary& binary, bool negates) {
  Lowerer& lower = search.lower;
  auto left = find(search, binary.left), right = find(search, binary.right);
  if (!left || !right) return std::nullopt;
  if (negates) {
    right->value.value = lower.builder.CreateNeg(right->value.value);
    right->value.shape.step = -right->value.shape.step;
    if (right->numbers) right->numbers->first = lower.builder.CreateNeg(right->numbers->first);
  }
  Value total = add_values(lower, left->value, right->value, false);
  return MostlyLinear{lower.builder.CreateAnd(left->holds, right->holds), total, false,
                      sum_numbers(lower, *left, *right)};
}

static std::optional<MostlyLinear> product(Search& search, const ir::Binary& binary) {
  auto left = find(search, binary.left), right = find(search, binary.right);
  if (!left || !right) return std::nullopt;
  if (is_uniform(*left)) std::swap(left, right);
  auto* factor = llvm::dyn_cast<llvm::ConstantInt>(right->value.value);
  std::int64_t most = limits::linear_step / (std::abs(left->value.shape.step) + 1);
  if (!is_uniform(*right) || !factor || factor->getSExtValue() > most || factor->getSExtValue() < -most)
    return std::nullopt;
  Value value = multiply_values(search.lower, left->value, right->value, false);
  if (left->numbers) left->numbers->first = search.lower.builder.CreateMul(left->numbers->first, factor);
  return MostlyLinear{left->holds, value, false, left->numbers};
}

static std::optional<MostlyLinear> widened(Search& search, const ir::Convert& convert, Type type) {
  Type from = convert.value.type;
  if (!keeps_value(from, type)) return std::nullopt;
  auto value = find(search, convert.value);
  if (!value || (from != type && !value->is_exact)) return std::nullopt;
  auto widen = [&](llvm::Value* narrow) {
    return search.lower.builder.CreateIntCast(narrow, register_type(search.lower.state, type->scalar),
                                              is_signed(from));
  };
  value->value.value = widen(value->value.value);
  if (value->numbers) value->numbers->first = widen(value->numbers->first);
  return value;
}

static std::optional<MostlyLinear> evaluate(Search& search, const ir::Expr& expr, Type type) {
  if (const auto* copy = std::get_if<ir::Copy>(&expr)) return find(search, copy->value);
  if (const auto* call = std::get_if<ir::CallPure>(&expr)) return extremum(search, *call);
  if (const auto* convert = std::get_if<ir::Convert>(&expr)) return widened(search, *convert, type);
  const auto* binary = std::get_if<ir::Binary>(&expr);
  if (!binary) return std::nullopt;
  if (binary->op == ir::BinaryOp::Multiply) return product(search, *binary);
  if (binary->op == ir::BinaryOp::Add || binary->op == ir::BinaryOp::Subtract)
    return sum(search, *binary, binary->op == ir::BinaryOp::Subtract);
  return std::nullopt;
}

void note_mostly_linear(Lowerer& lower, const ir::Assign& assign) {
  if (!lower.is_vector() || lower.lanes.masked || !is_candidate(lower, assign.slot)) return;
  Search search{lower};
  Type type = lower.ir.slots[static_cast<std::size_t>(assign.slot)].type;
  if (auto value = evaluate(search, assign.value, type); value && !is_uniform(*value))
    lower.lanes.mostly_linear.emplace(assign.slot, *value);
}

} // namespace kern::lowering
