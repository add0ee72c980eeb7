// Arithmetic gives a spread again where it can: sums and differences, products and quotients with a number
// that is the same for all threads, remainders. Everything else is unknown, which an estimate can afford.
#include "compiler/analysis/launch/spread.h"

#include <cmath>
#include <utility>

#include "compiler/analysis/threads/special_register.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

using MaybeTerm = std::optional<LaunchTerm>;
using MaybeSpread = std::optional<Spread>;

static constexpr auto add = ExpressionOp::Add, subtract = ExpressionOp::Subtract,
                      multiply = ExpressionOp::Multiply, divide = ExpressionOp::FloorDivide,
                      smaller = ExpressionOp::Minimum, larger = ExpressionOp::Maximum,
                      less = ExpressionOp::Less;

static const LaunchTerm zero = LaunchTerm::constant(0), one = LaunchTerm::constant(1);

static MaybeSpread same_for_all(const MaybeTerm& term) {
  return term ? MaybeSpread(Spread{*term}) : std::nullopt;
}

static bool is_constant(const Spread& spread) { return !spread.width && spread.first.constant_value(); }

MaybeTerm mean_of(const Spread& spread) {
  if (!spread.width) return spread.first;
  return combine(add, spread.first, combine(multiply, *spread.width, LaunchTerm::constant(0.5)));
}

// Numbers that lie between the steps of others make one spread with them, as threads of blocks do.
static MaybeSpread sum(const Spread& a, const Spread& b) {
  MaybeTerm first = combine(add, a.first, b.first);
  if (!first) return std::nullopt;
  if (!a.width || !b.width) return Spread{*first, a.width ? a.width : b.width, a.width ? a.step : b.step};
  if (a.step == b.width) return Spread{*first, a.width, b.step};
  if (b.step == a.width) return Spread{*first, b.width, a.step};
  MaybeTerm width = combine(add, *a.width, *b.width);
  return width ? MaybeSpread(Spread{*first, width}) : std::nullopt;
}

// Numbers by which a spread is multiplied are positive, unless they are constant.
static MaybeSpread product(const Spread& a, const Spread& b) {
  if (a.width && b.width) return std::nullopt;
  if (!a.width && b.width) return product(b, a);
  MaybeTerm first = combine(multiply, a.first, b.first);
  if (!first || !a.width) return same_for_all(first);
  const bool is_negative = b.first.constant_value().value_or(1) < 0;
  MaybeTerm factor = is_negative ? combine(multiply, b.first, LaunchTerm::constant(-1)) : b.first;
  MaybeTerm width = combine(multiply, *a.width, *factor);
  if (!width) return std::nullopt;
  if (is_negative) first = combine(subtract, *first, *width);
  MaybeTerm step = a.step ? combine(multiply, *a.step, *factor) : factor;
  return first && step ? MaybeSpread(Spread{*first, width, step}) : std::nullopt;
}

static MaybeSpread difference(const Spread& a, const Spread& b) {
  MaybeSpread negative = product(b, Spread{LaunchTerm::constant(-1)});
  if (!a.width && !b.width) return same_for_all(combine(subtract, a.first, b.first));
  return negative ? sum(a, *negative) : std::nullopt;
}

// A constant quotient is that of integers, so that loops that halve a number end.
static MaybeSpread quotient(const Spread& a, const Spread& b) {
  if (b.width) return std::nullopt;
  std::optional<double> left = a.first.constant_value(), right = b.first.constant_value();
  if (!a.width && left && right && *right != 0)
    return Spread{LaunchTerm::constant(std::floor(*left / *right))};
  MaybeTerm first = combine(divide, a.first, b.first);
  if (!first || !a.width) return same_for_all(first);
  MaybeTerm width = combine(divide, *a.width, b.first);
  return width ? MaybeSpread(Spread{*first, width}) : std::nullopt;
}

static MaybeTerm clamped(const MaybeTerm& chance) {
  MaybeTerm most = combine(smaller, chance, MaybeTerm(one));
  // A quotient of a size is not negative, so the maximum with zero is left out.
  const bool is_size = chance && chance->expression().op == divide &&
                       chance->expression().operands[0].op < ExpressionOp::Add &&
                       !combine(divide, *chance, one)->constant_value();
  return is_size ? most : combine(larger, most, MaybeTerm(zero));
}

static MaybeTerm other_chance(const MaybeTerm& chance) { return combine(subtract, MaybeTerm(one), chance); }

