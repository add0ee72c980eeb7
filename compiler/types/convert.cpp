// Both dialects' rules as functions of two types; tests/unit/types goes through all pairs.
#include "compiler/types/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kern {

namespace {

int bits(Type type) { return bit_width(type->scalar); }

Type integer_of(bool with_sign, int width) {
  switch (width) {
  case 8: return with_sign ? types::i8 : types::u8;
  case 16: return with_sign ? types::i16 : types::u16;
  case 32: return with_sign ? types::i32 : types::u32;
  default: return with_sign ? types::i64 : types::u64;
  }
}

// Returns the smallest type that holds both.
std::optional<Type> join_integers(Type a, Type b) {
  if (is_signed(a) == is_signed(b)) return bits(a) >= bits(b) ? a : b;
  Type with_sign = is_signed(a) ? a : b, without = is_signed(a) ? b : a;
  if (bits(with_sign) > bits(without)) return with_sign;
  if (bits(without) == 64) return std::nullopt;
  return integer_of(true, 2 * bits(without));
}

Type join_floats(Type a, Type b) {
  if (bits(a) == bits(b)) return types::f32; // f16 and bf16: neither holds the other
  return bits(a) > bits(b) ? a : b;
}

Type join_complex(Type a, Type b) {
  Type other = is_complex(a) ? b : a;
  Type complex = is_complex(a) ? a : b;
  if (is_complex(other)) return bits(a) >= bits(b) ? a : b;
  return bits(other) > 32 ? types::c128 : complex;
}

// Joins a literal with a type that is no literal of its own kind.
std::optional<Type> join_literal(Type literal, Type other) {
  if (is_boolean(other)) return default_type(literal);
  if (is_complex(other)) return other;
  if (literal == types::complex_literal)
    return is_float(other) ? std::optional(complex_of(other)) : std::nullopt;
  if (is_float(other)) return other;
  if (is_integer(other) && literal == types::int_literal) return other;
  return std::nullopt;
}

std::optional<Type> join_arrays(Type a, Type b) {
  if (a->scalar != b->scalar || a->rank != b->rank || a->space != b->space) return std::nullopt;
  if (is_record_array(a) || is_record_array(b)) return std::nullopt;
  return a->layout == Layout::Any ? a : b;
}

bool is_number(Type type) { return is_scalar(type) || is_literal(type); }
bool agrees_with_all(Type type) { return type == types::error || type == types::unknown; }

} // namespace

bool is_word(Type type) { return type == types::u32 || type == types::u64; }

bool mixes_words(Type a, Type b) {
  auto has_sign = [](Type type) { return is_scalar(type) && is_integer(type) && is_signed(type); };
  return (is_word(a) && has_sign(b)) || (has_sign(a) && is_word(b));
}

std::optional<Type> join(Type a, Type b) {
  if (a == b) return a;
  if (a == types::error || b == types::error) return types::error;
  if (a == types::unknown) return b;
  if (b == types::unknown) return a;
  if (is_array(a) && is_array(b)) return join_arrays(a, b);
  if (!is_number(a) || !is_number(b)) return std::nullopt;
  if (is_literal(a) && is_literal(b))
    return is_complex(a) || is_complex(b) ? types::complex_literal : types::float_literal;
  if (is_literal(a)) return join_literal(a, b);
  if (is_literal(b)) return join_literal(b, a);
  if (is_boolean(a)) return b;
  if (is_boolean(b)) return a;
  if (is_integer(a) && is_integer(b)) return mixes_words(a, b) ? std::nullopt : join_integers(a, b);
  if (is_integer(a) || is_integer(b)) return std::nullopt;
  if (is_complex(a) || is_complex(b)) return join_complex(a, b);
  return join_floats(a, b);
}

std::optional<Type> join(Type a, Type b, TypeTable& table) {
  if (!is_tuple(a) || !is_tuple(b)) return join(a, b);
  if (a->elements.size() != b->elements.size()) return std::nullopt;
  std::vector<Type> elements;
  for (std::size_t i = 0; i < a->elements.size(); ++i) {
    std::optional<Type> element = join(a->elements[i], b->elements[i], table);
    if (!element) return std::nullopt;
    elements.push_back(*element);
  }
  return table.tuple(elements);
}

std::optional<Type> join_arithmetic(Type a, Type b) {
  if (is_boolean(a) && is_boolean(b)) return types::i64;
  return join(a, b);
}

bool converts(Type from, Type to) {
  if (agrees_with_all(from) || agrees_with_all(to)) return true;
  if (is_tuple(from) && is_tuple(to) && from->elements.size() == to->elements.size()) {
    for (std::size_t i = 0; i < from->elements.size(); ++i)
      if (!converts(from->elements[i], to->elements[i])) return false;
    return true;
  }
  return keeps_value(from, to) || join(from, to) == to;
}

WideInt least_value(ScalarKind kind) {
  return scalar_class(kind) == ScalarClass::Signed ? -(WideInt(1) << (bit_width(kind) - 1)) : 0;
}

WideInt greatest_value(ScalarKind kind) {
  int value_bits = bit_width(kind) - (scalar_class(kind) == ScalarClass::Signed ? 1 : 0);
  return (WideInt(1) << value_bits) - 1;
}

