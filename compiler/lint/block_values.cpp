// Integers wrap in their types. Floats are not computed: of them only counts where they come from.
#include "compiler/lint/block_values.h"

#include <algorithm>

#include "compiler/ir/compare_op.h"
#include "runtime/common/integers.h"

namespace kern {

using Kind = BlockValue::Kind;

// Numbers the operations that make names, beside the binary operators, which have numbers of their own.
enum : std::int64_t { of_compare = 100, of_convert = 200, of_unary = 300, of_extremum = 400 };

// Wraps numbers in a type.
class Wrap {
public:
  explicit Wrap(Type type) {
    if (!is_scalar(type) || !is_integer(type)) return;
    shift_ = static_cast<unsigned>(64 - std::min(bit_width(type->scalar), 64));
    is_signed_ = is_signed(type);
  }
  std::int64_t operator()(std::int64_t value) const {
    const std::uint64_t high = static_cast<std::uint64_t>(value) << shift_;
    return is_signed_ ? static_cast<std::int64_t>(high) >> shift_ : static_cast<std::int64_t>(high >> shift_);
  }

private:
  unsigned shift_ = 0;
  bool is_signed_ = true;
};

// A thread that divides by 0 faults: any number does for it.
static std::int64_t quotient(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : floor_divide(a, b); }

static bool answer(ir::CompareOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
  case ir::CompareOp::Equal: return a == b;
  case ir::CompareOp::NotEqual: return a != b;
  case ir::CompareOp::Less: return a < b;
  case ir::CompareOp::LessEqual: return a <= b;
  case ir::CompareOp::Greater: return a > b;
  case ir::CompareOp::GreaterEqual: return a >= b;
  }
  return false;
}

template <class Operation> BlockValue BlockArithmetic::each(const BlockValue& left, const BlockValue& right,
                                                            Type type, const Operation& operation) const {
  BlockValue result;
  result.is_assumed = left.is_assumed || right.is_assumed;
  result.is_part = left.is_part || right.is_part;
  const Wrap wrap(type);
  if (left.lanes.empty() && right.lanes.empty()) {
    result.number = wrap(operation(left.number, right.number));
    return result;
  }
  Lanes numbers(threads_, [&](std::size_t lane) { return wrap(operation(left.in(lane), right.in(lane))); });
  if (std::ranges::all_of(numbers.all(), [&](std::int64_t each) { return each == numbers[0]; }))
    result.number = numbers[0];
  else
    result.lanes = std::move(numbers);
  return result;
}

BlockValue BlockArithmetic::named(std::array<std::int64_t, 4> key) {
  const auto [found, is_new] = named_.try_emplace(key, names_ + 1);
  names_ += is_new;
  return {Kind::Uniform, found->second, false, false, {}};
}

// Numbers and names are told apart by their lowest bit.
std::int64_t BlockArithmetic::key_of(const BlockValue& value) const {
  const std::int64_t key = static_cast<std::int64_t>(static_cast<std::uint64_t>(value.number) << 2U);
  return value.is_known() ? key : key | 1 | (value.is_negated ? 2 : 0);
}

BlockValue BlockArithmetic::resolve(const BlockValue& value) const {
  const bool is_split = split_ && value.kind == Kind::Uniform && value.number == split_->first;
  if (!is_split) return value;
  BlockValue number = known(split_->second);
  number.is_part = true;
  return number;
}

BlockValue BlockArithmetic::constant(const ir::Operand& operand) {
  if (is_integer(operand.type) || operand.type == types::boolean) return known(ir::int_value(operand));
  return named({-1, static_cast<std::int64_t>(operand.bits), 0, 0});
}

BlockValue BlockArithmetic::computed(const std::vector<BlockValue>& from) {
  Kind kind = Kind::Uniform;
  bool has_data = false, has_own = false;
  for (const BlockValue& value : from) {
    if (value.kind == Kind::Mixed || value.kind == Kind::Range) return of(Kind::Mixed);
    has_data = has_data || value.kind == Kind::Data;
    has_own = has_own || !value.lanes.empty();
  }
  if (has_own)
    kind = Kind::Mixed;
  else if (has_data)
    kind = Kind::Data;
  return kind == Kind::Uniform ? fresh() : of(kind);
}

BlockValue BlockArithmetic::unary(ir::UnaryOp op, const BlockValue& given, Type type) {
  BlockValue value = resolve(given);
  if (op == ir::UnaryOp::Not && !value.is_known()) {
    value.is_negated = !value.is_negated;
    return value;
  }
  if (value.is_known() && !is_float(type))
    return each(value, value, type, [&](std::int64_t a, std::int64_t) {
      return op == ir::UnaryOp::Negate ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(a))
             : op == ir::UnaryOp::Not  ? static_cast<std::int64_t>(a == 0)
                                       : ~a;
    });
  if (value.is_uniform()) return named({of_unary + static_cast<std::int64_t>(op), key_of(value), 0, 0});
  return computed({value});
}

