// Which lints run: those some of whose warnings are wanted, in the order of their table.
#include "compiler/lint/lint.h"

#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::Linted;

using Names = std::vector<std::string_view>;

// Returns the lints that run where some warnings are off.
Names lints_without(std::vector<std::string> disabled) {
  return Linted("@kernel\ndef k(x: f32[:]):\n    x[0] = 1.0\n", {{}, std::move(disabled), {}}).ran;
}

TEST(Lint, RunsAllInTheOrderOfTheTable) {
  const Names all = {
#define LINT(Name, ...) #Name,
#include "compiler/lint/lints.def"
  };
  EXPECT_EQ(lints_without({}), all);
}

TEST(Lint, DoesNotRunOneThatIsOff) {
  const Names all = lints_without({});
  for (const auto& [warning, name] : {std::pair{"shuffle", "shuffles"},
                                      {"rounded_cast", "rounded_casts"},
                                      {"unset", "unset"},
                                      {"partial_warp", "partial_warps"}}) {
    Names rest = all;
    std::erase(rest, name);
    EXPECT_EQ(rest.size() + 1, all.size()) << name;
    EXPECT_EQ(lints_without({warning}), rest) << warning;
  }
}

TEST(Lint, RunsOneAsLongAsItMayReportSomething) {
  const Names all = lints_without({});
  EXPECT_EQ(lints_without({"shared_race", "unstored_shared"}), all);
  Names rest = all;
  std::erase(rest, "shared_races");
  EXPECT_EQ(lints_without({"shared_race", "lost_update", "unstored_shared"}), rest);
  EXPECT_EQ(lints_without({"shared_race", "lost_update", "unstored_shared", "race", "neighbour_load"}), rest);
  EXPECT_EQ(lints_without({"shared_race", "lost_update", "unstored_shared", "coalesce"}), rest);
  std::erase(rest, "accesses");
  EXPECT_EQ(
      lints_without({"shared_race", "lost_update", "unstored_shared", "race", "neighbour_load", "coalesce"}),
      rest);
}

TEST(Lint, LeavesToNumbaWhatItMeans) {
  Names rest = lints_without({});
  std::erase(rest, "rounded_casts");
  EXPECT_EQ(
      Linted("from numba import cuda\n@cuda.jit('void(f4[:])')\ndef k(x):\n    x[0] = 1.0\n", {}, "test.py")
          .ran,
      rest);
}

} // namespace
} // namespace kern
