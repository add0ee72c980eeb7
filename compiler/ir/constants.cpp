// Constants as bits: integers sign- or zero-extended to 64 bits, floats as the bits of an f64, bool 0 or 1.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Wraps a value to the width of an integer type and extends it to 64 bits again.
static std::uint64_t wrap(Type type, std::uint64_t value) {
  int unused = 64 - bit_width(type->scalar);
  if (is_signed(type))
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  return value << unused >> unused;
}

// Rounds to nearest even among the numbers that have so many bits of precision and at least this exponent,
// and to infinity beyond them.
static double round_to(double value, int precision, int least_exponent, double greatest) {
  if (value == 0 || !std::isfinite(value)) return value;
  int unit = std::max(std::ilogb(value), least_exponent) - (precision - 1);
  double result = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::fabs(result) <= greatest ? result
                                       : std::copysign(std::numeric_limits<double>::infinity(), value);
}

double round_to_type(Type type, double value) {
  if (type == types::f16) return round_to(value, 11, -14, 65504.0);
  if (type == types::bf16) return round_to(value, 8, -126, 0x1.FEp127);
  return type == types::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

Operand constant_int(Type type, std::int64_t value) {
  assert(is_scalar(type));
  if (is_float(type)) return constant_float(type, static_cast<double>(value));
  if (is_boolean(type)) return constant_bool(value != 0);
  return {type, std::nullopt, wrap(type, static_cast<std::uint64_t>(value))};
}

Operand constant_float(Type type, double value) {
  assert(is_scalar(type) && is_float(type));
  return {type, std::nullopt, std::bit_cast<std::uint64_t>(round_to_type(type, value))};
}

Operand constant_bool(bool value) { return {types::boolean, std::nullopt, value}; }

Operand constant_complex(Type type, double real, double imag) {
  assert(is_scalar(type) && is_complex(type));
  Type part = part_type(type);
  return {type, std::nullopt, std::bit_cast<std::uint64_t>(round_to_type(part, real)),
          std::bit_cast<std::uint64_t>(round_to_type(part, imag))};
}

Operand part_of(const Operand& constant, int part) {
  assert(!constant.slot && is_complex(constant.type));
  return {part_type(constant.type), std::nullopt, part == 0 ? constant.bits : constant.imag};
}

std::int64_t int_value(const Operand& constant) {
  assert(!constant.slot && !is_float(constant.type));
  return static_cast<std::int64_t>(constant.bits);
}

double float_value(const Operand& constant) {
  assert(!constant.slot && is_float(constant.type));
  return std::bit_cast<double>(constant.bits);
}

} // namespace kern::ir
