#include "compiler/support/split.h"

#include <gmock/gmock.h>

namespace kern {
namespace {

using testing::ElementsAre;

TEST(Split, TakesTheOutermostCommasAndNoSpaces) {
  EXPECT_THAT(split_at_commas("a, (b, c)[:, 2] ,d"), ElementsAre("a", "(b, c)[:, 2]", "d"));
  EXPECT_THAT(split_at_commas(""), ElementsAre(""));
  EXPECT_THAT(split_at_commas("a,"), ElementsAre("a", ""));
  EXPECT_THAT(split_at_commas(",,"), ElementsAre("", "", ""));
  EXPECT_THAT(split_at_commas("((a,)"), ElementsAre("((a,)"));
}

TEST(Split, TrimsSpacesAtTheEndsOnly) {
  EXPECT_EQ(trimmed("  f, (a, b)  "), "f, (a, b)");
  EXPECT_EQ(trimmed("   "), "");
}

} // namespace
} // namespace kern
