// The builtins whose result is defined to the last bit. Of f32 they are computed in f32 where that is not the
// rounded result of doubles.
#include <bit>
#include <cmath>

#include "compiler/check/fold.h"

namespace kern::checker {

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

std::optional<ir::Operand> fold_integer(Builtin builtin, Type result, Args args) {
  const ir::Operand& x = args[0];
  int width = bit_width(x.type->scalar);
  std::uint64_t bits = low_bits(x);
  auto number = [&](auto value) { return wrapped(result, static_cast<std::uint64_t>(value)); };
  bool is_less = is_signed(x.type) && args.size() > 1 ? ir::int_value(x) < ir::int_value(args[1])
                                                      : args.size() > 1 && x.bits < args[1].bits;
  switch (builtin) {
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

} // namespace kern::checker
