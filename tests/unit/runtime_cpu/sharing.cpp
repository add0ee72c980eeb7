// Whether launches of a kernel are shared, by what earlier ones took.
#include "runtime/cpu/sharing.h"

#include <gtest/gtest.h>

using namespace kern::cpu;

namespace {

// A launch that goes one way: what a block takes the launching thread, and the launch, in us.
struct Way {
  double own, time;
};

// Makes so many launches of two blocks on a machine where they take that; returns how many stayed alone.
int stay_alone(Sharing& sharing, int launches, Way shared, Way alone) {
  int count = 0;
  for (int i = 0; i < launches; ++i) {
    bool stays = sharing.begin(2) > 0;
    const Way& way = stays ? alone : shared;
    sharing.end(1'000 * way.own, 500 * way.time, 1'000 * way.time);
    count += stays;
  }
  return count;
}

TEST(Sharing, IsNotWorthItForAShortLaunch) {
  Sharing sharing;
  EXPECT_EQ(sharing.begin(2), 0.0); // nothing is known
  sharing.end(500, 500, 4'000);
  EXPECT_EQ(sharing.begin(9), 5'000.0);
  EXPECT_FALSE(sharing.is_careful());
  sharing.end(500, 5'000, 4'500);
  EXPECT_EQ(sharing.mean(), 5'000);
  EXPECT_EQ(sharing.begin(11), 0.0); // too long, or too uneven
  sharing.end(100, 5'001, 4'500);
  EXPECT_EQ(sharing.begin(9), 5'000.0);
  sharing.begin(10);
  EXPECT_TRUE(sharing.is_careful());
}

TEST(Sharing, IsNotForgottenWhereAShortLaunchTurnedOutLong) {
  Sharing sharing;
  auto launch = [&](double time) {
    sharing.begin(2);
    bool careful = sharing.is_careful();
    sharing.end(time / 2, time / 2, time);
    return careful;
  };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(launch(1'000));
  EXPECT_FALSE(launch(300'000'000));
  for (int i = 0; i < 3; ++i) launch(1'000);
  EXPECT_TRUE(launch(300'000'000));
  for (int i = 0; i < 100; ++i) launch(1'000);
  EXPECT_FALSE(launch(1'000));
}

TEST(Sharing, EndsWhereOthersOnlyFetchWhatIsHere) {
  Sharing sharing;
  EXPECT_LT(stay_alone(sharing, 2, {300, 500}, {0, 0}), 1); // from memory; then the first from the cache
  EXPECT_GE(stay_alone(sharing, 100, {15, 50}, {8.5, 17}), 90);
  EXPECT_GE(stay_alone(sharing, 1'000, {15, 50}, {8.5, 17}), 990);
  EXPECT_EQ(sharing.begin(2), 50'000.0); // given up after as long as it takes shared
  EXPECT_FALSE(sharing.is_careful());
}

TEST(Sharing, IsTriedWithCare) {
  Sharing sharing;
  stay_alone(sharing, 2, {15, 50}, {8.5, 17});
  EXPECT_GT(sharing.begin(2), 0.0);
  EXPECT_TRUE(sharing.is_careful());
}

TEST(Sharing, IsDoubtedWhereALaunchLeftAloneTurnedOutLong) {
  Sharing sharing;
  stay_alone(sharing, 1'000, {15, 50}, {8.5, 17});
  sharing.begin(2);
  sharing.end(8'500, 8'500, 501'000);
  sharing.begin(2);
  EXPECT_TRUE(sharing.is_careful());
}

TEST(Sharing, GoesOnWhereOthersHelp) {
  Sharing sharing;
  EXPECT_EQ(stay_alone(sharing, 1'000, {50, 52}, {50, 100}), 0);
}

TEST(Sharing, OfAFewMicrosecondsIsComparedAnyway) {
  Sharing sharing;
  EXPECT_GE(stay_alone(sharing, 1'000, {7, 8}, {3, 6}), 980);
  Sharing better;
  EXPECT_LE(stay_alone(better, 1'000, {7, 8}, {7, 14}), 10);
}

// The launching thread's block had nothing to do.
TEST(Sharing, IsSeldomDoubtedWhereThatWasAMistake) {
  Sharing sharing;
  int mistakes = stay_alone(sharing, 3'000, {10, 1'000}, {500, 2'000});
  EXPECT_GE(mistakes, 1);
  EXPECT_LE(mistakes, 20);
}

TEST(Sharing, ComesBackWhenItIsBetterAgain) {
  Sharing late;
  stay_alone(late, 1'000, {15, 50}, {8.5, 17});
  EXPECT_LT(stay_alone(late, 100, {15, 16}, {30, 66}), 15); // each time given up after 50 us
  Sharing sharing;
  stay_alone(sharing, 1'000, {15, 50}, {8.5, 17});
  EXPECT_LT(stay_alone(sharing, 100, {150, 160}, {150, 300}), 15); // slower than it ever was shared
  stay_alone(sharing, 1'000, {15, 50}, {8.5, 17});
  EXPECT_LT(stay_alone(sharing, 1'000, {7, 10}, {8.5, 17}), 300); // found at the next try
}

// Threads in each other's way: the launching thread's blocks take longer shared, too, than the launch has
// taken.
TEST(Sharing, StaysAwayFromWhatBecameWorseYet) {
  Sharing sharing;
  EXPECT_GE(stay_alone(sharing, 1'000, {40, 48}, {10, 20}), 980);
  EXPECT_GE(stay_alone(sharing, 1'000, {60, 72}, {10, 20}), 980);
}

// Thousands of blocks are worth sharing though two of them are not.
TEST(Sharing, IsComparedAnewForLaunchesOfAnotherSize) {
  Sharing sharing;
  stay_alone(sharing, 100, {15, 50}, {8.5, 17});
  EXPECT_GT(sharing.begin(4), 0.0);
  sharing.end(8'500, 8'500, 34'000);
  EXPECT_EQ(sharing.begin(1'000), 0.0);
  sharing.end(8'500, 8'500, 1'062'500);
  EXPECT_EQ(sharing.begin(1'100), 0.0);
  sharing.end(8'500, 8'500, 1'168'750);
  EXPECT_EQ(sharing.begin(2), 0.0);
}

} // namespace