// Returns how likely a is less than b.
static MaybeTerm chance_of_less(const Spread& a, const Spread& b) {
  if (!a.width && !b.width) return combine(less, a.first, b.first);
  if (a.width && b.width) return std::nullopt;
  if (a.width) return clamped(combine(divide, combine(subtract, b.first, a.first), a.width));
  // A constant that others are more than is where they begin: what is left out there is an edge.
  if (is_constant(a) && !b.width->constant_value()) return one;
  MaybeTerm above = combine(subtract, combine(add, b.first, *b.width), combine(add, a.first, one));
  return clamped(combine(divide, above, b.width));
}

static MaybeTerm chance_of_equal(const Spread& a, const Spread& b) {
  if (a.width && b.width) return std::nullopt;
  if (a.width || b.width) return clamped(combine(divide, MaybeTerm(one), a.width ? a.width : b.width));
  if (is_constant(a) && is_constant(b)) return a == b ? one : zero;
  return a == b ? MaybeTerm(one) : std::nullopt;
}

// What slots hold at the start.
static std::vector<Held> first_values(const ir::Function& kernel) {
  std::vector<Held> values(kernel.slots.size());
  for (std::uint32_t slot = 0; slot < kernel.slots.size(); ++slot) {
    Type type = kernel.slots[slot].type;
    if (!is_scalar(type)) continue;
    const bool is_param = slot < kernel.param_count;
    if (is_boolean(type) && !is_param) values[slot].chance = zero;
    if (!is_integer(type)) continue;
    if (!is_param)
      values[slot].number = Spread{zero};
    else if (ir::expression_type(type))
      values[slot].number = Spread{LaunchTerm(ir::scalar_expression(kernel, ir::SlotId(slot)))};
  }
  return values;
}

Spreads::Spreads(const ir::Function& kernel)
    : kernel_(kernel), slots_(first_values(kernel)), is_assigned_(kernel.slots.size()) {}

MaybeSpread Spreads::number(const ir::Operand& operand) const {
  if (operand.slot) return slots_[*operand.slot].number;
  if (!is_scalar(operand.type) || !is_integer(operand.type)) return std::nullopt;
  return Spread{LaunchTerm::constant(is_signed(operand.type) ? static_cast<double>(ir::int_value(operand))
                                                             : static_cast<double>(operand.bits))};
}

MaybeTerm Spreads::chance(const ir::Operand& operand) const {
  if (operand.slot) return slots_[*operand.slot].chance;
  return is_boolean(operand.type) ? MaybeTerm(operand.bits != 0 ? one : zero) : std::nullopt;
}

void Spreads::set(ir::SlotId slot, Held held) {
  slots_.set(slot, std::move(held));
  is_assigned_[index_of(slot)] = true;
}

void Spreads::forget_assigned(const ir::Body& body) {
  ir::walk(body,
           [&](const ir::Stmt& stmt) { ir::visit_results(stmt, [&](ir::SlotId slot) { forget(slot); }); });
}

void Spreads::assign(const ir::Assign& assign) { set(assign.slot, value_of(assign.value)); }

void Spreads::assume(const ir::Operand& condition, bool value) {
  if (condition.slot) set(*condition.slot, {{}, value ? one : zero});
}

MaybeSpread Spreads::place_of(Builtin builtin) const {
  auto size = [&](ExpressionOp op, int axis) {
    if (op == ExpressionOp::BlockDim && kernel_.options.block)
      return LaunchTerm::constant(
          static_cast<double>((*kernel_.options.block)[static_cast<std::size_t>(axis)]));
    return LaunchTerm(ir::launch_expression(op, axis));
  };
  auto index = [&](ExpressionOp op, int axis) { return Spread{zero, size(op, axis)}; };
  const std::optional<SpecialRegister> read = special_register(builtin);
  if (!read) return std::nullopt;
  const auto axis = static_cast<int>(read->axis);
  switch (read->kind) {
  case SpecialRegister::Kind::ThreadIndex: return index(ExpressionOp::BlockDim, axis);
  case SpecialRegister::Kind::BlockIndex: return index(ExpressionOp::GridDim, axis);
  case SpecialRegister::Kind::BlockDim: return Spread{size(ExpressionOp::BlockDim, axis)};
  case SpecialRegister::Kind::GridDim: return Spread{size(ExpressionOp::GridDim, axis)};
  case SpecialRegister::Kind::LaneId: return Spread{zero, LaunchTerm::constant(32)};
  }
  return std::nullopt;
}

