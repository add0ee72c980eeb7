#include "compiler/check/core/paths.h"

#include <gtest/gtest.h>

#include "compiler/check/core/value.h"

namespace kern::checker {
namespace {

void know(Paths& paths, Local& local) {
  local.now.known = std::make_unique<Value>(int_value(1, {}));
  paths.keep(local);
}

TEST(Paths, WhatABranchFindsOutEndsWithIt) {
  Paths paths;
  Local before, inside, deeper;
  know(paths, before);
  paths.branch([&] {
    EXPECT_TRUE(paths.is_conditional());
    know(paths, inside);
    paths.branch([&] { know(paths, deeper); });
    EXPECT_EQ(deeper.now.known, nullptr);
    EXPECT_NE(inside.now.known, nullptr);
  });
  EXPECT_FALSE(paths.is_conditional());
  EXPECT_NE(before.now.known, nullptr);
  EXPECT_EQ(inside.now.known, nullptr);
}

TEST(Paths, ADeletedNameIsGoneWhereEveryPathDeletedIt) {
  Paths paths;
  Local always, sometimes, again;
  const Span place{{}, 3, 6};
  paths.remove(always, place);
  paths.remove(again, place);
  paths.branch([&] {
    paths.remove(sometimes, place);
    EXPECT_EQ(paths.removed(sometimes), place);
    paths.restore(again);
  });
  EXPECT_EQ(paths.removed(always), place);
  EXPECT_EQ(paths.removed(sometimes), std::nullopt);
  EXPECT_EQ(paths.removed(again), std::nullopt);
}

TEST(Loops, TheNextLoopTakesTheFlag) {
  Loops loops;
  EXPECT_TRUE(loops.empty());
  loops.flag_next(ir::SlotId{7});
  const bool has_break = loops.inside(loops.take_flag(), [&] {
    EXPECT_EQ(loops.innermost().stop_flag, ir::SlotId{7});
    EXPECT_EQ(loops.take_flag(), std::nullopt);
    EXPECT_FALSE(loops.inside(std::nullopt, [] {}));
    loops.innermost().has_break = true;
  });
  EXPECT_TRUE(has_break);
  EXPECT_TRUE(loops.empty());
}

} // namespace
} // namespace kern::checker
