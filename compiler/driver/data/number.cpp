// Numbers of every scalar type: in memory, as text, and from text. Half and bfloat16 are converted here by
// hand, with rounding to nearest even, so that no compiler support for them is needed.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/driver/data/array.h"
#include "compiler/types/convert.h"

namespace kern {

template <class T> static T read(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}
template <class T> static void write(void* place, T value) { std::memcpy(place, &value, sizeof value); }

static float half_to_float(std::uint16_t half) {
  int exponent = half >> 10 & 31;
  float fraction = static_cast<float>(half & 1023);
  float magnitude = exponent == 31  ? (half & 1023 ? std::numeric_limits<float>::quiet_NaN() : INFINITY)
                    : exponent == 0 ? std::ldexp(fraction, -24)
                                    : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

static std::uint16_t float_to_half(double value) {
  std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), -14) : -14;
  auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A denormal has units below 1024; rounding up to 2048 carries into the exponent, as it should.
  return static_cast<std::uint16_t>(sign + (static_cast<unsigned>(exponent + 14) << 10) + units);
}

static std::uint16_t float_to_bfloat(double value) {
  if (std::isnan(value)) return 0x7fc0;
  auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static Number real(double value) { return {Number::Kind::Real, 0, value, 0}; }
static Number whole(std::int64_t value) { return {Number::Kind::Signed, value, 0, 0}; }

Number load_number(ScalarKind kind, const void* place) {
  switch (kind) {
  case ScalarKind::Bool: return whole(read<std::uint8_t>(place) != 0);
  case ScalarKind::I8: return whole(read<std::int8_t>(place));
  case ScalarKind::I16: return whole(read<std::int16_t>(place));
  case ScalarKind::I32: return whole(read<std::int32_t>(place));
  case ScalarKind::I64: return whole(read<std::int64_t>(place));
  case ScalarKind::U8: return whole(read<std::uint8_t>(place));
  case ScalarKind::U16: return whole(read<std::uint16_t>(place));
  case ScalarKind::U32: return whole(read<std::uint32_t>(place));
  case ScalarKind::U64: return {Number::Kind::Unsigned, read<std::int64_t>(place), 0, 0};
  case ScalarKind::F16: return real(half_to_float(read<std::uint16_t>(place)));
  case ScalarKind::BF16: return real(std::bit_cast<float>(std::uint32_t(read<std::uint16_t>(place)) << 16));
  case ScalarKind::F32: return real(read<float>(place));
  case ScalarKind::F64: return real(read<double>(place));
  case ScalarKind::C64:
    return {Number::Kind::Complex, 0, read<float>(place), read<float>(static_cast<const char*>(place) + 4)};
  case ScalarKind::C128:
    return {Number::Kind::Complex, 0, read<double>(place), read<double>(static_cast<const char*>(place) + 8)};
  }
  return {};
}

// The number as a whole one, where it is one.
static std::optional<WideInt> as_whole(const Number& number) {
  switch (number.kind) {
  case Number::Kind::Signed: return number.integer;
  case Number::Kind::Unsigned: return static_cast<std::uint64_t>(number.integer);
  case Number::Kind::Real:
    if (std::trunc(number.real) != number.real || std::fabs(number.real) > 0x1p64) return std::nullopt;
    return static_cast<WideInt>(number.real);
  case Number::Kind::Complex: return std::nullopt;
  }
  return std::nullopt;
}

static double component(const Number& number) {
  switch (number.kind) {
  case Number::Kind::Signed: return static_cast<double>(number.integer);
  case Number::Kind::Unsigned: return static_cast<double>(static_cast<std::uint64_t>(number.integer));
  case Number::Kind::Real:
  case Number::Kind::Complex: return number.real;
  }
  return 0;
}

static bool store_integer(ScalarKind kind, void* place, const Number& number) {
  std::optional<WideInt> value = as_whole(number);
  if (!value || *value < least_value(kind) || *value > greatest_value(kind)) return false;
  auto bits = static_cast<std::uint64_t>(*value);
  std::memcpy(place, &bits,
              static_cast<std::size_t>(bit_width(kind)) / 8); // little-endian, as every target is
  return true;
}

bool store_number(ScalarKind kind, void* place, const Number& number) {
  if (number.kind == Number::Kind::Complex && scalar_class(kind) != ScalarClass::Complex) return false;
  double value = component(number);
  bool inexact = scalar_class(kind) == ScalarClass::Float || scalar_class(kind) == ScalarClass::Complex;
  Type type = types::scalar(kind);
  if (inexact && !(literal_fits(value, type) && literal_fits(number.imaginary, type))) return false;
  switch (kind) {
  case ScalarKind::Bool:
    if (value != 0 && value != 1) return false;
    write<std::uint8_t>(place, value != 0);
    return true;
  case ScalarKind::I8:
  case ScalarKind::I16:
  case ScalarKind::I32:
  case ScalarKind::I64:
  case ScalarKind::U8:
  case ScalarKind::U16:
  case ScalarKind::U32:
  case ScalarKind::U64: return store_integer(kind, place, number);
  case ScalarKind::F16: write(place, float_to_half(value)); return true;
  case ScalarKind::BF16: write(place, float_to_bfloat(value)); return true;
  case ScalarKind::F32: write(place, static_cast<float>(value)); return true;
  case ScalarKind::F64: write(place, value); return true;
  case ScalarKind::C64:
    write(place, static_cast<float>(value));
    write(static_cast<char*>(place) + 4, static_cast<float>(number.imaginary));
    return true;
  case ScalarKind::C128:
    write(place, value);
    write(static_cast<char*>(place) + 8, number.imaginary);
    return true;
  }
  return false;
}

double as_real(const Number& number) {
  if (number.kind == Number::Kind::Complex) return std::hypot(number.real, number.imaginary);
  return component(number);
}

// The shortest text that reads back as the same value of the type.
static std::string float_text(double value, bool single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string to_string(const Number& number, ScalarKind kind) {
  if (kind == ScalarKind::Bool) return number.integer ? "True" : "False";
  bool single = bit_width(kind) <= 32 || kind == ScalarKind::C64;
  switch (number.kind) {
  case Number::Kind::Signed: return fmt::format("{}", number.integer);
  case Number::Kind::Unsigned: return fmt::format("{}", static_cast<std::uint64_t>(number.integer));
  case Number::Kind::Real: return float_text(number.real, single);
  case Number::Kind::Complex: {
    std::string imaginary = float_text(number.imaginary, single);
    return float_text(number.real, single) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
  }
  }
  return "";
}

std::string_view name_of(ScalarKind kind) {
  switch (kind) {
#define SCALAR(Kind, Short, Long, Class, Bits)                                                               \
  case ScalarKind::Kind: return Short;
#include "compiler/types/scalars.def"
  }
  return "";
}

static std::string without_underscores(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c != '_') digits += c;
  return digits;
}

static std::optional<Number> parse_integer(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
  if (text.starts_with("0o") || text.starts_with("0O")) base = 8;
  if (base != 10) text.remove_prefix(2);
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (negative && value > std::uint64_t(1) << 63) return std::nullopt;
  if (negative) return whole(static_cast<std::int64_t>(-value));
  if (value >> 63) return Number{Number::Kind::Unsigned, static_cast<std::int64_t>(value), 0, 0};
  return whole(static_cast<std::int64_t>(value));
}

static std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // Too small reads as zero; what is too large is told from a written infinity below.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  if (error != std::errc()) return std::nullopt;
  return value;
}

