// UTF-8 in both directions, and what is none.
#include <gtest/gtest.h>

#include "compiler/support/utf8.h"

namespace kern {
namespace {

TEST(utf8, round_trips) {
  for (char32_t value : {U'a', U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xFFFD', U'\x10000', U'\x10FFFF'}) {
    std::string text;
    append_utf8(text, value);
    CodePoint point = decode_utf8(text + "x");
    EXPECT_TRUE(point.valid);
    EXPECT_EQ(point.value, value);
    EXPECT_EQ(point.length, text.size());
  }
}

TEST(utf8, malformed_bytes_stand_alone) {
  for (std::string_view text : {"\x80", "\xC0\x80", "\xC3", "\xC3(", "\xE0\x80\x80", "\xED\xA0\x80",
                                "\xF4\x90\x80\x80", "\xF0\x9F\x98", "\xFF"}) {
    EXPECT_FALSE(decode_utf8(text).valid) << text;
    EXPECT_EQ(decode_utf8(text).length, 1u);
  }
}

TEST(utf8, counts_code_points) { EXPECT_EQ(count_code_points("aé漢😀"), 4u); }

} // namespace
} // namespace kern
