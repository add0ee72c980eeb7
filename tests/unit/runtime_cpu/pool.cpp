// The pool: every block runs once, in ascending order on one thread, from several launching threads; faults
// keep the lowest block.
#include "runtime/cpu/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <tuple>

#include "runtime/cpu/record.h"

using namespace kern::cpu;

namespace {

struct Params {
  std::atomic<std::uint32_t>* counts;
  std::vector<std::uint64_t>* order;
  kern_launch_record* record;
};

std::uint64_t linear(const kern_where& where) {
  return where.block[0] +
         std::uint64_t(where.grid[0]) * (where.block[1] + std::uint64_t(where.grid[1]) * where.block[2]);
}

// An entry that calls `Block` for each block of a call, as compiled ones do.
template <kern_cpu_entry Block> void each_block(const void* params, const kern_where* where, void* scratch) {
  kern_where one = *where;
  for (std::uint32_t i = 0; i < where->blocks; ++i) {
    move_to_block(one, linear(*where) + i);
    Block(params, &one, scratch);
  }
}

void count_block(const void* params, const kern_where* where, void*) {
  static_cast<const Params*>(params)->counts[linear(*where)].fetch_add(1);
}

void count_call(const void* params, const kern_where*, void*) {
  static_cast<const Params*>(params)->counts[0].fetch_add(1);
}

void note_blocks(const void* params, const kern_where* where, void*) {
  std::atomic<std::uint32_t>& most = static_cast<const Params*>(params)->counts[0];
  most = std::max(most.load(), where->blocks);
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
  std::uint64_t block = linear(*where);
  std::int64_t state = 0;
  while (block > 0 && counts[block - 1].load() == 0)
    if ((state = kern_cpu_wait(record, state)) < 0) return;
  counts[block].store(1);
}

// Calls `visit` for each thread that a call runs: with its x, y and z.
template <class Visit> void each_thread(const kern_where& where, Visit visit) {
  for (std::uint32_t z = 0; z < where.block_dim[2]; ++z)
    for (std::uint32_t y = where.first_row; y < where.end_row; ++y)
      for (std::uint32_t x = 0; x < where.block_dim[0]; ++x) visit(x, y, z);
}

void count_threads(const void* params, const kern_where* where, void*) {
  const std::uint32_t(&dim)[3] = where->block_dim;
  std::atomic<std::uint32_t>* counts = static_cast<const Params*>(params)->counts;
  each_thread(*where, [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    counts[((linear(*where) * dim[2] + z) * dim[1] + y) * dim[0] + x].fetch_add(1);
  });
}

// Lets those threads of block 1 and later ones fault whose indices sum up to 20 or more. The order along a
// row is the code's own: here it goes down.
void fault_in_threads(const void* params, const kern_where* where, void*) {
  kern_launch_record* record = static_cast<const Params*>(params)->record;
  each_thread(*where, [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    kern_fault_record fault{};
    fault.thread[0] = where->block_dim[0] - 1 - x, fault.thread[1] = y, fault.thread[2] = z;
    std::copy_n(where->block, 3, fault.block);
    if (linear(*where) > 0 && fault.thread[0] + y + z >= 20) kern_cpu_fault(record, &fault);
  });
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

// A process of few threads goes on with those.
TEST(Pool, MakesDoWithTheThreadsThatThereAre) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more memory than this leaves";
#else
  auto with_room_for_few = [] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    std::ifstream("/proc/self/statm") >> limit.rlim_cur;
    limit.rlim_cur = limit.rlim_cur * static_cast<rlim_t>(getpagesize()) + (100 << 20);
    setrlimit(RLIMIT_AS, &limit);
    Pool pool(512);
    std::vector<std::atomic<std::uint32_t>> counts(1000);
    kern_launch_record record{};
    Params params{counts.data(), nullptr, nullptr};
    Launch launch = launch_of(each_block<count_block>, params, record);
    launch.grid[0] = 1000;
    bool ran = pool.threads() < 512 && pool.run(launch);
    std::exit(ran && std::ranges::all_of(counts, [](auto& count) { return count == 1; }) ? 0 : 1);
  };
  EXPECT_EXIT(with_room_for_few(), testing::ExitedWithCode(0), "");
#endif
}

