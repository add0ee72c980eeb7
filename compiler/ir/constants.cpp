// Constants as bits: integers sign- or zero-extended to 64 bits, floats as the bits of an f64, bool 0 or 1.
#include <bit>
#include <cassert>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Wraps a value to the width of an integer type and extends it to 64 bits again.
static std::uint64_t wrap(Type type, std::uint64_t value) {
  int unused = 64 - bit_width(type->scalar);
  if (is_signed(type))
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  return value << unused >> unused;
}

Operand constant_int(Type type, std::int64_t value) {
  assert(is_scalar(type));
  if (is_float(type)) return constant_float(type, static_cast<double>(value));
  if (is_boolean(type)) return constant_bool(value != 0);
  return {type, std::nullopt, wrap(type, static_cast<std::uint64_t>(value))};
}

Operand constant_float(Type type, double value) {
  assert(is_scalar(type) && is_float(type));
  if (type == types::f32) value = static_cast<float>(value);
  return {type, std::nullopt, std::bit_cast<std::uint64_t>(value)};
}

Operand constant_bool(bool value) { return {types::boolean, std::nullopt, value}; }

std::int64_t int_value(const Operand& constant) {
  assert(!constant.slot && !is_float(constant.type));
  return static_cast<std::int64_t>(constant.bits);
}

double float_value(const Operand& constant) {
  assert(!constant.slot && is_float(constant.type));
  return std::bit_cast<double>(constant.bits);
}

} // namespace kern::ir