void BlockArithmetic::note(LaunchUse use) {
  if (std::ranges::find(uses_, use) == uses_.end()) uses_.push_back(use);
}

// Returns what a thread's own number becomes with one that is not known, where that is more than arithmetic: a mask has all
// bits, and a shift goes nowhere.
std::optional<BlockValue> BlockArithmetic::use(ir::BinaryOp op, const BlockValue& own,
                                               const BlockValue& limit) {
  if (!notes_ || own.lanes.empty() || !limit.is_one_number() || !limit.is_assumed) return std::nullopt;
  const bool is_shift = op == ir::BinaryOp::ShiftLeft || op == ir::BinaryOp::ShiftRight;
  const bool is_mask = op == ir::BinaryOp::BitAnd;
  if (!is_shift && !is_mask && op != ir::BinaryOp::Modulo) return std::nullopt;
  note({is_shift  ? LaunchUse::Kind::Shift
        : is_mask ? LaunchUse::Kind::Mask
                  : LaunchUse::Kind::Modulus,
        limit.number});
  const bool is_large = limit.number >= least_launch_number - 1;
  return is_large && (is_shift || is_mask) ? std::optional(own) : std::nullopt;
}

// A shift takes the lowest bits of its count.
BlockValue BlockArithmetic::compute(ir::BinaryOp op, const BlockValue& left, const BlockValue& right,
                                    Type type) const {
  const auto bits = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  const auto number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  const std::uint64_t most_count = bits(bit_width(type->scalar) - 1);
  const auto of = [&](const auto& operation) { return each(left, right, type, operation); };
  switch (op) {
  case ir::BinaryOp::Add: return of([&](auto a, auto b) { return number(bits(a) + bits(b)); });
  case ir::BinaryOp::Subtract: return of([&](auto a, auto b) { return number(bits(a) - bits(b)); });
  case ir::BinaryOp::Multiply: return of([&](auto a, auto b) { return number(bits(a) * bits(b)); });
  case ir::BinaryOp::FloorDivide: return of(quotient);
  case ir::BinaryOp::Modulo:
    return of([&](auto a, auto b) { return number(bits(a) - bits(b) * bits(quotient(a, b))); });
  case ir::BinaryOp::ShiftLeft:
    return of([&](auto a, auto b) { return number(bits(a) << (bits(b) & most_count)); });
  case ir::BinaryOp::ShiftRight: return of([&](auto a, auto b) { return a >> (bits(b) & most_count); });
  case ir::BinaryOp::BitAnd: return of([](auto a, auto b) { return a & b; });
  case ir::BinaryOp::BitOr: return of([](auto a, auto b) { return a | b; });
  case ir::BinaryOp::BitXor: return of([](auto a, auto b) { return a ^ b; });
  case ir::BinaryOp::Divide: break;
  }
  return known(0);
}

BlockValue BlockArithmetic::binary(ir::BinaryOp op, const BlockValue& first, const BlockValue& second,
                                   Type type) {
  const BlockValue left = resolve(first), right = resolve(second);
  if (std::optional<BlockValue> used = use(op, left, right)) return *used;
  if (std::optional<BlockValue> used = op == ir::BinaryOp::BitAnd ? use(op, right, left) : std::nullopt)
    return *used;
  if (left.is_known() && right.is_known() && !is_float(type)) return compute(op, left, right, type);
  if (left.is_uniform() && right.is_uniform())
    return named({static_cast<std::int64_t>(op), key_of(left), key_of(right), 0});
  return computed({left, right});
}

bool BlockArithmetic::is_along(const BlockValue& own, const std::vector<std::int64_t>& other) const {
  for (std::size_t lane = 1; lane < threads_; ++lane)
    if (own.lanes[lane] - other[lane] != own.lanes[0] - other[0]) return false;
  return true;
}

