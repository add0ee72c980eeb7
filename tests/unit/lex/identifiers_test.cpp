// Which characters make names.
#include <gtest/gtest.h>

#include "compiler/lex/identifiers.h"

namespace kern {
namespace {

TEST(identifiers, letters_begin_names) {
  for (char32_t value : U"aZ_éßΩжאا漢あ한𝒳ªµ") {
    if (value == 0) continue;
    EXPECT_TRUE(is_name_start(value)) << static_cast<unsigned>(value);
    EXPECT_TRUE(is_name_continue(value)) << static_cast<unsigned>(value);
  }
}

TEST(identifiers, digits_and_marks_go_on_with_names) {
  for (char32_t value : {U'0', U'9', U'\u0301', U'\u0663', U'\u00B7'}) {
    EXPECT_FALSE(is_name_start(value)) << static_cast<unsigned>(value);
    EXPECT_TRUE(is_name_continue(value)) << static_cast<unsigned>(value);
  }
}

TEST(identifiers, symbols_make_none) {
  for (char32_t value : U" -$@\u00A0×÷“”–…→−≤　（：😀\uFEFF\uE000\u200B")
    EXPECT_FALSE(is_name_continue(value)) << static_cast<unsigned>(value);
}

} // namespace
} // namespace kern
