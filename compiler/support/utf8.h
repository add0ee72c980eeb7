// The little of UTF-8 that positions and identifiers need.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kern {

// Says whether a byte continues a code point begun before it.
inline bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Counts the code points of UTF-8 text; a malformed byte counts as one. Eight bytes at a time: each place of
// a long line counts what is before it.
inline std::size_t count_code_points(std::string_view text) {
  std::size_t count = text.size();
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    count -= static_cast<std::size_t>(std::popcount(word >> 7 & ~(word >> 6) & 0x0101010101010101));
  }
  for (char byte : text) count -= is_utf8_continuation(byte);
  return count;
}

// A code point and the bytes it takes; `valid` is false for a byte that begins none, which takes one byte.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;
  bool valid = false;
};

// Decodes the first code point of a text that is not empty. Surrogates and overlong forms are malformed.
CodePoint decode_utf8(std::string_view text);

// Appends a code point, which must be no surrogate and at most 0x10FFFF.
void append_utf8(std::string& text, char32_t value);

// Returns text as a terminal can show it: control characters, marks that turn the direction of writing, and
// bytes that are no UTF-8 are written as escapes, "\\x1b" and "\\n". `keep_lines` leaves line breaks and tabs
// alone.
std::string printable(std::string_view text, bool keep_lines = false);

} // namespace kern
