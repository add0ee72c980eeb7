// How a launch is divided among threads: turns are long enough to be worth it, and short enough that all
// threads end at about the same time.
#include "runtime/cpu/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/cpu/pool.h"

using namespace kern::cpu;

namespace {

// Without operations, nothing is known of the launch.
Launch flat(std::uint32_t blocks, std::uint32_t threads, double operations = 0, std::uint32_t lanes = 16) {
  Launch launch;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.operations = operations;
  launch.is_known = operations > 0;
  launch.lanes = lanes;
  return launch;
}

unsigned threads_of(const Launch& launch, unsigned threads = 16) {
  return schedule_of(launch, threads).threads;
}

// Returns how many parts each turn has.
std::vector<std::uint64_t> turns_of(const Schedule& schedule) {
  std::vector<std::uint64_t> turns;
  for (std::uint64_t first = 0; first < schedule.total;) {
    std::uint64_t end = end_of_turn(schedule, first);
    EXPECT_GT(end, first);
    if (end <= first) break;
    turns.push_back(end - first);
    first = end;
  }
  return turns;
}

// Runs parts that take these times on so many threads, of which each begins `delay` after the one before;
// returns when the last one ends.
double end_of_launch(const std::vector<double>& times, unsigned threads, double delay) {
  Schedule schedule = schedule_of(flat(static_cast<std::uint32_t>(times.size()), 1), threads);
  std::vector<double> now(threads);
  for (unsigned i = 0; i < threads; ++i) now[i] = delay * i;
  double end = 0;
  for (std::uint64_t first = 0; first < schedule.total;) {
    double& next = *std::ranges::min_element(now);
    std::uint64_t last = end_of_turn(schedule, first);
    for (; first < last; ++first) next += times[first];
    end = std::max(end, next);
  }
  return end;
}

// Where blocks wait for those before them, a thread that had many would keep all others waiting.
TEST(Schedule, GivesBlocksThatWaitOneByOne) {
  for (double operations : {0.0, 1.0, 1e6}) {
    Launch launch = flat(10'000, 64, operations);
    launch.waits = true;
    const std::vector<std::uint64_t> turns = turns_of(schedule_of(launch, 16));
    EXPECT_TRUE(std::ranges::all_of(turns, [](std::uint64_t turn) { return turn == 1; })) << operations;
  }
}

TEST(Schedule, LeavesLittleWorkWithTheLaunchingThread) {
  Schedule small = schedule_of(flat(12, 256, 6), 16);
  EXPECT_EQ(small.threads, 1u);
  EXPECT_EQ(turns_of(small), std::vector<std::uint64_t>{12});
  EXPECT_EQ(threads_of(flat(1, 1024, 6)), 1u);
  EXPECT_EQ(threads_of(flat(2048, 256, 100)), 16u);
}

// More work is never worth fewer threads, and each of them has a share.
TEST(Schedule, AsksAsManyAsTheWorkIsWorth) {
  unsigned last = 1;
  for (double operations = 1; operations < 1e6; operations *= 1.3) {
    unsigned threads = threads_of(flat(64, 256, operations));
    EXPECT_GE(threads, last) << operations;
    last = threads;
  }
  EXPECT_EQ(last, 16u);
  EXPECT_EQ(threads_of(flat(64, 256, 1e6), 3), 3u);
  EXPECT_EQ(threads_of(flat(2, 256, 1e6)), 2u); // a part each
  EXPECT_EQ(threads_of(flat(64, 256, 200)), threads_of(flat(64, 256, 400, 32)));
}

// Arrays that the launching thread has in its cache must be worth fetching from there.
TEST(Schedule, LeavesArraysThatFitACacheWhereTheyAre) {
  auto of_bytes = [](double bytes, double operations) {
    Launch launch = flat(static_cast<std::uint32_t>(bytes / 1024), 256, operations);
    launch.array_bytes = bytes;
    return threads_of(launch);
  };
  EXPECT_EQ(of_bytes(1 << 20, 5), 1u);
  EXPECT_EQ(of_bytes(1 << 20, 500), 16u);
  EXPECT_EQ(of_bytes(64 << 20, 5), 16u);
}

// A launch over a few elements of large arrays is a small one.
TEST(Schedule, CountsNoMoreBytesThanALaunchCanTouch) {
  Launch launch = flat(1, 256, 5);
  launch.array_bytes = 1e9;
  launch.grid[0] = 2;
  EXPECT_EQ(threads_of(launch), 1u);
}

TEST(Schedule, AsksEverybodyWhereNothingIsKnown) {
  EXPECT_EQ(threads_of(flat(20, 1)), 16u);
  EXPECT_EQ(threads_of(flat(1, 1024)), 1u); // of one block
  EXPECT_EQ(threads_of(flat(100, 1), 1), 1u);
}

TEST(Schedule, GivesTurnsThatAreWorthIt) {
  auto expect_each = [](const Schedule& schedule, std::uint64_t least) {
    std::vector<std::uint64_t> turns = turns_of(schedule);
    for (std::size_t i = 0; i + 1 < turns.size(); ++i)
      EXPECT_GE(turns[i], least); // the last has what is left
  };
  expect_each(schedule_of(flat(5120, 256, 20), 16), 10); // of 100 ns
  Launch rows = flat(1, 16, 200);
  rows.grid[1] = 4000;
  rows.follows_rows = true;
  expect_each(schedule_of(rows, 16), 25);
}

// A solid of narrow rows is worth threads for its rows, however little each of its threads does.
TEST(Schedule, CountsTheRowsThatCallsGoAlong) {
  Launch solid = flat(1, 256, 2);
  solid.grid[1] = 6;
  solid.grid[2] = 50;
  EXPECT_EQ(schedule_of(solid, 16).threads, 1u);
  solid.follows_rows = true;
  EXPECT_GT(schedule_of(solid, 16).threads, 1u);
}

// A kernel that is watched or stopped is heard of after each.
TEST(Schedule, GivesNoTurnThatTakesLong) {
  for (unsigned threads : {1U, 16U}) {
    EXPECT_LE(std::ranges::max(turns_of(schedule_of(flat(1'000'000, 256, 6), threads))), 9'000u);
    EXPECT_LE(std::ranges::max(turns_of(schedule_of(flat(100'000, 256), threads))), 256u);
    EXPECT_LE(std::ranges::max(turns_of(schedule_of(flat(1000, 1024, 65535), threads))), 1u);
  }
}

TEST(Schedule, EndsInShortTurns) {
  std::vector<std::uint64_t> turns = turns_of(schedule_of(flat(10'000, 1), 5));
  EXPECT_EQ(turns.front(), 500u);
  EXPECT_EQ(turns.back(), 1u);
  EXPECT_TRUE(std::ranges::is_sorted(turns, std::greater()));
}

TEST(Schedule, GivesBlocksThatGoAbreastToAllThreadsAlike) {
  auto blocks = [](std::uint64_t threads_in_call, std::uint32_t in_grid, std::uint32_t threads_in_block,
                   unsigned threads) {
    Launch launch = flat(in_grid, threads_in_block);
    launch.threads_in_call = threads_in_call;
    return schedule_of(launch, threads).least;
  };
  EXPECT_EQ(blocks(0, 100, 256, 2), 1u);
  EXPECT_EQ(blocks(4096, 2, 256, 2), 1u);
  EXPECT_EQ(blocks(4096, 32, 256, 2), 16u);
  EXPECT_EQ(blocks(4096, 48, 256, 2), 12u); // twice each, not two and one
  EXPECT_EQ(blocks(4096, 100, 1024, 8), 4u);
  EXPECT_EQ(blocks(512, 100, 1024, 8), 1u);
  Launch huge = flat(0x7fffffff, 1);
  huge.threads_in_call = 4096;
  huge.grid[1] = huge.grid[2] = 65535;
  EXPECT_LE(schedule_of(huge, 1024).least, 4096u);
}

TEST(Schedule, SplitsBlocksWhereTheyAreFewAndMayBeSplit) {
  auto rows = [](std::uint32_t blocks, std::uint32_t rows, double operations, unsigned threads,
                 bool independent = true) {
    Launch launch = flat(blocks, 16, operations);
    launch.block[1] = rows;
    launch.independent_rows = independent;
    return schedule_of(launch, threads).rows;
  };
  EXPECT_EQ(rows(1, 100, 0, 2), 7u);
  EXPECT_EQ(rows(5, 100, 0, 2), 25u);
  EXPECT_EQ(rows(16, 100, 0, 2), 100u);
  EXPECT_EQ(rows(1, 3, 0, 2), 1u);
  EXPECT_EQ(rows(1, 100, 0, 2, false), 100u);
  EXPECT_EQ(rows(1, 100, 0, 1), 100u);
  EXPECT_EQ(rows(1, 100, 6, 16), 100u);   // too little
  EXPECT_EQ(rows(1, 100, 2'000, 16), 2u); // 60 us in parts of 1
  EXPECT_EQ(rows(1, 100, 50'000, 16), 1u);
}

// The rows of a picture of the Mandelbrot set: short at the edges, long in the middle.
TEST(Schedule, LetsThreadsEndTogetherThoughPartsAreUneven) {
  std::vector<double> times;
  for (int row = 0; row < 80; ++row) {
    int from_edge = std::min(row, 79 - row);
    times.push_back(from_edge < 10 ? 60 : from_edge < 20 ? 1'200 : 3'000);
  }
  double longest = std::ranges::max(times), sum = std::accumulate(times.begin(), times.end(), 0.0);
  for (unsigned threads : {2u, 4u, 8u, 16u})
    for (double delay : {0.0, 500.0}) {
      double share = sum / threads + delay * threads / 2;
      EXPECT_LT(end_of_launch(times, threads, delay), share + longest) << threads << ' ' << delay;
    }
}

TEST(Schedule, EndsTurnsWithRowsOfBlocks) {
  Launch launch = flat(7, 16, 100);
  launch.grid[1] = 400;
  launch.follows_rows = true;
  Schedule schedule = schedule_of(launch, 4);
  for (std::uint64_t first = 0; first < schedule.total; first = end_of_turn(schedule, first))
    EXPECT_EQ(first % 7, 0u);
  EXPECT_EQ(end_of_turn(schedule, 6) % 7, 0u);
  launch.grid[0] = 5000; // much longer ones
  schedule = schedule_of(launch, 4);
  EXPECT_NE(end_of_turn(schedule, 1'999'000) % 5000, 0u);
}

// Whatever the launch: turns ascend, none is empty, and together they are all parts.
TEST(Schedule, CoversEveryLaunch) {
  std::mt19937_64 random(1);
  auto up_to = [&](std::uint64_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
  for (int i = 0; i < 2'000; ++i) {
    Launch launch = flat(up_to(i % 2 ? 50 : 3000), up_to(1024), i % 3 ? up_to(65535) : 0, up_to(32));
    launch.array_bytes = i % 2 ? 0 : up_to(1 << 30);
    launch.grid[1] = up_to(20), launch.block[1] = up_to(30), launch.block[2] = up_to(3);
    launch.independent_rows = i % 5 < 3;
    launch.follows_rows = i % 7 < 3;
    launch.threads_in_call = i % 4 ? 0 : up_to(5000);
    Schedule schedule = schedule_of(launch, up_to(1024));
    ASSERT_EQ(schedule.total, count_blocks(launch) * schedule.parts);
    ASSERT_GE(std::uint64_t(schedule.rows) * schedule.parts, launch.block[1]);
    ASSERT_LT(std::uint64_t(schedule.rows) * (schedule.parts - 1), launch.block[1]);
    std::vector<std::uint64_t> turns = turns_of(schedule);
    ASSERT_EQ(std::accumulate(turns.begin(), turns.end(), std::uint64_t{0}), schedule.total);
    ASSERT_TRUE(schedule.threads > 1 || turns.size() == 1 || schedule.most < schedule.total);
    ASSERT_LE(schedule.threads, schedule.total);
  }
  Launch huge = flat(0x7fffffff, 1024, 65535);
  huge.grid[1] = huge.grid[2] = 65535;
  Schedule schedule = schedule_of(huge, 1024);
  EXPECT_EQ(schedule.total, count_blocks(huge));
  EXPECT_EQ(end_of_turn(schedule, schedule.total - 1), schedule.total);
}

} // namespace