// One launch waits for what another one does.
TEST(Pool, RunsLaunchesSideBySide) {
  struct Shared {
    std::atomic<bool> is_set{false}, was_seen{false};
  } shared;
  auto wait = [](const void* params, const kern_where*, void*) {
    auto& all = **static_cast<Shared* const*>(params);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!all.is_set && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    all.was_seen = all.is_set.load();
  };
  auto set = [](const void* params, const kern_where*, void*) {
    (*static_cast<Shared* const*>(params))->is_set = true;
  };
  for (unsigned threads : {1U, 3U}) {
    Pool pool(threads);
    Shared* params = &shared;
    kern_launch_record records[2]{};
    Launch waits, sets;
    waits.entry = wait, sets.entry = set;
    waits.params = sets.params = &params;
    waits.record = &records[0], sets.record = &records[1];
    std::jthread other([&] { pool.run(waits); });
    ASSERT_TRUE(pool.run(sets));
    other.join();
    EXPECT_TRUE(shared.was_seen);
    shared.is_set = false;
  }
}

// More launches at once than there are places, each with scratch of another size, take each block once.
TEST(Pool, TakesEachBlockOnceOfManyLaunchesAtOnce) {
  constexpr std::uint32_t blocks = 50;
  Pool pool(4);
  std::atomic<unsigned> wrong{0};
  std::vector<std::jthread> callers;
  for (unsigned caller = 0; caller < Pool::most_launches + 8; ++caller)
    callers.emplace_back([&, caller] {
      for (unsigned round = 0; round < 20; ++round) {
        std::vector<std::atomic<std::uint32_t>> counts(blocks);
        kern_launch_record record{};
        Params params{counts.data(), nullptr, nullptr};
        Launch launch = launch_of(each_block<count_block>, params, record);
        launch.grid[0] = blocks;
        launch.scratch_bytes = 64 * (caller + 1) * (round + 1);
        if (!pool.run(launch)) ++wrong;
        for (auto& count : counts) wrong += count.load() != 1;
      }
    });
  callers.clear();
  EXPECT_EQ(wrong, 0U);
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
  kern_where where{{4, 5, 6}, {9, 9, 9}, {32, 2, 3}, 1, 0, 2};
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

TEST(Fault, LanesMayGoOnThroughTheBlocksThatFollow) {
  kern_launch_record record{};
  kern_where where{{4, 5, 6}, {9, 9, 9}, {6, 2, 3}, 3, 0, 2};
  EXPECT_EQ(kern_cpu_fault_lanes(&record, &where, 7, 0b1111'0000, 0, 1, 5, 8, 1, 2), 0b1110'0000u);
  EXPECT_THAT(record.fault.thread, testing::ElementsAre(1, 1, 2));
  EXPECT_THAT(record.fault.block, testing::ElementsAre(6, 5, 6));
}

TEST(Fault, LanesMayFollowTheLinearThreadId) {
  kern_launch_record record{};
  kern_where where{{0, 0, 0}, {1, 1, 1}, {6, 2, 3}, 1, 0, 2};
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
  kern_where where{{0, 0, 0}, {1, 1, 1}, {8, 1, 1}, 1, 0, 1};
  std::int64_t indices[] = {0, 9, 0, 0}, extents[] = {1, 1, 1, 1};
  kern_lane_guard guards[] = {{
                                  1,
                                  0,
                                  1,
                                  3,
                              },
                              {2 | std::uint64_t(3) << 49, reinterpret_cast<std::int64_t>(indices), 0,
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

TEST(Pool, RunsEveryThreadOfSplitBlocksOnce) {
  Pool pool(4);
  std::vector<std::atomic<std::uint32_t>> counts(3 * 4 * 60 * 2);
  for (std::uint32_t repeat = 1; repeat <= 3; ++repeat) {
    kern_launch_record record{};
    Params params{counts.data(), nullptr, nullptr};
    Launch launch = launch_of(each_block<count_threads>, params, record);
    launch.grid[1] = 3;
    launch.block[0] = 4, launch.block[1] = 60, launch.block[2] = 2;
    launch.independent_rows = true;
    std::uint64_t done = 0;
    launch.blocks_done = &done;
    ASSERT_TRUE(pool.run(launch));
    EXPECT_EQ(done, 3u);
    for (auto& count : counts) ASSERT_EQ(count.load(), repeat);
  }
}

// A new pool does not know how long a kernel takes.
TEST(Pool, SplitsBlocksWhereTheyAreFewAndMayBeSplit) {
  auto calls_of = [](std::uint32_t blocks, std::uint32_t rows, bool independent, unsigned threads) {
    Pool pool(threads);
    std::atomic<std::uint32_t> calls{0};
    kern_launch_record record{};
    Params params{&calls, nullptr, nullptr};
    Launch launch = launch_of(each_block<count_call>, params, record);
    launch.grid[0] = blocks;
    launch.block[1] = rows;
    launch.independent_rows = independent;
    EXPECT_TRUE(pool.run(launch));
    return calls.load();
  };
  EXPECT_EQ(calls_of(1, 100, true, 2), 15u); // of 7 rows
  EXPECT_EQ(calls_of(5, 100, true, 2), 20u);
  EXPECT_EQ(calls_of(1, 3, true, 2), 3u);
  EXPECT_EQ(calls_of(1, 100, false, 2), 1u);
  EXPECT_EQ(calls_of(1, 100, true, 1), 1u);
  EXPECT_EQ(calls_of(100, 100, true, 2), 100u);
}

// The blocks and rows that a call of an entry was given.
using Call = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>;
struct Calls {
  std::mutex mutex{};
  std::vector<Call> list{};
  std::chrono::microseconds pause{0};
};

void note_call(const void* params, const kern_where* where, void*) {
  Calls& calls = **static_cast<Calls* const*>(params);
  if (calls.pause.count() > 0) std::this_thread::sleep_for(calls.pause);
  std::lock_guard one(calls.mutex);
  calls.list.emplace_back(linear(*where), where->blocks, where->first_row, where->end_row);
}

// However long its blocks took before, and take now, a launch is made of the same calls.
TEST(Pool, DividesALaunchAlikeEachTime) {
  Pool pool(4);
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    Calls calls;
    Calls* params = &calls;
    Launch launch;
    launch.entry = note_call;
    launch.params = &params;
    launch.grid[0] = 1 + random() % 60, launch.grid[1] = 1 + random() % 3;
    launch.block[0] = 1 + random() % 256, launch.block[1] = 1 + random() % 20;
    launch.independent_rows = random() % 2;
    launch.follows_rows = random() % 2;
    launch.threads_in_call = random() % 2 ? 2048 : 0;
    launch.operations = 1 + random() % 30'000;
    launch.is_known = random() % 3;
    launch.lanes = random() % 2 ? 16 : 1;
    std::vector<Call> first;
    for (int pause : {0, 100, 0, 0}) {
      calls.pause = std::chrono::microseconds(pause);
      calls.list.clear();
      kern_launch_record record{};
      launch.record = &record;
      ASSERT_TRUE(pool.run(launch));
      std::ranges::sort(calls.list);
      if (first.empty()) first = calls.list;
      ASSERT_EQ(calls.list, first) << repeat;
    }
  }
}

TEST(Pool, CallsGoAlongRowsOfBlocksWhereThatIsBest) {
  auto most_blocks = [](bool follows_rows, std::uint32_t rows_of_threads, std::uint32_t in_row = 5000) {
    Pool pool(1);
    std::atomic<std::uint32_t> most{0};
    kern_launch_record record{};
    Params params{&most, nullptr, nullptr};
    Launch launch = launch_of(note_blocks, params, record);
    launch.grid[0] = in_row, launch.grid[1] = 100'000 / in_row;
    launch.block[0] = 16, launch.block[1] = rows_of_threads;
    launch.follows_rows = follows_rows;
    EXPECT_TRUE(pool.run(launch));
    return most.load();
  };
  EXPECT_GT(most_blocks(true, 16), 64u);
  EXPECT_GT(most_blocks(false, 1), 64u);
  EXPECT_LE(most_blocks(false, 16), 64u); // rows of 1024 threads
  EXPECT_LE(most_blocks(true, 16, 2), 2u);
  EXPECT_GT(most_blocks(false, 1, 2), 64u); // flat ones: over many rows
}

// Runs so many blocks, which are given the address of what they share.
bool run_with(Pool& pool, kern_cpu_entry entry, const void* shared, std::uint32_t blocks) {
  kern_launch_record record{};
  Launch launch;
  launch.entry = entry;
  launch.params = &shared;
  launch.record = &record;
  launch.grid[0] = blocks;
  return pool.run(launch);
}

// Small launches stay alone: their blocks need not be left to others.
TEST(Pool, CallsTakeNeighboursTogetherWhereNobodyJoins) {
  Pool pool(2);
  std::atomic<std::uint32_t> most{0};
  kern_launch_record record{};
  Params params{&most, nullptr, nullptr};
  Launch launch = launch_of(note_blocks, params, record);
  launch.grid[0] = 2, launch.block[0] = 256;
  launch.threads_in_call = 2048;
  ASSERT_TRUE(pool.run(launch)); // nothing is known
  EXPECT_EQ(most.exchange(0), 1u);
  launch.operations = 5;
  launch.is_known = true;
  ASSERT_TRUE(pool.run(launch));
  EXPECT_EQ(most.load(), 2u);
}

struct Attendance {
  std::chrono::microseconds pause{0};
  std::mutex mutex{};
  std::set<std::thread::id> threads{};
};

void attend(const void* params, const kern_where*, void*) {
  Attendance& attendance = **static_cast<Attendance* const*>(params);
  std::this_thread::sleep_for(attendance.pause);
  std::lock_guard one(attendance.mutex);
  attendance.threads.insert(std::this_thread::get_id());
}

// The time that a kernel took before says nothing of the launch at hand.
TEST(Pool, AsksEverybodyForALaunchOfWhichNothingIsKnown) {
  Pool pool(4);
  Attendance attendance;
  for (int pause : {0, 0, 0, 0, 2'000}) {
    attendance.pause = std::chrono::microseconds(pause);
    attendance.threads.clear();
    ASSERT_TRUE(run_with(pool, each_block<attend>, &attendance, 64));
  }
  EXPECT_EQ(attendance.threads.size(), 4u);
}

TEST(Fault, OfBlocksInPartsIsThatOfWholeOnes) {
  Pool alone(1), pool(4);
  auto fault_of = [](Pool& runs, const std::uint32_t(&block)[3]) {
    kern_launch_record record{};
    Params params{nullptr, nullptr, nullptr};
    Launch launch = launch_of(each_block<fault_in_threads>, params, record);
    launch.grid[0] = 2, launch.grid[1] = 2;
    std::copy_n(block, 3, launch.block);
    launch.independent_rows = true;
    EXPECT_TRUE(runs.run(launch));
    EXPECT_EQ(record.fault.state, 2u);
    return record.fault;
  };
  const std::uint32_t blocks[][3] = {{30, 1, 1}, {7, 9, 8}, {1, 40, 1}, {18, 4, 2}, {8, 3, 40}};
  for (const auto& block : blocks) {
    kern_fault_record expected = fault_of(alone, block);
    for (int repeat = 0; repeat < 50; ++repeat) {
      kern_fault_record fault = fault_of(pool, block);
      EXPECT_THAT(fault.block, testing::ElementsAre(1, 0, 0));
      EXPECT_THAT(fault.thread, testing::ElementsAreArray(expected.thread));
    }
  }
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
