// Sums, differences and products of integers are a ring, and narrower integers are the same ring modulo less. So
// `first` and `step` are computed in 64 bits, whatever wraps, and every value is congruent to first + k * step. The
// test makes sure that this sum, taken without wrapping, stays within the axis; then it is the value. Where a
// narrow sum is converted to a wider type the sum must stay within the narrow one for the same reason.
//
// first + (count - 1) * step does not wrap where first is in range, so below 2**62 in size, and the product is at
// most 2**62.
#include "compiler/transform/affine_index.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

using ir::BinaryOp;
using ir::CompareOp;
using ir::Operand;

static constexpr int most_depth = 32; // of the expression of an index
static constexpr std::int64_t most_product = std::int64_t{1} << 62;
static constexpr std::int64_t most_factor = std::int64_t{1} << 31;

std::unordered_set<ir::SlotId> assigned_slots(const ir::Stmt& stmt) {
  std::unordered_set<ir::SlotId> slots;
  ir::any(stmt, [&](const ir::Stmt& inner) {
    ir::visit_results(inner, [&](ir::SlotId slot) { slots.insert(slot); });
    return false;
  });
  return slots;
}

Operand index_from_start(const Operand& index, const ir::Definitions& definitions,
                         const std::function<bool(ir::SlotId)>& is_stable) {
  auto sole = [&](const Operand& operand) {
    return operand.slot && definitions.is_steady(*operand.slot) ? definitions.sole_assign(*operand.slot)
                                                                : nullptr;
  };
  const ir::Assign* assign = sole(index);
  const auto* select = assign ? std::get_if<ir::Select>(&assign->value) : nullptr;
  const ir::Assign* condition = select ? sole(select->condition) : nullptr;
  const auto* test = condition ? std::get_if<ir::Compare>(&condition->value) : nullptr;
  bool is_wrap = test && test->op == CompareOp::Less && test->left == select->else_value &&
                 test->right == ir::constant_int(types::i64, 0);
  // The slot must still hold what it held when it was chosen.
  const bool holds = is_wrap && select->else_value.slot &&
                     (definitions.is_steady(*select->else_value.slot) || is_stable(*select->else_value.slot));
  return holds ? select->else_value : index;
}

// ---- Emitter ----

Operand Emitter::assign(Type type, ir::Expr value) {
  Operand result{type, static_cast<ir::SlotId>(slots_.size()), 0};
  slots_.push_back({"", type, ir::Slot::Kind::Temp, place_.span});
  assign_to(*result.slot, std::move(value));
  return result;
}

void Emitter::assign_to(ir::SlotId slot, ir::Expr value) {
  out_.push_back({ir::Assign{slot, std::move(value)}, place_.span, place_.scope});
}

static std::int64_t fold(BinaryOp op, std::int64_t left, std::int64_t right) {
  auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
  std::uint64_t result = op == BinaryOp::Add ? a + b : op == BinaryOp::Subtract ? a - b : a * b;
  return static_cast<std::int64_t>(result);
}

Operand Emitter::binary(BinaryOp op, const Operand& left, const Operand& right) {
  if (!left.slot && !right.slot)
    return ir::constant_int(types::i64, fold(op, ir::int_value(left), ir::int_value(right)));
  auto is = [](const Operand& operand, std::int64_t value) {
    return !operand.slot && ir::int_value(operand) == value;
  };
  const bool is_product = op == BinaryOp::Multiply;
  if (is(right, is_product ? 1 : 0)) return left;
  if (op != BinaryOp::Subtract && is(left, is_product ? 1 : 0)) return right;
  if (is_product && (is(left, 0) || is(right, 0))) return ir::constant_int(types::i64, 0);
  return assign(types::i64, ir::Binary{op, left, right});
}

Operand Emitter::compare(CompareOp op, const Operand& left, const Operand& right) {
  return assign(types::boolean, ir::Compare{op, left, right});
}

Operand Emitter::both(const Operand& left, const Operand& right) {
  if (!left.slot) return left.bits != 0 ? right : left;
  if (!right.slot) return right.bits != 0 ? left : right;
  return assign(types::boolean, ir::Binary{BinaryOp::BitAnd, left, right});
}

Operand Emitter::negate(const Operand& condition) {
  if (!condition.slot) return ir::constant_bool(condition.bits == 0);
  return assign(types::boolean, ir::Unary{ir::UnaryOp::Not, condition});
}