static std::optional<Number> parse_complex(std::string_view text) {
  if (!text.ends_with('j')) return std::nullopt;
  text.remove_suffix(1);
  // The sign between the parts is the last one that does not belong to an exponent.
  std::size_t split = std::string_view::npos;
  for (std::size_t i = text.size(); i-- > 1;)
    if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'E') {
      split = i;
      break;
    }
  std::string_view first = split == std::string_view::npos ? "0" : text.substr(0, split);
  std::string_view second = split == std::string_view::npos ? text : text.substr(split);
  std::optional<double> re = parse_real(first), im = parse_real(second);
  if (!re || !im) return std::nullopt;
  return Number{Number::Kind::Complex, 0, *re, *im};
}

static bool is_too_large(const Number& number, std::string_view text) {
  bool infinite = std::isinf(number.real) || std::isinf(number.imaginary);
  return infinite && text.find_first_of("iI") == std::string_view::npos;
}

Result<Number> parse_number(std::string_view text) {
  if (text == "True" || text == "true") return whole(1);
  if (text == "False" || text == "false") return whole(0);
  std::string digits = without_underscores(text);
  if (std::optional<Number> number = parse_integer(digits)) return *number;
  std::optional<Number> number;
  if (std::optional<double> value = parse_real(digits)) number = real(*value);
  if (!number) number = parse_complex(digits);
  if (number && is_too_large(*number, digits))
    return failure("`{}` is too large for a float; write `inf` where that is meant", text);
  if (number) return *number;
  return failure("`{}` is no number", text);
}

} // namespace kern
