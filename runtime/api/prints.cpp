// A ring is untrusted: a site that does not print, or another number of arguments, is skipped.
#include "runtime/api/prints.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "runtime/cpu/record.h"

namespace kern::runtime {

template <class T> static T bits_as(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// Shortest that reads back the same, with a point: 2.0, 0.1, inf. A NaN shows no sign: processors differ in
// it.
template <class T> static std::string real_text(T value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

static float half_value(std::uint16_t bits) {
  int exponent = bits >> 10 & 31;
  float fraction = static_cast<float>(bits & 1023) / 1024;
  float value = exponent == 0    ? std::ldexp(fraction, -14)
                : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                 : std::ldexp(1 + fraction, exponent - 15);
  return bits >> 15 ? -value : value;
}

static std::string value_text(const std::string& type, std::uint64_t word) {
  if (type == "bool") return word & 0xff ? "True" : "False";
  if (type == "i8") return std::to_string(bits_as<std::int8_t>(word));
  if (type == "i16") return std::to_string(bits_as<std::int16_t>(word));
  if (type == "i32") return std::to_string(bits_as<std::int32_t>(word));
  if (type == "i64") return std::to_string(bits_as<std::int64_t>(word));
  if (type == "u8") return std::to_string(bits_as<std::uint8_t>(word));
  if (type == "u16") return std::to_string(bits_as<std::uint16_t>(word));
  if (type == "u32") return std::to_string(bits_as<std::uint32_t>(word));
  if (type == "u64") return std::to_string(word);
  if (type == "f16") return real_text(half_value(bits_as<std::uint16_t>(word)));
  if (type == "bf16") return real_text(bits_as<float>((word & 0xffff) << 16));
  if (type == "f32") return real_text(bits_as<float>(word));
  if (type == "f64") return real_text(bits_as<double>(word));
  return "?";
}

std::string printed_text(const Manifest& manifest, const kern_print_ring& ring) {
  std::string text;
  bool whole = cpu::drain(ring, [&](std::uint32_t site, std::span<const std::uint64_t> args) {
    for (const ManifestPrint& print : manifest.prints) {
      if (print.site != site || print.types.size() != args.size()) continue;
      for (std::size_t i = 0; i < std::max(print.texts.size(), args.size()); ++i) {
        if (i < print.texts.size()) text += print.texts[i];
        if (i < args.size()) text += value_text(print.types[i], args[i]);
      }
      text += '\n';
    }
  });
  if (!whole) text += "(more was printed than there is room for: the rest is lost)\n";
  return text;
}

} // namespace kern::runtime
