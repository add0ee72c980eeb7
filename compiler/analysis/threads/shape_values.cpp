// Linear promises base + lane * step with wrapping in the slot's type, so sums and products keep it whatever
// their values are: wrapping commutes with them. Widening does not: i32 lanes that wrap within a vector are
// no longer a step apart as i64. So each value also says whether its lanes are a step apart as numbers
// (`exact`), which a sum keeps where the range of the true sum fits its type. Ranges and exactness are about
// active lanes only.
//
// In Python's terms, with i: i64 = grid(1) everything is exact; in i32 `threadIdx.x + 1` is, `threadIdx.x +
// blockIdx.x * blockDim.x` only where the launch promises a small grid.
#include "compiler/analysis/threads/shape_values.h"

#include <algorithm>
#include <bit>

#include "compiler/analysis/threads/special_register.h"
#include "compiler/support/limits.h"

namespace kern {

namespace {

using Source = LaneValue::Source;

bool is_uniform(const LaneValue& value) { return value.shape.kind == Shape::Kind::Uniform; }
bool is_linear(const LaneValue& value) { return value.shape.kind == Shape::Kind::Linear; }
bool is_varying(const LaneValue& value) { return value.shape.kind == Shape::Kind::Varying; }

Interval range_of(Type type) {
  return is_integer(type) || is_boolean(type) ? type_interval(type) : Interval{};
}

std::optional<std::int64_t> constant_of(const LaneValue& value) {
  if (!is_uniform(value) || value.range.low != value.range.high) return std::nullopt;
  return static_cast<std::int64_t>(value.range.low);
}

// Returns the shape of a sum of steps.
Shape with_step(Wide step) {
  if (step == 0) return uniform_shape;
  if (step > limits::linear_step || step < -limits::linear_step) return varying_shape;
  return linear_shape(static_cast<std::int64_t>(step));
}

// A result of wrapping arithmetic, given its shape, its range without wrapping, and whether its operands are
// exact.
LaneValue result(Shape shape, Interval range, bool exact, Type type) {
  LaneValue value{true, shape, range, exact};
  if (!contains(type_interval(type), range)) {
    value.range = type_interval(type);
    value.exact = shape.kind == Shape::Kind::Uniform;
  }
  return value;
}

} // namespace

LaneValue varying_value(Type type) { return {true, varying_shape, range_of(type), false}; }
LaneValue uniform_value(Type type) { return {true, uniform_shape, range_of(type)}; }
LaneValue uniform_value(Interval range) { return {true, uniform_shape, range}; }

LaneValue constant_value(const ir::Operand& constant) {
  if (constant.type == types::u64) return uniform_value(Interval{constant.bits, constant.bits});
  if (!is_integer(constant.type) && !is_boolean(constant.type)) return uniform_value(constant.type);
  const Wide value = ir::int_value(constant);
  return uniform_value(Interval{value, value});
}

LaneValue join(const LaneValue& left, const LaneValue& right, Type type) {
  if (!left.known) return right;
  if (!right.known) return left;
  if (left.shape != right.shape) return varying_value(type);
  LaneValue value{true, left.shape, hull(left.range, right.range), left.exact && right.exact,
                  left.aligned && right.aligned};
  if (left.source == right.source && left.axis == right.axis) {
    value.source = left.source;
    value.axis = left.axis;
  }
  return value;
}

LaneArithmetic::LaneArithmetic(const LaneFacts& facts, const ir::Function& function)
    : facts_(facts), rows_of_lanes_(facts.block_x_multiple), one_row_(false), block_(function.options.block) {
  if (!block_) return;
  rows_of_lanes_ = rows_of_lanes_ || (*block_)[0] % facts.lanes == 0;
  one_row_ = (*block_)[1] == 1 && (*block_)[2] == 1;
}

LaneValue LaneArithmetic::unary(ir::UnaryOp op, const LaneValue& value, Type type) const {
  if (is_varying(value)) return varying_value(type);
  if (!is_integer(type)) return is_uniform(value) ? uniform_value(type) : varying_value(type);
  const Wide step = -static_cast<Wide>(value.shape.step);
  switch (op) {
  case ir::UnaryOp::Negate:
    return result(with_step(step), {-value.range.high, -value.range.low}, value.exact, type);
  case ir::UnaryOp::BitNot: // -1 - value, which an unsigned type wraps
    return result(with_step(step), {-1 - value.range.high, -1 - value.range.low}, value.exact, type);
  case ir::UnaryOp::Not: return varying_value(type);
  }
  return varying_value(type);
}

LaneValue LaneArithmetic::binary(ir::BinaryOp op, const LaneValue& left, const LaneValue& right,
                                 Type type) const {
  if (is_varying(left) || is_varying(right)) return varying_value(type);
  const bool both_uniform = is_uniform(left) && is_uniform(right);
  if (!is_integer(type)) return both_uniform ? uniform_value(type) : varying_value(type);
  const bool exact = left.exact && right.exact;
  switch (op) {
  case ir::BinaryOp::Add:
    return result(with_step(static_cast<Wide>(left.shape.step) + right.shape.step),
                  {left.range.low + right.range.low, left.range.high + right.range.high}, exact, type);
  case ir::BinaryOp::Subtract:
    return result(with_step(static_cast<Wide>(left.shape.step) - right.shape.step),
                  {left.range.low - right.range.high, left.range.high - right.range.low}, exact, type);
  case ir::BinaryOp::Multiply: return multiply(left, right, type);
  case ir::BinaryOp::ShiftLeft: {
    const auto count = constant_of(right);
    if (!count) break;
    const int bits = static_cast<int>(*count & (bit_width(type->scalar) - 1));
    if (bits > 40) break;
    const Wide factor = Wide{1} << bits;
    return multiply(left, uniform_value(Interval{factor, factor}), type);
  }
  case ir::BinaryOp::FloorDivide:
  case ir::BinaryOp::Modulo:
  case ir::BinaryOp::ShiftRight:
  case ir::BinaryOp::BitAnd: return divide(op, left, right, type);
  case ir::BinaryOp::Divide:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: break;
  }
  return both_uniform ? uniform_value(type) : varying_value(type);
}

LaneValue LaneArithmetic::multiply(const LaneValue& left, const LaneValue& right, Type type) const {
  if (is_linear(left) && is_linear(right)) return varying_value(type);
  const Interval range = kern::multiply(left.range, right.range);
  if (is_uniform(left) && is_uniform(right)) {
    LaneValue value = result(uniform_shape, range, true, type);
    const bool starts = (left.source == Source::BlockDim && right.source != Source::Other) ||
                        (right.source == Source::BlockDim && left.source != Source::Other);
    if (facts_.small_grid && starts && left.source != right.source && left.axis == right.axis)
      value.range = {left.range.low * right.range.low, limits::small_grid};
    return value;
  }
  const LaneValue& linear = is_linear(left) ? left : right;
  const auto factor = constant_of(is_linear(left) ? right : left);
  if (!factor) return varying_value(type);
  return result(with_step(static_cast<Wide>(linear.shape.step) * *factor), range, linear.exact, type);
}

// Divisions, and the shifts and masks that are divisions by powers of two, by a constant: of uniform values,
// and of lanes that begin at a multiple of their number, which a division into whole vectors makes uniform.
LaneValue LaneArithmetic::divide(ir::BinaryOp op, const LaneValue& left, const LaneValue& right,
                                 Type type) const {
  const LaneValue unknown = is_uniform(left) && is_uniform(right) ? uniform_value(type) : varying_value(type);
  const auto constant = constant_of(right);
  if (!constant || left.range.low < 0) return unknown;
  std::int64_t divisor = *constant;
  if (op == ir::BinaryOp::ShiftRight)
    divisor = std::int64_t{1} << std::min<std::int64_t>(divisor & (bit_width(type->scalar) - 1), 62);
  if (op == ir::BinaryOp::BitAnd) {
    if (divisor <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(divisor) + 1)) return unknown;
    ++divisor;
  }
  if (divisor <= 0) return unknown;
  const bool whole_vectors = left.aligned && divisor % facts_.lanes == 0;
  if (is_linear(left) && !whole_vectors) return unknown;
  const bool quotient = op == ir::BinaryOp::FloorDivide || op == ir::BinaryOp::ShiftRight;
  if (quotient) return uniform_value(Interval{left.range.low / divisor, left.range.high / divisor});
  const Interval rest{0, std::min<Wide>(divisor - 1, left.range.high)};
  return is_uniform(left) ? uniform_value(rest) : lanes_from(rest);
}