Operand Emitter::convert(const Operand& value, Type type) {
  if (value.type == type) return value;
  if (!value.slot && type == types::i64) return ir::constant_int(type, ir::int_value(value));
  return assign(type, ir::Convert{value});
}

Operand Emitter::in_range(const Operand& index, const Operand& extent) {
  return compare(CompareOp::Less, assign(types::u64, ir::Convert{index}),
                 assign(types::u64, ir::Convert{extent}));
}

// ---- AffineIndexes ----

AffineIndexes::AffineIndexes(const ir::Function& function, const ir::Definitions& definitions,
                             const ir::Stmt& loop)
    : function_(function), definitions_(definitions), loop_(std::get<ir::For>(loop.node)),
      assigned_(assigned_slots(loop)), counts_(!ir::assigns(loop_.body, loop_.variable)) {}

// Returns the assignment in the loop that a value always comes from.
const ir::Assign* AffineIndexes::definition(const Operand& value) const {
  return definitions_.is_steady(*value.slot) ? definitions_.sole_assign(*value.slot) : nullptr;
}

AffineIndexes::Kind AffineIndexes::kind(const Operand& value, int depth) const {
  if (is_fixed(value)) return Kind::Invariant;
  if (*value.slot == loop_.variable) return counts_ ? Kind::Affine : Kind::Other;
  const ir::Assign* assign = depth < most_depth ? definition(value) : nullptr;
  return assign ? kind(*assign, depth + 1) : Kind::Other;
}

// Says whether an expression may be computed before the loop if its operands can.
static bool is_movable(const ir::Expr& expr) {
  return !std::holds_alternative<ir::View>(expr) && !std::holds_alternative<ir::Restride>(expr) &&
         !std::holds_alternative<ir::SharedArray>(expr) && !std::holds_alternative<ir::LocalArray>(expr) &&
         !std::holds_alternative<ir::ConstantArray>(expr);
}

// The shift that is a product, where its count is one within the type.
static std::optional<std::int64_t> factor_of_shift(const ir::Binary& binary) {
  if (binary.op != BinaryOp::ShiftLeft || binary.right.slot) return std::nullopt;
  const std::int64_t count = ir::int_value(binary.right);
  if (count < 0 || count > 31) return std::nullopt;
  return std::int64_t{1} << count;
}

AffineIndexes::Kind AffineIndexes::kind(const ir::Assign& assign, int depth) const {
  Kind least = Kind::Affine, most = Kind::Invariant;
  ir::visit_operands(assign.value, [&](const Operand& operand) {
    const Kind each = kind(operand, depth);
    least = each == Kind::Other ? Kind::Other : least;
    most = each == Kind::Affine ? Kind::Affine : most;
  });
  if (least == Kind::Other || !is_movable(assign.value)) return Kind::Other;
  if (most == Kind::Invariant) return Kind::Invariant;
  if (!is_integer(type_of(assign.slot))) return Kind::Other;
  bool is_affine = match(
      assign.value, [](const ir::Copy&) { return true; },
      [](const ir::Convert& e) { return is_integer(e.value.type); },
      [](const ir::Unary& e) { return e.op == ir::UnaryOp::Negate; },
      [&](const ir::Binary& e) {
        const bool is_sum = e.op == BinaryOp::Add || e.op == BinaryOp::Subtract;
        const bool is_product = e.op == BinaryOp::Multiply && (kind(e.left, depth) == Kind::Invariant ||
                                                               kind(e.right, depth) == Kind::Invariant);
        return is_sum || is_product || factor_of_shift(e);
      },
      [](const auto&) { return false; });
  return is_affine ? Kind::Affine : Kind::Other;
}

// Returns an invariant value as an operand that is there before the loop.
Operand AffineIndexes::before_loop(const Operand& value, Emitter& emitter) {
  if (is_fixed(value)) return value;
  if (auto found = moved_.find(*value.slot); found != moved_.end()) return found->second;
  ir::Expr expr = definition(value)->value;
  ir::visit_operands(expr, [&](Operand& operand) { operand = before_loop(operand, emitter); });
  const Operand result = emitter.assign(value.type, std::move(expr));
  moved_.emplace(*value.slot, result);
  return result;
}

AffineIndexes::Form AffineIndexes::form(const Operand& value, Emitter& emitter) {
  if (kind(value) == Kind::Invariant)
    return {emitter.convert(before_loop(value, emitter), types::i64), ir::constant_int(types::i64, 0)};
  if (*value.slot == loop_.variable)
    return {emitter.convert(loop_.start, types::i64), emitter.convert(loop_.step, types::i64)};
  return form(*definition(value), emitter);
}

