// Tests the values of literals.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/lex/literals.h"

namespace kern {
namespace {

TEST(literals, integers) {
  EXPECT_EQ(int_value("0"), 0u);
  EXPECT_EQ(int_value("1_000"), 1000u);
  EXPECT_EQ(int_value("0xFf"), 255u);
  EXPECT_EQ(int_value("0x_ff"), 255u);
  EXPECT_EQ(int_value("0o17"), 15u);
  EXPECT_EQ(int_value("0B1_01"), 5u);
  EXPECT_EQ(int_value("00_0"), 0u);
  EXPECT_EQ(int_value("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(int_value("18446744073709551616"), std::nullopt);
  EXPECT_EQ(int_value("0x1_0000_0000_0000_0000"), std::nullopt);
}

TEST(literals, floats) {
  EXPECT_EQ(float_value("1."), 1.0);
  EXPECT_EQ(float_value(".5"), 0.5);
  EXPECT_EQ(float_value("1_0.2_5e-1_0"), 10.25e-10);
  EXPECT_EQ(float_value("1e400"), INFINITY);
  EXPECT_EQ(float_value("1e-400"), 0.0);
}

TEST(literals, strings) {
  struct Row {
    std::string_view token, text;
  };
  const Row rows[] = {
      {"'a'", "a"},
      {R"("")", ""},
      {R"('a\n\t\\\'\"\a\0')", std::string_view("a\n\t\\'\"\a\0", 8)},
      {R"('\x41\101\u00e9\U0001F600')", "AA\u00e9\U0001F600"},
      {R"('\d\é')", "\\d\\é"},
      {R"(r'\n\'')", "\\n\\'"},
      {"'''a\r\nb\rc'''", "a\nb\nc"},
      {"'a\\\n b'", "a b"},
      {"u\"é\"", "é"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(string_value(row.token).text, row.text) << row.token;
    EXPECT_EQ(string_value(row.token).problem, "") << row.token;
  }
}

TEST(literals, malformed_escapes_say_where) {
  for (std::string_view token :
       {R"('ab\x4')", R"('ab\u123')", R"('ab\uD800')", R"('ab\U00110000')", R"('ab\N{DASH}')"}) {
    EXPECT_NE(string_value(token).problem, "") << token;
    EXPECT_EQ(string_value(token).problem_begin, 3u) << token;
  }
  EXPECT_NE(string_value("'\xFF'").problem, "");
}

} // namespace
} // namespace kern
