// The little of UTF-8 that positions and identifiers need.
#pragma once

#include <cstddef>
#include <string_view>

namespace kern {

// Says whether a byte continues a code point begun before it.
inline bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Counts the code points of UTF-8 text; a malformed byte counts as one.
inline std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (char byte : text) count += !is_utf8_continuation(byte);
  return count;
}

} // namespace kern