// Returns the form of the affine expression that an assignment computes.
AffineIndexes::Form AffineIndexes::form(const ir::Assign& assign, Emitter& emitter) {
  const Type type = type_of(assign.slot);
  const bool is_wide = bit_width(type->scalar) == 64;
  auto combine = [&](BinaryOp op, const Form& left, const Form& right) {
    return Form{emitter.binary(op, left.first, right.first), emitter.binary(op, left.step, right.step),
                is_wide};
  };
  auto times = [&](const Form& left, const Operand& factor) {
    return Form{emitter.binary(BinaryOp::Multiply, left.first, factor),
                emitter.binary(BinaryOp::Multiply, left.step, factor), is_wide};
  };
  const Form zero{ir::constant_int(types::i64, 0), ir::constant_int(types::i64, 0)};
  if (const auto* e = std::get_if<ir::Copy>(&assign.value)) return form(e->value, emitter);
  if (const auto* e = std::get_if<ir::Unary>(&assign.value))
    return combine(BinaryOp::Subtract, zero, form(e->value, emitter));
  if (const auto* e = std::get_if<ir::Binary>(&assign.value)) {
    if (auto factor = factor_of_shift(*e))
      return times(form(e->left, emitter), ir::constant_int(types::i64, *factor));
    Form left = form(e->left, emitter), right = form(e->right, emitter);
    if (e->op != BinaryOp::Multiply) return combine(e->op, left, right);
    return kind(e->right) == Kind::Invariant ? times(left, right.first) : times(right, left.first);
  }
  const Operand& source = std::get<ir::Convert>(assign.value).value;
  Form result = form(source, emitter);
  const int from = bit_width(source.type->scalar), to = bit_width(type->scalar);
  if (from >= to) {
    result.is_exact = to == 64 || (from == to && source.type == type && result.is_exact);
    return result;
  }
  if (!result.is_exact) {
    const bool has_sign = is_signed(source.type);
    const std::int64_t most = (std::int64_t{1} << (from - (has_sign ? 1 : 0))) - 1;
    const Operand low = ir::constant_int(types::i64, has_sign ? -most - 1 : 0);
    const Operand high = ir::constant_int(types::i64, most);
    for (const Operand& end : {result.first, last_of(result, emitter)}) {
      require(emitter.compare(CompareOp::GreaterEqual, end, low), emitter);
      require(emitter.compare(CompareOp::LessEqual, end, high), emitter);
    }
  }
  // A negative value that becomes a long unsigned one is the same modulo 2**64, but not one of u32.
  result.is_exact = to == 64 || is_signed(type) || !is_signed(source.type);
  return result;
}

// Returns first + (count - 1) * step, which does not wrap where first is in range and what is required holds.
Operand AffineIndexes::last_of(const Form& form, Emitter& emitter) {
  if (form.step == ir::constant_int(types::i64, 0)) return form.first;
  std::int64_t most_count = most_factor;
  if (form.step.slot) {
    for (std::int64_t sign : {-1, 1})
      require(emitter.compare(sign < 0 ? CompareOp::GreaterEqual : CompareOp::LessEqual, form.step,
                              ir::constant_int(types::i64, sign * most_factor)),
              emitter);
  } else {
    const std::int64_t step = ir::int_value(form.step);
    const bool is_huge = step >= most_product || step <= -most_product;
    most_count = is_huge ? 1 : most_product / std::abs(step);
  }
  require(emitter.compare(CompareOp::LessEqual, loop_.count, ir::constant_int(types::i64, most_count)),
          emitter);
  const Operand rounds = emitter.binary(BinaryOp::Subtract, loop_.count, ir::constant_int(types::i64, 1));
  return emitter.binary(BinaryOp::Add, form.first, emitter.binary(BinaryOp::Multiply, rounds, form.step));
}

Operand AffineIndexes::test(const Operand& index, const Operand& array, int axis, Emitter& emitter) {
  holds_ = ir::constant_bool(true);
  const Form whole = form(index, emitter);
  const Operand last = last_of(whole, emitter);
  const Operand extent = emitter.assign(types::i64, ir::Extent{array, axis});
  require(emitter.in_range(whole.first, extent), emitter);
  if (!(last == whole.first)) require(emitter.in_range(last, extent), emitter);
  return holds_;
}

} // namespace kern
