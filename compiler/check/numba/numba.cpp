// What Numba computes otherwise than the IR does, composed of operations of the IR; later phases do not know the dialect. The order of
// the tests matters little: where an operand is constant they fold away.
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/numba/type_values.h"
#include "compiler/values/arithmetic.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace kern::checker {

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

ir::Operand number(Type type, std::int64_t value) { return ir::constant_int(type, value); }

bool has_32_bits_or_less(Type type) { return bit_width(type->scalar) < 64; }

ir::Operand divide_floats(Checker& checker, ir::BinaryOp op, ir::Operand left, ir::Operand right, Span span) {
  Type type = right.type;
  ir::Operand infinity = ir::constant_float(type, std::numeric_limits<double>::infinity());
  ir::Operand size = checker.pure(Builtin::Abs, type, {right}, span);
  ir::Operand is_infinite = checker.compare(ir::CompareOp::Equal, size, infinity, span);
  ir::Operand nan = ir::constant_float(type, std::numeric_limits<double>::quiet_NaN());
  if (!is_infinite.slot && is_infinite.bits != 0) return nan;
  return checker.select(is_infinite, nan, checker.binary(op, left, right, span), span);
}

} // namespace

// Returns x // y or x % y: NaN where a float is divided by infinity; 0 for the least i64 divided by -1, which
// is tested for where `may_wrap`.
static ir::Operand divide(Checker& checker, ir::BinaryOp op, ir::Operand left, ir::Operand right,
                          bool may_wrap, Span span) {
  if (is_float(left.type)) return divide_floats(checker, op, left, right, span);
  ir::Operand result = checker.binary(op, left, right, span);
  if (!may_wrap || op != ir::BinaryOp::FloorDivide || left.type != types::i64) return result;
  ir::Operand is_least = checker.compare(ir::CompareOp::Equal, left, number(types::i64, least), span);
  ir::Operand turns = checker.compare(ir::CompareOp::Equal, right, number(types::i64, -1), span);
  ir::Operand wraps = checker.binary(ir::BinaryOp::BitAnd, is_least, turns, span);
  return checker.select(wraps, number(types::i64, 0), result, span);
}

// Returns what an atomic max or min takes in place of `value`: where that is NaN, the number that changes no
// element. What another atomic takes is the value.
static ir::Operand atomic_value(Checker& checker, Builtin atomic, ir::Operand value, Span span) {
  const bool is_max = atomic == Builtin::AtomicMax;
  if (!is_float(value.type) || (!is_max && atomic != Builtin::AtomicMin)) return value;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ir::Operand neutral = ir::constant_float(value.type, is_max ? -infinity : infinity);
  ir::Operand is_nan = checker.compare(ir::CompareOp::NotEqual, value, value, span);
  return checker.select(is_nan, neutral, value, span);
}

// ---- Powers ----

static constexpr std::int64_t as_integer_up_to = 0x10000;

// Raises an integer to a negative power.
static ir::Operand inverse_power(Checker& checker, ir::Operand base, ir::Operand exponent, Span span) {
  auto is = [&](std::int64_t value) {
    return checker.compare(ir::CompareOp::Equal, base, number(types::i64, value), span);
  };
  ir::Operand zero = number(types::i64, 0), one = number(types::i64, 1);
  ir::Operand odd =
      cast(checker, checker.binary(ir::BinaryOp::BitAnd, exponent, one, span), types::boolean, span);
  ir::Operand result = checker.select(odd, number(types::i64, -1), one, span);
  result = checker.select(is(-1), result, zero, span);
  result = checker.select(is(1), one, result, span);
  return checker.select(is(0), number(types::i64, least), result, span);
}

static ir::Operand power_as_float(Checker& checker, ir::Operand base, ir::Operand exponent, Span span) {
  ir::Operand x = cast(checker, base, types::f64, span), y = cast(checker, exponent, types::f64, span);
  return cast(checker, checker.pure(Builtin::MathPow, types::f64, {x, y}, span), base.type, span);
}