MaybeSpread Spreads::binary(const ir::Binary& binary) const {
  MaybeSpread left = number(binary.left), right = number(binary.right);
  if (!left || !right) return std::nullopt;
  const double count = right->width ? -1 : right->first.constant_value().value_or(-1);
  switch (binary.op) {
  case ir::BinaryOp::Add: return sum(*left, *right);
  case ir::BinaryOp::Subtract: return difference(*left, *right);
  case ir::BinaryOp::Multiply: return product(*left, *right);
  case ir::BinaryOp::FloorDivide: return quotient(*left, *right);
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight: {
    if (count < 0 || count > 62) return std::nullopt;
    Spread power{LaunchTerm::constant(static_cast<double>(std::int64_t(1) << static_cast<int>(count)))};
    return binary.op == ir::BinaryOp::ShiftLeft ? product(*left, power) : quotient(*left, power);
  }
  case ir::BinaryOp::Modulo:
    if (!left->width || count <= 0) return std::nullopt;
    return Spread{zero, combine(smaller, *left->width, LaunchTerm::constant(count))};
  case ir::BinaryOp::Divide:
  case ir::BinaryOp::BitAnd:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: break;
  }
  return std::nullopt;
}

// Only parameters have extents that the launch tells.
MaybeSpread Spreads::extent(const ir::Extent& extent) const {
  if (!extent.array.slot) return std::nullopt;
  auto slot = static_cast<std::size_t>(*extent.array.slot);
  if (slot >= kernel_.param_count || is_assigned_[slot]) return std::nullopt;
  return Spread{
      LaunchTerm(ir::axis_expression(kernel_, *extent.array.slot, ExpressionOp::Extent, extent.axis))};
}

MaybeTerm Spreads::compare(const ir::Compare& compare) const {
  MaybeSpread left = number(compare.left), right = number(compare.right);
  if (!left || !right) return std::nullopt;
  switch (compare.op) {
  case ir::CompareOp::Less: return chance_of_less(*left, *right);
  case ir::CompareOp::Greater: return chance_of_less(*right, *left);
  case ir::CompareOp::LessEqual: return other_chance(chance_of_less(*right, *left));
  case ir::CompareOp::GreaterEqual: return other_chance(chance_of_less(*left, *right));
  case ir::CompareOp::Equal: return chance_of_equal(*left, *right);
  case ir::CompareOp::NotEqual: return other_chance(chance_of_equal(*left, *right));
  }
  return std::nullopt;
}

// Returns the spread of a value that is one of two. A constant is taken for the case at an edge, such as the
// count of a range that may be empty, and gives way to the other value.
static MaybeSpread either(const MaybeSpread& a, const MaybeSpread& b) {
  if (!a || !b || *a == *b) return a && b ? a : std::nullopt;
  if (is_constant(*a) != is_constant(*b)) return is_constant(*a) ? b : a;
  if (a->width || b->width) return std::nullopt;
  return same_for_all(combine(larger, a->first, b->first));
}

// The smaller or larger of two numbers.
static MaybeSpread limited(ExpressionOp op, const MaybeSpread& a, const MaybeSpread& b) {
  if (!a || !b || (a->width && b->width)) return std::nullopt;
  if (!a->width && !b->width) return same_for_all(combine(op, a->first, b->first));
  return a->width ? a : b;
}

static MaybeTerm mixed(const MaybeTerm& chance, const MaybeTerm& taken, const MaybeTerm& other) {
  if (taken && other && *taken == *other) return taken;
  return combine(add, combine(multiply, chance, taken), combine(multiply, other_chance(chance), other));
}

Held Spreads::value_of(const ir::Expr& expr) const {
  return match(
      expr, [&](const ir::Copy& node) { return Held{number(node.value), chance(node.value)}; },
      [&](const ir::Convert& node) { return Held{number(node.value), {}}; },
      [&](const ir::Unary& node) {
        return node.op == ir::UnaryOp::Not ? Held{{}, other_chance(chance(node.value))} : Held{};
      },
      [&](const ir::Binary& node) { return Held{binary(node), {}}; },
      [&](const ir::Compare& node) { return Held{{}, compare(node)}; },
      [&](const ir::Select& node) {
        return Held{either(number(node.then_value), number(node.else_value)),
                    mixed(chance(node.condition), chance(node.then_value), chance(node.else_value))};
      },
      [&](const ir::CallPure& node) {
        if (node.builtin != Builtin::Min && node.builtin != Builtin::Max)
          return Held{place_of(node.builtin), {}};
        if (node.args.size() != 2) return Held{};
        ExpressionOp op = node.builtin == Builtin::Min ? smaller : larger;
        return Held{limited(op, number(node.args[0]), number(node.args[1])), {}};
      },
      [&](const ir::Extent& node) { return Held{extent(node), {}}; }, [](const auto&) { return Held{}; });
}

void Spreads::join(const MaybeTerm& chance, const Changes& taken, const Changes& other) {
  apply(flow::joined(taken, other, [&](ir::SlotId, const Held& a, const Held& b) {
    return Held{either(a.number, b.number), mixed(chance, a.chance, b.chance)};
  }));
}

} // namespace kern
