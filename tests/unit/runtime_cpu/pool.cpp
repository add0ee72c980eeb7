// The pool: every block runs once, in ascending order on one thread, from several launching threads; faults
// keep the lowest block.
#include "runtime/cpu/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cpu/record.h"

using namespace kern::cpu;

namespace {

struct Params {
  std::atomic<std::uint32_t>* counts;
  std::vector<std::uint64_t>* order;
  kern_launch_record* record;
};

// An entry that calls `Block` for each block of a call, as compiled ones do.
template <kern_cpu_entry Block> void each_block(const void* params, const kern_where* where, void* scratch) {
  kern_where one = *where;
  for (std::uint32_t i = 0; i < where->blocks; ++i, ++one.block[0]) Block(params, &one, scratch);
}

std::uint64_t linear(const kern_where& where) {
  return where.block[0] +
         std::uint64_t(where.grid[0]) * (where.block[1] + std::uint64_t(where.grid[1]) * where.block[2]);
}

void count_block(const void* params, const kern_where* where, void*) {
  static_cast<const Params*>(params)->counts[linear(*where)].fetch_add(1);
}

void note_order(const void* params, const kern_where* where, void*) {
  static_cast<const Params*>(params)->order->push_back(linear(*where));
}

void fault_twice(const void* params, const kern_where* where, void*) {
  kern_fault_record fault{};
  for (int axis = 0; axis < 3; ++axis) fault.block[axis] = where->block[axis];
  if (linear(*where) < 3) return;
  kern_launch_record* record = static_cast<const Params*>(params)->record;
  for (std::uint32_t site : {7u, 8u}) {
    fault.site = site;
    kern_cpu_fault(record, &fault);
  }
}

void use_scratch(const void* params, const kern_where* where, void* scratch) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scratch) % 64, 0u);
  auto* words = static_cast<std::uint64_t*>(scratch);
  for (int i = 0; i < 512; ++i) words[i] = linear(*where);
  for (int i = 0; i < 512; ++i)
    if (words[i] != linear(*where)) static_cast<const Params*>(params)->counts[0].fetch_add(1);
}

void print_block(const void* params, const kern_where* where, void*) {
  kern_launch_record* record = static_cast<const Params*>(params)->record;
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::uint64_t words[] = {5u | std::uint64_t(2) << 32, linear(*where), i};
    kern_cpu_print(record, words, 3);
  }
}

// Waits until the block before it has run.
void wait_for_lower(const void* params, const kern_where* where, void*) {
  auto* counts = static_cast<const Params*>(params)->counts;
  kern_launch_record* record = static_cast<const Params*>(params)->record;
  std::uint64_t block = linear(*where), state = 0;
  while (block > 0 && counts[block - 1].load() == 0)
    if (!kern_cpu_wait(record, &state)) return;
  counts[block].store(1);
}

Launch launch_of(kern_cpu_entry entry, Params& params, kern_launch_record& record) {
  Launch launch;
  launch.entry = entry;
  launch.params = &params;
  launch.record = &record;
  params.record = &record;
  return launch;
}

} // namespace

TEST(Pool, RunsEveryBlockOnce) {
  Pool pool(4);
  EXPECT_EQ(pool.threads(), 4u);
  std::vector<std::atomic<std::uint32_t>> counts(7 * 5 * 3);
  kern_launch_record record{};
  Params params{counts.data(), nullptr, nullptr};
  Launch launch = launch_of(each_block<count_block>, params, record);
  launch.grid[0] = 7, launch.grid[1] = 5, launch.grid[2] = 3;
  std::uint64_t done = 0;
  launch.blocks_done = &done;
  ASSERT_TRUE(pool.run(launch));
  for (auto& count : counts) EXPECT_EQ(count.load(), 1u);
  EXPECT_EQ(done, counts.size());
}

TEST(Pool, OneThreadTakesBlocksInAscendingOrder) {
  Pool pool(1);
  std::vector<std::uint64_t> order;
  kern_launch_record record{};
  Params params{nullptr, &order, nullptr};
  Launch launch = launch_of(each_block<note_order>, params, record);
  launch.grid[0] = 3, launch.grid[1] = 2, launch.grid[2] = 2;
  ASSERT_TRUE(pool.run(launch));
  ASSERT_EQ(order.size(), 12u);
  for (std::uint64_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

TEST(Pool, LaunchesFromManyThreadsShareIt) {
  Pool pool(3);
  std::vector<std::jthread> launchers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    launchers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<std::atomic<std::uint32_t>> counts(20);
        kern_launch_record record{};
        Params params{counts.data(), nullptr, nullptr};
        Launch launch = launch_of(each_block<count_block>, params, record);
        launch.grid[0] = 20;
        if (!pool.run(launch)) ++wrong;
        for (auto& count : counts) wrong += count.load() != 1;
      }
    });
  launchers.clear();
  EXPECT_EQ(wrong.load(), 0);
}

