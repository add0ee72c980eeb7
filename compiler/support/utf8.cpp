// Decoding is strict: what it accepts may be shown, compared and handed to JSON as it is.
#include "compiler/support/utf8.h"

namespace kern {

// Returns how many bytes a code point takes that begins with this byte; 0 where none begins so.
static std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

CodePoint decode_utf8(std::string_view text) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  constexpr unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = sequence_length(first);
  if (length == 0 || length > text.size()) return {first, 1, false};
  char32_t value = first & mask[length];
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_utf8_continuation(text[i])) return {first, 1, false};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < least[length] || value > 0x10FFFF || surrogate) return {first, 1, false};
  return {value, length, true};
}

void append_utf8(std::string& text, char32_t value) {
  auto append = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (value < 0x80) return append(value);
  if (value < 0x800) {
    append(0xC0 | value >> 6);
  } else {
    if (value < 0x10000) {
      append(0xE0 | value >> 12);
    } else {
      append(0xF0 | value >> 18);
      append(0x80 | (value >> 12 & 0x3F));
    }
    append(0x80 | (value >> 6 & 0x3F));
  }
  append(0x80 | (value & 0x3F));
}

std::string printable(std::string_view text, bool keep_lines) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    CodePoint point = decode_utf8(text.substr(at));
    std::string_view bytes = text.substr(at, point.length);
    at += point.length;
    bool turns =
        (point.value >= 0x202A && point.value <= 0x202E) || (point.value >= 0x2066 && point.value <= 0x2069);
    bool is_control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    bool stays = keep_lines && (point.value == '\n' || point.value == '\t');
    if (stays || (point.valid && !turns && !is_control))
      out += bytes;
    else if (point.valid && (point.value == '\n' || point.value == '\t' || point.value == '\r'))
      out += point.value == '\n' ? "\\n" : point.value == '\t' ? "\\t" : "\\r";
    else
      for (char byte : bytes)
        out += {'\\', 'x', digits[static_cast<unsigned char>(byte) >> 4], digits[byte & 15]};
  }
  return out;
}

} // namespace kern