// Returns x ** y of integers of 64 bits: it wraps, but exponents beyond 65536 are computed as floats, and
// saturate. A negative one gives 0 but for 1, -1, and 0, which gives the least i64.
static Value integer_power(Checker& checker, ir::Operand base, const Value& exponent, Span span) {
  Type type = base.type;
  ir::Operand power = convert(checker, exponent, type, Purpose::Operand);
  ir::Operand large = checker.compare(ir::CompareOp::Greater, power, number(type, as_integer_up_to), span);
  if (!large.slot && large.bits != 0) return runtime_value(power_as_float(checker, base, power, span), span);
  auto small = [&] {
    ir::Operand result = checker.pure(Builtin::IntegerPower, type, {base, power}, span);
    if (!is_signed(type) || is_nonnegative(exponent)) return runtime_value(result, span);
    ir::Operand negative = checker.compare(ir::CompareOp::Less, power, number(type, 0), span);
    if (!negative.slot && negative.bits == 0) return runtime_value(result, span);
    ir::Operand inverse = inverse_power(checker, base, power, span);
    return runtime_value(checker.select(negative, inverse, result, span), span);
  };
  bool is_small = most_bits(exponent) <= static_cast<std::uint64_t>(as_integer_up_to);
  if (!large.slot || is_small) return small();
  return merge(
      checker, span, large, [&] { return runtime_value(power_as_float(checker, base, power, span), span); },
      small);
}

// ---- Ranges ----

namespace {

// How Numba converts an argument to i32, i64 and u64, better first.
enum Conversion : std::uint8_t { Exact, Promote, Safe, Unsafe };
using Conversions = std::array<Conversion, 3>;

Conversions conversions_of(Type type) {
  if (type == types::i64) return {Unsafe, Exact, Unsafe};
  if (type == types::u64) return {Unsafe, Unsafe, Exact};
  if (type == types::i32) return {Exact, Promote, Unsafe};
  if (type == types::u32) return {Unsafe, Safe, Promote};
  if (is_boolean(type)) return {Safe, Safe, Safe};
  if (!is_integer(type)) return {Unsafe, Unsafe, Unsafe};
  return is_signed(type) ? Conversions{Promote, Promote, Unsafe} : Conversions{Safe, Safe, Promote};
}

} // namespace