// Short launches stay with one thread, longer ones are shared, and each is over when it returns.
TEST(Pool, LaunchesOfAllLengthsFollowEachOther) {
  Pool pool(3);
  std::vector<std::atomic<std::uint32_t>> counts(3000);
  std::uint32_t wrong = 0;
  for (std::uint32_t repeat = 0; repeat < 2000; ++repeat) {
    kern_launch_record record{};
    Params params{counts.data(), nullptr, nullptr};
    Launch launch = launch_of(each_block<count_block>, params, record);
    launch.grid[0] = repeat % 7 == 0 ? 100 : 1 + repeat % 5;
    launch.grid[1] = repeat % 7 == 0 ? 30 : 1;
    ASSERT_TRUE(pool.run(launch));
    for (std::uint32_t i = 0; i < launch.grid[0] * launch.grid[1]; ++i) wrong += counts[i].exchange(0) != 1;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(Pool, ScratchIsAlignedAndOfOneWorker) {
  Pool pool(4);
  std::vector<std::atomic<std::uint32_t>> counts(1);
  kern_launch_record record{};
  Params params{counts.data(), nullptr, nullptr};
  Launch launch = launch_of(each_block<use_scratch>, params, record);
  launch.grid[0] = 1000;
  launch.scratch_bytes = 512 * 8;
  ASSERT_TRUE(pool.run(launch));
  EXPECT_EQ(counts[0].load(), 0u);
}

TEST(Pool, TooMuchScratchIsRefused) {
  Pool pool(2);
  std::vector<std::atomic<std::uint32_t>> counts(1);
  kern_launch_record record{};
  Params params{counts.data(), nullptr, nullptr};
  Launch launch = launch_of(each_block<count_block>, params, record);
  launch.scratch_bytes = SIZE_MAX - 10;
  EXPECT_FALSE(pool.run(launch));
  EXPECT_EQ(counts[0].load(), 0u);
}

TEST(Pool, ABlockMayWaitForALowerOne) {
  Pool pool(4);
  std::vector<std::atomic<std::uint32_t>> counts(200);
  kern_launch_record record{};
  Params params{counts.data(), nullptr, nullptr};
  Launch launch = launch_of(each_block<wait_for_lower>, params, record);
  launch.grid[0] = 200;
  ASSERT_TRUE(pool.run(launch));
  for (auto& count : counts) EXPECT_EQ(count.load(), 1u);
}

TEST(Fault, TheLowestBlocksFirstIsKept) {
  Pool pool(4);
  for (int repeat = 0; repeat < 20; ++repeat) {
    kern_launch_record record{};
    record.launch = 99;
    Params params{nullptr, nullptr, nullptr};
    Launch launch = launch_of(each_block<fault_twice>, params, record);
    launch.grid[0] = 2, launch.grid[1] = 100;
    ASSERT_TRUE(pool.run(launch));
    EXPECT_EQ(record.fault.state, 2u);
    EXPECT_EQ(record.fault.site, 7u);
    EXPECT_EQ(record.fault.block[0], 1u);
    EXPECT_EQ(record.fault.block[1], 1u);
    EXPECT_EQ(record.fault.launch, 99u);
  }
}

TEST(Fault, LanesThatFailAreFoundAndTheLowestReported) {
  kern_launch_record record{};
  kern_where where{{4, 5, 6}, {9, 9, 9}, {6, 2, 3}, 1};
  constexpr std::uint64_t guard = 7 | std::uint64_t(1) << 32 | std::uint64_t(2) << 40;
  // Lane l's index is 10 + 3 l, so that those from lane 4 on are not below 20.
  EXPECT_EQ(kern_cpu_fault_lanes(&record, &where, guard, 0b1110'1010, 10, 3, 20, 16, 1, 2), 0b1110'0000u);
  EXPECT_EQ(record.fault.site, 7u);
  EXPECT_EQ(record.fault.axis, 1);
  EXPECT_EQ(record.fault.kind, 2u);
  EXPECT_EQ(record.fault.index, 25);
  EXPECT_EQ(record.fault.extent, 20);
  EXPECT_THAT(record.fault.thread, testing::ElementsAre(21, 1, 2));
  EXPECT_THAT(record.fault.block, testing::ElementsAre(4, 5, 6));
  EXPECT_EQ(kern_cpu_fault_lanes(&record, &where, guard, 0b1111, 10, 3, 20, 0, 0, 0), 0u);
}

TEST(Fault, LanesMayFollowTheLinearThreadId) {
  kern_launch_record record{};
  kern_where where{{0, 0, 0}, {1, 1, 1}, {6, 2, 3}, 1};
  std::int64_t indices[] = {0, -1, 2, 9}, extents[] = {1, 8, 2, 9};
  constexpr std::uint64_t linear = std::uint64_t(1) << 48;
  EXPECT_EQ(kern_cpu_fault_each(&record, &where, linear, 0b1101, indices, extents, 17, 0, 0), 0b1100u);
  // Thread 19 of a block of 6 x 2 x 3.
  EXPECT_THAT(record.fault.thread, testing::ElementsAre(1, 1, 1));
  EXPECT_EQ(record.fault.index, 2);
  EXPECT_EQ(record.fault.extent, 2);
}

TEST(Fault, LanesThatFailOneGuardAreNotAskedOfTheNext) {
  kern_launch_record record{};
  kern_where where{{0, 0, 0}, {1, 1, 1}, {8, 1, 1}, 1};
  std::int64_t indices[] = {0, 9, 0, 0}, extents[] = {1, 1, 1, 1};
  kern_lane_guard guards[] = {{
                                  1,
                                  0,
                                  1,
                                  3,
                              },
                              {2 | std::uint64_t(1) << 49, reinterpret_cast<std::int64_t>(indices), 0,
                               reinterpret_cast<std::int64_t>(extents)}};
  EXPECT_EQ(kern_cpu_fault_guards(&record, &where, guards, 2 | std::uint64_t(0b1010) << 32, 0, 0, 0),
            0b1010u);
  EXPECT_EQ(record.fault.site, 1u);
  EXPECT_THAT(record.fault.thread, testing::ElementsAre(3, 0, 0));
  std::int32_t mask[] = {-1, 0, -1, 0};
  EXPECT_EQ(kern_cpu_fault_masked(&record, &where, guards, 2 | std::uint64_t(4) << 32, mask, 0, 0, 0), 1u);
  EXPECT_THAT(mask, testing::ElementsAre(-1, -1, -1, -1));
  std::int32_t last[] = {0, -1, 0, -1};
  EXPECT_EQ(kern_cpu_fault_masked(&record, &where, guards, 2 | std::uint64_t(4) << 32, last, 0, 0, 0), 0u);
  EXPECT_THAT(last, testing::ElementsAre(-1, 0, -1, 0));
}

TEST(Print, RecordsOfABlockKeepTheirOrder) {
  Pool pool(4);
  Ring ring = make_ring(3 * 3 * 100);
  kern_launch_record record{};
  record.print_ring = reinterpret_cast<std::uint64_t>(ring.get());
  Params params{nullptr, nullptr, nullptr};
  Launch launch = launch_of(each_block<print_block>, params, record);
  launch.grid[0] = 100;
  ASSERT_TRUE(pool.run(launch));
  std::vector<std::uint64_t> next(100, 0);
  EXPECT_TRUE(drain(*ring, [&](std::uint32_t site, std::span<const std::uint64_t> args) {
    EXPECT_EQ(site, 5u);
    ASSERT_EQ(args.size(), 2u);
    EXPECT_EQ(args[1], next[args[0]]++);
  }));
  for (std::uint64_t count : next) EXPECT_EQ(count, 3u);
}

TEST(Print, WhatDoesNotFitIsLostAndSaid) {
  Pool pool(1);
  Ring ring = make_ring(10);
  kern_launch_record record{};
  record.print_ring = reinterpret_cast<std::uint64_t>(ring.get());
  Params params{nullptr, nullptr, nullptr};
  Launch launch = launch_of(each_block<print_block>, params, record);
  launch.grid[0] = 2;
  ASSERT_TRUE(pool.run(launch));
  int seen = 0;
  EXPECT_FALSE(drain(*ring, [&](std::uint32_t, std::span<const std::uint64_t>) { ++seen; }));
  EXPECT_EQ(seen, 3);
}

TEST(Print, AMalformedRecordEndsTheReading) {
  Ring ring = make_ring(4);
  ring->used = 4;
  ring->words[0] = std::uint64_t(1000) << 32;
  EXPECT_FALSE(drain(*ring, [](std::uint32_t, std::span<const std::uint64_t>) { FAIL(); }));
}

TEST(Grid, ExtentsAreThoseOfAGpu) {
  EXPECT_TRUE(grid_fits({1, 1, 1}));
  EXPECT_TRUE(grid_fits({0x7fffffff, 65535, 65535}));
  EXPECT_FALSE(grid_fits({0x80000000, 1, 1}));
  EXPECT_FALSE(grid_fits({1, 65536, 1}));
  EXPECT_FALSE(grid_fits({1, 1, 0}));
}
