// The example of each row of types.def, names.def and of the checker's limits gives that row's code, and no
// other error. Examples with options or imports are the driver's to try (tests/unit/driver).
#include <gtest/gtest.h>

#include "tests/unit/check/checked.h"

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

TEST(Explanations, ExamplesGiveTheirCode) {
  for (const DiagnosticRow* row : all_diagnostics()) {
    bool is_ours =
        (row->code >= "E0301" && row->code < "E0450") || (row->code >= "E0510" && row->code < "E0550");
    std::string text = example(row->explanation);
    bool is_elsewhere = text.find("# options:") != text.npos || text.find("import") != text.npos;
    if (!is_ours || text.empty() || is_elsewhere) continue;
    bool numba = text.starts_with("# dialect: numba");
    Checked checked(text, {}, numba ? "test.py" : "test.kern");
    EXPECT_EQ(checked.codes(), std::string(row->code)) << text << checked.rendered();
  }
}

} // namespace
} // namespace kern
