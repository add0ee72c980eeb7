// Tests that the reports of several threads come together in one list.
#include <gtest/gtest.h>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/diagnostics/lex.h"
#include "compiler/support/limits.h"

namespace kern {
namespace {

Diagnostics errors(std::size_t count, const std::string& text) {
  Diagnostics list;
  for (std::size_t i = 0; i < count; ++i)
    list.report(std::nullopt, diag::unexpected_character, text).note("of {}", text);
  return list;
}

TEST(append, keeps_order_and_notes) {
  Diagnostics all = errors(1, "a");
  all.append(errors(2, "b"));
  all.append(Diagnostics());
  ASSERT_EQ(all.all().size(), 3U);
  EXPECT_EQ(all.error_count(), 3U);
  EXPECT_EQ(all.all()[0].notes[0].text, "of a");
  EXPECT_EQ(all.all()[2].notes[0].text, "of b");
}

TEST(append, counts_errors_beyond_the_limit_and_keeps_none_of_them) {
  Diagnostics all = errors(limits::errors - 1, "a");
  all.append(errors(limits::errors + 1, "b"));
  EXPECT_EQ(all.all().size(), limits::errors);
  EXPECT_EQ(all.error_count(), 2 * limits::errors);
}

} // namespace
} // namespace kern
