// How a launch is divided among threads: turns are long enough to be worth it, and short enough that all
// threads end at about the same time.
#include "runtime/cpu/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace kern::cpu;

namespace {

// Runs parts that take these times on so many threads, of which each begins `delay` after the one before;
// returns when the last one ends. The last launch told the mean of its parts, `expected`.
double end_of_launch(const std::vector<double>& times, unsigned threads, double delay, double expected) {
  struct Thread {
    double now = 0, busy = 0;
    std::uint64_t parts = 0;
  };
  std::vector<Thread> runners(threads);
  for (unsigned i = 0; i < threads; ++i) runners[i].now = delay * i;
  Progress progress;
  progress.total = times.size();
  progress.threads = threads;
  progress.expected = expected;
  double end = 0;
  while (progress.taken < progress.total) {
    Thread& next = *std::ranges::min_element(runners, {}, &Thread::now);
    progress.own = next.parts > 0 ? next.busy / static_cast<double>(next.parts) : 0;
    std::uint64_t count = std::min(parts_of_turn(progress), progress.total - progress.taken);
    auto first = times.begin() + static_cast<std::ptrdiff_t>(progress.taken);
    double taken = std::accumulate(first, first + static_cast<std::ptrdiff_t>(count), 0.0);
    progress.taken += count;
    next.parts += count;
    next.busy += taken;
    next.now += taken;
    end = std::max(end, next.now);
  }
  return end;
}

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

TEST(Turns, FillTheirTime) {
  Progress progress;
  progress.total = 1'000'000;
  EXPECT_EQ(parts_of_turn(progress), 1u); // nothing is known
  progress.own = 1'000;
  EXPECT_EQ(parts_of_turn(progress), 250u);
  progress.own = 1e9;
  EXPECT_EQ(parts_of_turn(progress), 1u);
}

TEST(Turns, AreShortAtTheEndButWorthTheirWhile) {
  Progress progress;
  progress.total = 1'000;
  progress.threads = 5;
  progress.own = progress.expected = 300;
  EXPECT_EQ(parts_of_turn(progress), 100u);
  progress.taken = 900;
  EXPECT_EQ(parts_of_turn(progress), 10u);
  progress.taken = 999;
  EXPECT_EQ(parts_of_turn(progress), 4u); // 1 us
  progress.follows_rows = true;
  EXPECT_EQ(parts_of_turn(progress), 7u); // 2 us
}

TEST(Turns, AreNoShorterThanACallIsBest) {
  Progress progress;
  progress.total = 100;
  progress.threads = 2;
  progress.least = 7;
  EXPECT_EQ(parts_of_turn(progress), 7u);
  progress.own = progress.expected = 1e9;
  EXPECT_EQ(parts_of_turn(progress), 7u);
  progress.own = progress.expected = 5'000;
  EXPECT_EQ(parts_of_turn(progress), 25u);
}

TEST(Turns, AreNoLongerThanIsAllowed) {
  Progress progress;
  progress.total = 1'000;
  progress.own = 1;
  progress.most = 100;
  EXPECT_EQ(parts_of_turn(progress), 100u);
  progress.least = 200; // a call is best so
  EXPECT_EQ(parts_of_turn(progress), 200u);
}

TEST(Turns, OfBlocksThatGoAbreastAreTheSameForAllThreads) {
  auto blocks = [](std::uint64_t threads_in_call, std::uint32_t in_grid, std::uint32_t threads_in_block,
                   unsigned threads) {
    Launch launch;
    launch.threads_in_call = threads_in_call;
    launch.grid[0] = in_grid;
    launch.block[0] = threads_in_block;
    return blocks_of_turn(launch, threads);
  };
  EXPECT_EQ(blocks(0, 100, 256, 2), 1u);
  EXPECT_EQ(blocks(4096, 2, 256, 2), 1u);
  EXPECT_EQ(blocks(4096, 32, 256, 2), 16u);
  EXPECT_EQ(blocks(4096, 48, 256, 2), 12u); // twice each, not two and one
  EXPECT_EQ(blocks(4096, 100, 1024, 8), 4u);
  EXPECT_EQ(blocks(512, 100, 1024, 8), 1u);
  Launch huge;
  huge.threads_in_call = 4096;
  huge.grid[0] = 0x7fffffff, huge.grid[1] = huge.grid[2] = 65535;
  EXPECT_LE(blocks_of_turn(huge, 1024), 4096u);
}

// The rows of a picture of the Mandelbrot set: short at the edges, long in the middle.
TEST(Turns, LetThreadsEndTogetherThoughPartsAreUneven) {
  std::vector<double> times;
  for (int row = 0; row < 80; ++row) {
    int from_edge = std::min(row, 79 - row);
    times.push_back(from_edge < 10 ? 60 : from_edge < 20 ? 1'200 : 3'000);
  }
  double longest = std::ranges::max(times);
  for (unsigned threads : {2u, 4u, 8u, 16u})
    for (double delay : {0.0, 500.0}) {
      double share = mean(times) * 80 / threads + delay * threads / 2;
      EXPECT_LT(end_of_launch(times, threads, delay, mean(times)), share + longest)
          << threads << ' ' << delay;
    }
}

TEST(Turns, ExpectNothingOfALaunchThatWasNotLikeIt) {
  std::vector<double> times(200, 2'000.0);
  for (double expected : {0.0, 5.0, 1e6})
    EXPECT_LT(end_of_launch(times, 8, 500, expected), 8 * 500 + 1.1 * 200 / 8 * 2'000) << expected;
}

TEST(Turns, EndWithRowsOfBlocks) {
  EXPECT_EQ(end_of_turn(0, 5, 7), 7u);
  EXPECT_EQ(end_of_turn(0, 10, 7), 7u);
  EXPECT_EQ(end_of_turn(0, 11, 7), 14u);
  EXPECT_EQ(end_of_turn(6, 4, 7), 7u); // at least to the end of the row begun
  EXPECT_EQ(end_of_turn(8, 5, 7), 14u);
  EXPECT_EQ(end_of_turn(0, 2, 7), 2u); // rows that are much longer
  EXPECT_EQ(end_of_turn(40, 20, 500), 60u);
}

} // namespace