LaneValue LaneArithmetic::convert(const LaneValue& value, Type from, Type to) const {
  if (!is_integer(to) || !is_integer(from)) {
    if (!is_uniform(value)) return varying_value(to);
    const bool counts = is_integer(to) && is_boolean(from);
    return counts ? uniform_value(value.range) : uniform_value(to);
  }
  if (is_varying(value)) return contains(type_interval(to), value.range) ? value : varying_value(to);
  if (value.exact && contains(type_interval(to), value.range)) return value;
  // Truncation to a narrower type commutes with addition.
  const bool commutes = is_uniform(value) || bit_width(to->scalar) <= bit_width(from->scalar);
  return commutes ? LaneValue{true, value.shape, type_interval(to), is_uniform(value)} : varying_value(to);
}

// ---- Where a thread is ----

LaneValue LaneArithmetic::lanes_from(Interval range) const {
  return {true, linear_shape(1), range, true, true};
}

LaneValue LaneArithmetic::thread_index(std::size_t axis) const {
  const Interval range{0, (block_ ? (*block_)[axis] : limits::launch_block[axis]) - 1};
  const bool in_rows = !facts_.linear_thread_id || rows_of_lanes_ || one_row_;
  if (!in_rows) return {true, varying_shape, range, false};
  return axis == 0 ? lanes_from(range) : uniform_value(range);
}