// Compares a thread's own number with one that is not known, which counts as larger than the numbers of all
// threads, as the sizes of arrays are.
BlockValue BlockArithmetic::compare_range(ir::CompareOp op, const BlockValue& own, const BlockValue& limit,
                                          Type type) {
  if (split_ && is_along(own, ranges_.at(split_->first))) return of(Kind::Mixed);
  bool is_next = splits_ && !split_ && !limit.is_negated && ranges_.size() == *splits_;
  // One that follows such as were large is no free choice.
  for (const auto& [name, lanes] : ranges_)
    is_next = is_next && name != limit.number && !is_along(own, lanes);
  if (splits_) ranges_.try_emplace(limit.number, own.lanes.all().begin(), own.lanes.all().end());
  if (!is_next) {
    BlockValue result = known(op == ir::CompareOp::Less || op == ir::CompareOp::LessEqual);
    result.is_assumed = true;
    return result;
  }
  std::vector<std::int64_t> sorted(own.lanes.all().begin(), own.lanes.all().end());
  std::ranges::sort(sorted);
  const auto second = std::ranges::upper_bound(sorted, sorted.front());
  split_ = {limit.number, splits_few_ && second != sorted.end() ? *second : sorted[sorted.size() / 2]};
  return compare(op, own, limit, type);
}

BlockValue BlockArithmetic::compare(ir::CompareOp op, const BlockValue& first, const BlockValue& second,
                                    Type type) {
  const BlockValue left = resolve(first), right = resolve(second);
  const bool is_equality = op == ir::CompareOp::Equal || op == ir::CompareOp::NotEqual;
  if (notes_ && is_equality && left.is_one_number() && right.is_one_number() &&
      left.is_assumed != right.is_assumed)
    note({LaunchUse::Kind::Equal, left.is_assumed ? left.number : right.number,
          left.is_assumed ? right.number : left.number});
  if (left.is_known() && right.is_known() && !is_float(type))
    return each(left, right, types::boolean,
                [&](std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(answer(op, a, b)); });
  if (!is_equality && left.is_known() && !left.lanes.empty() && right.kind == Kind::Uniform)
    return compare_range(op, left, right, type);
  if (!is_equality && right.is_known() && !right.lanes.empty() && left.kind == Kind::Uniform)
    return compare_range(ir::mirrored(op), right, left, type);
  if (left.is_uniform() && right.is_uniform()) {
    // A test and its opposite have one name.
    const bool swaps = op == ir::CompareOp::Greater || op == ir::CompareOp::LessEqual;
    const bool negates =
        op == ir::CompareOp::NotEqual || op == ir::CompareOp::GreaterEqual || op == ir::CompareOp::LessEqual;
    const std::int64_t code = of_compare + (is_equality ? 0 : 1);
    BlockValue result = named({code, key_of(swaps ? right : left), key_of(swaps ? left : right), 0});
    result.is_negated = negates;
    return result;
  }
  const bool has_data = left.kind == Kind::Data || right.kind == Kind::Data;
  BlockValue result = computed({left, right});
  const bool is_range = !is_equality && !has_data && result.kind == Kind::Mixed && left.kind != Kind::Range &&
                        right.kind != Kind::Range;
  return is_range ? of(Kind::Range) : result;
}

// Says whether a type holds all integers of another.
static bool holds(Type to, Type from) {
  if (!is_scalar(from) || !is_scalar(to) || !is_integer(from) || !is_integer(to)) return false;
  const int more = bit_width(to->scalar) - bit_width(from->scalar);
  return is_signed(from) == is_signed(to) ? more >= 0 : more > 0 && is_signed(to);
}

BlockValue BlockArithmetic::convert(const BlockValue& given, Type from, Type to) {
  const BlockValue value = resolve(given);
  const bool is_number = !is_float(from) && !is_float(to);
  if (value.is_known() && holds(to, from)) return value;
  if (value.is_known() && is_number)
    return each(value, value, to, [&](std::int64_t a, std::int64_t) {
      return to == types::boolean ? static_cast<std::int64_t>(a != 0) : a;
    });
  if (value.kind == Kind::Uniform && is_number && is_integer(from) && is_integer(to)) return value;
  if (value.is_uniform())
    return named({of_convert + static_cast<std::int64_t>(to->scalar), key_of(value), 0, 0});
  return computed({value});
}

BlockValue BlockArithmetic::extremum(bool is_max, const BlockValue& first, const BlockValue& second) {
  const BlockValue left = resolve(first), right = resolve(second);
  for (const auto& [own, limit] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (!notes_ || own->lanes.empty() || !limit->is_one_number()) continue;
    // The value of the first thread tells the size: `max(n - 1 - i, 0)` is `n - 1` there.
    if (limit->is_assumed || own->is_assumed)
      note({LaunchUse::Kind::Limit, limit->is_assumed ? limit->number : own->lanes[0]});
  }
  if (left.is_known() && right.is_known())
    return each(left, right, types::error,
                [&](std::int64_t a, std::int64_t b) { return is_max ? std::max(a, b) : std::min(a, b); });
  if (left.is_uniform() && right.is_uniform())
    return named({of_extremum + (is_max ? 1 : 0), key_of(left), key_of(right), 0});
  return computed({left, right});
}

} // namespace kern