bool keeps_value(Type from, Type to) {
  return is_integer(from) && is_integer(to) && least_value(from->scalar) >= least_value(to->scalar) &&
         greatest_value(from->scalar) <= greatest_value(to->scalar);
}

// The greatest finite value of a float type, or of the parts of a complex type, and the least that rounds to infinity: half a unit
// in the last place beyond it.
struct FloatRange {
  double greatest, infinite;
};

static FloatRange range_of(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::F16: return {65504.0, 65520.0};
  case ScalarKind::BF16: return {0x1.FEp127, 0x1.FFp127};
  case ScalarKind::F32:
  case ScalarKind::C64: return {std::numeric_limits<float>::max(), 0x1.FFFFFFp127};
  case ScalarKind::Bool:
  case ScalarKind::I8:
  case ScalarKind::I16:
  case ScalarKind::I32:
  case ScalarKind::I64:
  case ScalarKind::U8:
  case ScalarKind::U16:
  case ScalarKind::U32:
  case ScalarKind::U64:
  case ScalarKind::F64:
  case ScalarKind::C128: break;
  }
  return {std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()};
}

double greatest_float(ScalarKind kind) { return range_of(kind).greatest; }

bool literal_fits(WideInt value, Type type) {
  if (is_literal(type) || agrees_with_all(type)) return true;
  if (is_integer(type)) return value >= least_value(type->scalar) && value <= greatest_value(type->scalar);
  if (!is_float(type) && !is_complex(type)) return false;
  return std::fabs(static_cast<double>(value)) < range_of(type->scalar).infinite;
}

bool literal_fits(double value, Type type) {
  if (type == types::float_literal || agrees_with_all(type)) return true;
  if (!is_scalar(type) || (!is_float(type) && !is_complex(type))) return false;
  if (!std::isfinite(value)) return true;
  return std::fabs(value) <= greatest_float(type->scalar) ||
         std::fabs(value) < range_of(type->scalar).infinite;
}

Type default_type(Type type) {
  if (type == types::int_literal) return types::i64;
  if (type == types::float_literal) return types::f64;
  if (type == types::complex_literal) return types::c128;
  return type;
}

// ---- The Numba dialect ----

// Returns the float type that an integer or bool joins a float of `float_bits` as.
static int float_bits_for(Type integer, int float_bits) {
  if (is_boolean(integer)) return float_bits;
  if (bits(integer) == 8) return float_bits;
  if (bits(integer) == 16) return std::max(float_bits, 32);
  return 64;
}

// Joins two number types of which at least one is a float or complex, as NumPy does.
static Type numba_join_floats(Type a, Type b) {
  if (is_float(a) && is_float(b)) return a == b ? a : join_floats(a, b);
  if (is_complex(a) && is_complex(b)) return join_complex(a, b);
  Type wide = is_complex(a) || (is_float(a) && !is_complex(b)) ? a : b;
  Type other = wide == a ? b : a;
  if (is_complex(wide)) {
    int part = is_float(other) ? bits(other) : float_bits_for(other, 32);
    return part == 64 ? types::c128 : wide;
  }
  int width = float_bits_for(other, bits(wide));
  if (width == bits(wide)) return wide;
  return width == 64 ? types::f64 : types::f32;
}

// Returns whatever needs no rule: equal types, errors, and nothing for what is no number.
static bool is_settled(Type a, Type b, std::optional<Type>& result) {
  if (agrees_with_all(a) || agrees_with_all(b) || !is_number(a) || !is_number(b)) {
    result = join(a, b);
    return true;
  }
  return false;
}

std::optional<Type> numba_join(Type a, Type b) {
  std::optional<Type> settled;
  if (is_settled(a, b, settled)) return settled;
  a = default_type(a);
  b = default_type(b);
  bool integers = !is_float(a) && !is_complex(a) && !is_float(b) && !is_complex(b);
  if (!integers) return numba_join_floats(a, b);
  bool has_unsigned_only = is_integer(a) && is_integer(b) && !is_signed(a) && !is_signed(b);
  bool bool_with_unsigned =
      (is_boolean(a) && is_integer(b) && !is_signed(b)) || (is_boolean(b) && is_integer(a) && !is_signed(a));
  return has_unsigned_only || bool_with_unsigned ? types::u64 : types::i64;
}

std::optional<Type> numba_divide(Type a, Type b) {
  std::optional<Type> joined = numba_join(a, b);
  if (joined && is_integer(*joined)) return types::f64;
  return joined;
}

Type numba_widen(Type type) {
  type = default_type(type);
  if (is_boolean(type)) return types::i64;
  if (is_integer(type)) return is_signed(type) ? types::i64 : types::u64;
  return type;
}

std::optional<Type> numba_power(Type a, Type b) {
  if (is_float(a) && is_integer(b)) return default_type(a);
  return numba_join(a, b);
}

std::optional<Type> numba_unify(Type a, Type b) {
  std::optional<Type> settled;
  if (is_settled(a, b, settled)) return settled;
  a = default_type(a);
  b = default_type(b);
  if (a == b) return a;
  if (is_boolean(a) && is_integer(b)) return b;
  if (is_boolean(b) && is_integer(a)) return a;
  if (!is_integer(a) || !is_integer(b)) return numba_join_floats(a, b);
  std::optional<Type> joined = join_integers(a, b);
  return joined ? *joined : types::f64;
}

} // namespace kern
