// The builtins whose result is defined to the last bit. Of f32 they are computed in f32 where that is not the
// rounded result of doubles.
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/values/fold.h"

namespace kern::values {

namespace {

using Args = std::span<const ir::Operand>;

// The bits of an integer without what extends them to 64.
std::uint64_t low_bits(const ir::Operand& value) {
  return value.bits & (~std::uint64_t{0} >> (64 - bit_width(value.type->scalar)));
}

std::uint64_t reversed(std::uint64_t bits, int width) {
  std::uint64_t result = 0;
  for (int bit = 0; bit < width; ++bit) result |= ((bits >> bit) & 1) << (width - 1 - bit);
  return result;
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

std::uint64_t funnel(std::uint64_t high, std::uint64_t low, std::uint64_t count, int width) {
  auto by = static_cast<int>(count % static_cast<unsigned>(width));
  return by == 0 ? high : high << by | low >> (width - by);
}

std::uint64_t high_product(const ir::Operand& x, const ir::Operand& y, int width) {
  if (is_signed(x.type)) {
    WideInt product = WideInt(ir::int_value(x)) * WideInt(ir::int_value(y));
    return static_cast<std::uint64_t>(product >> width);
  }
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(x.bits) * y.bits >> width);
}

// How the floats of a type are stored: the sign, the exponent, the bits behind the point.
struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
};

FloatFormat format_of(Type type) {
  if (type == types::f16) return {5, 10};
  if (type == types::bf16) return {8, 7};
  return type == types::f32 ? FloatFormat{8, 23} : FloatFormat{11, 52};
}

// Returns the bits in its own format of a number that a type has.
std::uint64_t stored_bits(Type type, double value) {
  auto [exponent_bits, fraction_bits] = format_of(type);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t sign = bits >> 63 << (exponent_bits + fraction_bits);
  std::uint64_t greatest = (std::uint64_t{1} << exponent_bits) - 1;
  if (!std::isfinite(value))
    return sign | greatest << fraction_bits | (bits & (~std::uint64_t{0} >> 12)) >> (52 - fraction_bits);
  int bias = static_cast<int>(greatest / 2);
  double magnitude = std::fabs(value);
  int exponent = magnitude == 0 ? -bias : std::max(std::ilogb(magnitude), 1 - bias);
  // The leading bit of a denormal is not set, and its exponent is as if it were.
  auto units = static_cast<std::uint64_t>(std::ldexp(magnitude, fraction_bits - exponent));
  bool is_normal = units >> fraction_bits != 0;
  std::uint64_t biased = is_normal ? static_cast<std::uint64_t>(exponent + bias) : 0;
  return sign | biased << fraction_bits | (units & ((std::uint64_t{1} << fraction_bits) - 1));
}

double real_of_bits(Type type, std::uint64_t bits) {
  auto [exponent_bits, fraction_bits] = format_of(type);
  std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  std::uint64_t greatest = (std::uint64_t{1} << exponent_bits) - 1;
  std::uint64_t exponent = bits >> fraction_bits & greatest;
  std::uint64_t sign = bits >> (exponent_bits + fraction_bits) & 1;
  if (exponent == greatest)
    return std::bit_cast<double>(sign << 63 | std::uint64_t{0x7FF} << 52 | fraction << (52 - fraction_bits));
  int bias = static_cast<int>(greatest / 2);
  std::uint64_t units = exponent == 0 ? fraction : fraction | std::uint64_t{1} << fraction_bits;
  int power = static_cast<int>(std::max<std::uint64_t>(exponent, 1)) - bias - fraction_bits;
  double magnitude = std::ldexp(static_cast<double>(units), power);
  return sign != 0 ? -magnitude : magnitude;
}

bool makes_float(Builtin builtin) {
  return builtin == Builtin::F16FromBits || builtin == Builtin::BF16FromBits ||
         builtin == Builtin::F32FromBits || builtin == Builtin::F64FromBits;
}

// A NaN that constants do not keep to the bit is left to the code.
std::optional<ir::Operand> float_from_bits(Type type, std::uint64_t bits) {
  ir::Operand result = ir::constant_float(type, real_of_bits(type, bits));
  return stored_bits(type, ir::float_value(result)) == bits ? std::optional(result) : std::nullopt;
}

std::optional<ir::Operand> fold_integer(Builtin builtin, Type result, Args args) {
  const ir::Operand& x = args[0];
  int width = bit_width(x.type->scalar);
  std::uint64_t bits = low_bits(x);
  auto number = [&](auto value) { return wrapped(result, static_cast<std::uint64_t>(value)); };
  bool is_less = is_signed(x.type) && args.size() > 1 ? ir::int_value(x) < ir::int_value(args[1])
                                                      : args.size() > 1 && x.bits < args[1].bits;
  if (makes_float(builtin)) return float_from_bits(result, bits);
  switch (builtin) {
  case Builtin::Bits: return number(bits);
  case Builtin::Mulhi: return number(high_product(x, args[1], width));
  case Builtin::Popc: return number(std::popcount(bits));
  case Builtin::Clz: return number(std::countl_zero(bits) - (64 - width));
  case Builtin::Ffs: return number(bits == 0 ? 0 : std::countr_zero(bits) + 1);
  case Builtin::Brev: return number(reversed(bits, width));
  case Builtin::Fshl: return number(funnel(bits, low_bits(args[1]), low_bits(args[2]), width));
  case Builtin::Abs: return number(is_signed(x.type) && ir::int_value(x) < 0 ? 0 - x.bits : x.bits);
  case Builtin::Min: return is_less ? x : args[1];
  case Builtin::Max: return is_less ? args[1] : x;
  case Builtin::IntegerPower:
    return number(is_signed(x.type) && ir::int_value(args[1]) < 0 ? 0 : power(x.bits, args[1].bits));
  default: return std::nullopt;
  }
}

std::optional<double> real_of_one(Builtin builtin, double x, bool is_f32) {
  switch (builtin) {
  case Builtin::Abs:
  case Builtin::Fabs: return std::fabs(x);
  case Builtin::Floor: return std::floor(x);
  case Builtin::Ceil: return std::ceil(x);
  case Builtin::Trunc: return std::trunc(x);
  case Builtin::Rint:
  case Builtin::RoundEven: return std::nearbyint(x);
  case Builtin::Sqrt: return is_f32 ? static_cast<double>(std::sqrt(static_cast<float>(x))) : std::sqrt(x);
  case Builtin::ModfFraction:
    return std::isinf(x) ? std::copysign(0.0, x) : std::copysign(x - std::trunc(x), x);
  default: return std::nullopt;
  }
}

std::optional<double> real_of_two(Builtin builtin, double x, double y) {
  switch (builtin) {
  case Builtin::Min: return extreme(false, x, y);
  case Builtin::Max: return extreme(true, x, y);
  case Builtin::Copysign: return std::copysign(x, y);
  case Builtin::Fmod: return std::fmod(x, y);
  case Builtin::Remainder: return std::remainder(x, y);
  default: return std::nullopt;
  }
}

std::optional<ir::Operand> fold_real(Builtin builtin, Type result, Args args) {
  double x = ir::float_value(args[0]);
  if (builtin == Builtin::Bits) return wrapped(result, stored_bits(args[0].type, x));
  if (builtin == Builtin::IsNan) return ir::constant_bool(std::isnan(x));
  if (builtin == Builtin::IsInf) return ir::constant_bool(std::isinf(x));
  if (builtin == Builtin::IsFinite) return ir::constant_bool(std::isfinite(x));
  std::optional<double> value = args.size() == 1   ? real_of_one(builtin, x, args[0].type == types::f32)
                                : args.size() == 2 ? real_of_two(builtin, x, ir::float_value(args[1]))
                                                   : std::nullopt;
  return value && is_float(result) ? std::optional(ir::constant_float(result, *value)) : std::nullopt;
}

} // namespace

std::optional<ir::Operand> fold_builtin(Builtin builtin, Type result, Args args) {
  if (args.empty()) return std::nullopt;
  for (const ir::Operand& arg : args) {
    bool fits = !arg.slot && is_scalar(arg.type) && arg.type == args[0].type;
    if (!fits || is_boolean(arg.type) || is_complex(arg.type)) return std::nullopt;
  }
  return is_float(args[0].type) ? fold_real(builtin, result, args) : fold_integer(builtin, result, args);
}

} // namespace kern::values