LaneValue LaneArithmetic::lane_id() const {
  const Interval range{0, limits::warp_size - 1};
  const bool whole =
      limits::warp_size % facts_.lanes == 0 && (facts_.linear_thread_id || rows_of_lanes_ || one_row_);
  return whole ? lanes_from(range) : LaneValue{true, varying_shape, range, false};
}

std::optional<LaneValue> LaneArithmetic::place(Builtin builtin) const {
  auto index = [&](std::size_t axis) {
    Wide most = limits::launch_grid[axis];
    if (facts_.small_grid) most = std::min<Wide>(most, limits::small_grid / (block_ ? (*block_)[axis] : 1));
    LaneValue value = uniform_value(Interval{0, most - 1});
    value.source = Source::BlockIndex;
    value.axis = static_cast<std::uint8_t>(axis);
    return value;
  };
  auto block_dim = [&](std::size_t axis) {
    const Interval any{1, limits::launch_block[axis]};
    LaneValue value = uniform_value(block_ ? Interval{(*block_)[axis], (*block_)[axis]} : any);
    value.source = Source::BlockDim;
    value.axis = static_cast<std::uint8_t>(axis);
    return value;
  };
  auto grid_dim = [&](std::size_t axis) {
    LaneValue value = index(axis);
    value.range = {1, value.range.high + 1};
    value.source = Source::GridDim;
    return value;
  };
  const std::optional<SpecialRegister> read = special_register(builtin);
  if (!read) return std::nullopt;
  switch (read->kind) {
  case SpecialRegister::Kind::ThreadIndex: return thread_index(read->axis);
  case SpecialRegister::Kind::BlockIndex: return index(read->axis);
  case SpecialRegister::Kind::BlockDim: return block_dim(read->axis);
  case SpecialRegister::Kind::GridDim: return grid_dim(read->axis);
  case SpecialRegister::Kind::LaneId: return lane_id();
  }
  return std::nullopt;
}

} // namespace kern