// Returns the type of the numbers of a range: i32, i64 or u64, whichever its arguments convert to best.
static Type range_type(Checker& checker, const Value& range) {
  constexpr std::array<Type, 3> choices = {types::i32, types::i64, types::u64};
  std::array<std::tuple<int, int, int>, 3> costs{}; // unsafe, safe, promoted
  for (const Value& part : range.elements) {
    // A part that is not written out fits any type.
    if (is_literal(part) && part.span == range.span) continue;
    Conversions conversions = conversions_of(default_type(type_of(checker, part).value_or(types::i64)));
    for (std::size_t i = 0; i < choices.size(); ++i) {
      std::get<0>(costs[i]) += conversions[i] == Unsafe;
      std::get<1>(costs[i]) += conversions[i] == Safe;
      std::get<2>(costs[i]) += conversions[i] == Promote;
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (costs[i] < costs[best]) best = i;
  return choices[best];
}

// ---- Builtins ----

// An integer whose type is known; that of a literal is.
static bool is_known_integer(const Value& value) {
  return is_number(value) && is_integer(value.type) && (is_scalar(value.type) || is_literal(value));
}

static Type own_type(const Value& value) {
  bool wide = is_int_literal(value) && !literal_fits(value.integer, types::i64);
  return wide ? types::u64 : default_type(value.type);
}

// Returns the type that Numba gives the result of a builtin; nothing where it is Kern's.
static std::optional<Type> result(Builtin builtin, const std::vector<Value>& args) {
  bool votes =
      builtin == Builtin::BallotSync || builtin == Builtin::MatchAnySync || builtin == Builtin::MatchAllMask;
  if (votes) return types::i32;
  if (builtin == Builtin::ActiveMask || builtin == Builtin::LanemaskLt) return types::u32;
  if (args.empty()) return std::nullopt;
  const Value& first = args[0];
  bool counts = builtin == Builtin::Popc || builtin == Builtin::Clz || builtin == Builtin::Ffs;
  if (counts && is_known_integer(first)) {
    if (builtin == Builtin::Ffs) return has_32_bits_or_less(own_type(first)) ? types::u32 : types::u64;
    return own_type(first);
  }
  if (builtin == Builtin::MathPow && args.size() == 2 && first.type == types::f32) {
    Type exponent = is_known_integer(args[1]) ? own_type(args[1]) : types::i64;
    bool narrow = has_32_bits_or_less(exponent) && exponent != types::u32;
    if (narrow) return types::f32;
  }
  return std::nullopt;
}

// Returns the arguments of a builtin as Numba converts them, where that is another rule than Kern's.
static std::vector<Value> arguments(Checker& checker, Builtin builtin, std::vector<Value> args) {
  if (args.empty()) return args;
  Value& first = args[0];
  bool words = (builtin == Builtin::Brev || builtin == Builtin::Ffs) && is_known_integer(first);
  if (words)
    first = convert_value(checker, first, has_32_bits_or_less(own_type(first)) ? types::u32 : types::u64,
                          Purpose::Argument);
  if (builtin == Builtin::Abs && is_number(first) && is_boolean(first.type))
    first = convert_value(checker, first, types::i8, Purpose::Argument);
  bool power = builtin == Builtin::MathPow && args.size() == 2 && result(builtin, args);
  if (power)
    for (Value& arg : args) arg = convert_value(checker, arg, types::f64, Purpose::Argument);
  return args;
}

// Numba takes fmin and fmax for two floats alone. Its other min and max are Python's: the first of those that no other goes
// before, so that a NaN stays where it is the first and loses where it is not.
static bool compares_in_turn(const std::vector<Value>& args, Type type) {
  auto is_whole = [](const Value& value) { return !is_float(own_type(value)); };
  return is_float(type) && (args.size() > 2 || std::ranges::any_of(args, is_whole));
}

// ---- Operators ----

// Returns the type in which an operator computes; nothing where it has no meaning for the two.
static std::optional<Type> operator_type(ast::BinaryOp op, const Value& first, const Value& second) {
  Type left = first.type, right = second.type;
  if (is_bitwise(op)) {
    if (is_boolean(left) && is_boolean(right)) return types::boolean;
    if (!is_integral(left) || !is_integral(right)) return std::nullopt;
  }
  if (is_shift(op)) {
    if (!is_integral(left) || !is_integral(right)) return std::nullopt;
    return numba_widen(left);
  }
  if (op == ast::BinaryOp::Divide) return numba_divide(left, right);
  return numba_join(left, right);
}

static std::optional<Type> comparison_type(const Value& left, const Value& right) {
  return numba_join(left.type, right.type);
}

// -x and ~x are computed in the type of x, which is then widened; ~x of a bool is `not x`.
static Value unary_and_widen(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  if (op == ast::UnaryOp::Positive) {
    Type wide = numba_widen(operand.type);
    return convert_value(checker, operand, is_boolean(wide) ? types::i64 : wide, Purpose::Operand);
  }
  bool inverts = op == ast::UnaryOp::Invert;
  ir::Operand value = as_operand(checker, operand);
  if (inverts && is_boolean(value.type))
    return runtime_value(checker.unary(ir::UnaryOp::Not, value, span), span);
  if (is_boolean(value.type)) value = cast(checker, value, types::i64, span);
  ir::Operand result = checker.unary(inverts ? ir::UnaryOp::BitNot : ir::UnaryOp::Negate, value, span);
  return runtime_value(cast(checker, result, numba_widen(value.type), span), span);
}

// Converts a float to an integer as NVIDIA's instructions do: saturating, 8 bits by way of 16 of which the
// upper ones are dropped; NaN becomes the bit of the sign where the float or the integer has 64 bits, else 0.
static ir::Operand float_to_integer(Checker& checker, ir::Operand value, Type type, Span span) {
  int width = bit_width(type->scalar);
  if (width == 8) {
    Type wide = is_signed(type) ? types::i16 : types::u16;
    return checker.plain_cast(checker.plain_cast(value, wide, span), type, span);
  }
  ir::Operand result = checker.plain_cast(value, type, span);
  if (width < 64 && value.type != types::f64) return result;
  ir::Operand is_nan = checker.compare(ir::CompareOp::NotEqual, value, value, span);
  ir::Operand sign = ir::constant_int(type, static_cast<std::int64_t>(std::uint64_t{1} << (width - 1)));
  return checker.select(is_nan, sign, result, span);
}

const DialectFunctions numba_functions{
    .join = numba_unify,
    .operator_type = operator_type,
    .comparison_type = comparison_type,
    .compare_types = compare_types,
    .integer_unary = unary_and_widen,
    .integer_arithmetic = nullptr,
    .divide = divide,
    .integer_power = integer_power,
    .float_to_integer = float_to_integer,
    .range_type = range_type,
    .builtin_arguments = arguments,
    .builtin_result = result,
    .atomic_value = atomic_value,
    .compares_in_turn = compares_in_turn,
};

} // namespace kern::checker
