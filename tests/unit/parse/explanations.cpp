// The example of each row of lex.def, parse.def and of the front end's limits gives that row's code, and no
// other error.
#include <gtest/gtest.h>

#include "compiler/diagnostics/lex.h"
#include "compiler/diagnostics/limits.h"
#include "tests/unit/parse/parsed.h"

namespace kern {
namespace {

// Returns the text of the ```kern fail block; empty where there is none.
std::string example(std::string_view explanation) {
  constexpr std::string_view fence = "```kern fail\n";
  std::size_t begin = explanation.find(fence);
  if (begin == std::string_view::npos) return {};
  begin += fence.size();
  return std::string(explanation.substr(begin, explanation.find("```", begin) - begin));
}

bool is_of_front_end(const DiagnosticRow& row) {
  return row.code < "E0300" || row.name == diag::nesting_too_deep.name;
}

// No text can show these: a byte that is no UTF-8 cannot stand in the table, 16 MiB should not.
bool needs_no_example(const DiagnosticRow& row) { return row.name == diag::malformed_utf8.name; }

TEST(explanations, examples_give_their_code) {
  for (const DiagnosticRow* row : all_diagnostics()) {
    if (!is_of_front_end(*row) || needs_no_example(*row)) continue;
    std::string text = example(row->explanation);
    EXPECT_FALSE(text.empty()) << row->code;
    EXPECT_EQ(Parsed(text).codes(), std::string(row->code)) << text;
  }
}

} // namespace
} // namespace kern
