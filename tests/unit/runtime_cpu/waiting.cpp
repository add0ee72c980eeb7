// Turns of a block that wait for each other, and when those who wait give up.
#include "runtime/cpu/waiting.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/record.h"

using namespace kern::cpu;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t turns = 100;

// Compiled code passes its turns such a thing: where they all are, and which one this is.
struct Block {
  kern_launch_record* record;
  std::atomic<std::uint32_t>* words;
};
struct Turn {
  Block block;
  std::uint32_t number;
};

void leave_by(const Block& block, FaultKind kind, std::uint32_t number = 0) {
  kern_fault_record fault{};
  fault.kind = static_cast<std::uint32_t>(kind);
  fault.block[0] = number;
  kern_cpu_fault(block.record, &fault);
}

bool wait_until(const Block& block, std::uint32_t word, std::uint32_t value) {
  std::int64_t state = 0;
  while (block.words[word].load() != value)
    if ((state = kern_cpu_wait(block.record, state)) < 0) {
      leave_by(block, FaultKind::NoProgress);
      return false;
    }
  return true;
}

// Each turn waits for the one that comes after it, and says so in its word.
void wait_for_next(void* args) {
  const Turn& turn = *static_cast<Turn*>(args);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(args) % 256, 0u);
  if (turn.number + 1 < turns) wait_until(turn.block, turn.number + 1, 1);
  turn.block.words[turn.number] = 1;
}

void wait_for_ever(void* args) {
  const Turn& turn = *static_cast<Turn*>(args);
  bool has_come = wait_until(turn.block, turns, 1);
  turn.block.words[turn.number] = has_come ? 1 : 2;
}

template <void (*function)(void*)> void run_turns(const void* params, const kern_where*, void*) {
  const Block& block = *static_cast<const Block*>(params);
  for (std::uint32_t number = 0; number < turns; ++number) {
    Turn turn{block, number};
    kern_cpu_turn(block.record, function, &turn, sizeof turn);
  }
  kern_cpu_end_turns(block.record);
}

// Each turn meets the others twice, the odd ones a third time, and says how many it met.
void meet_all(void* args) {
  const Turn& turn = *static_cast<Turn*>(args);
  kern_where where{};
  for (std::uint32_t time = 0; time < 2 + turn.number % 2; ++time) {
    std::uint64_t count = 1;
    if (!kern_cpu_meet(turn.block.record, &where, std::uint64_t{1} << 32 | 5, &count, turn.number, 0, 0))
      return;
    turn.block.words[turn.number] += static_cast<std::uint32_t>(count);
  }
}

void meet_at_two_places(void* args) {
  const Turn& turn = *static_cast<Turn*>(args);
  kern_where where{};
  where.block[1] = 3;
  std::uint64_t nothing = 0;
  const std::uint64_t site = turn.number < 40 ? 8 : 9;
  turn.block.words[turn.number] =
      kern_cpu_meet(turn.block.record, &where, site, &nothing, turn.number, 0, 0) + 1;
}

// The first block is busy for longer than others are patient.
void wait_for_busy(const void* params, const kern_where* where, void*) {
  const Block& block = *static_cast<const Block*>(params);
  if (where->block[0] == 0) {
    std::this_thread::sleep_for(600ms);
    block.words[0] = 1;
  } else {
    block.words[1] = wait_until(block, 0, 1) ? 1 : 2;
  }
}

// All but the last block wait for it, which leaves by a fault.
void wait_for_faulty(const void* params, const kern_where* where, void*) {
  const Block& block = *static_cast<const Block*>(params);
  if (where->block[0] + 1 == where->grid[0]) return leave_by(block, FaultKind::Raised, where->block[0]);
  block.words[where->block[0]] = wait_until(block, turns, 1) ? 1 : 2;
}

// The first block polls what the last one writes, which begins later.
void wait_for_last(const void* params, const kern_where* where, void*) {
  const Block& block = *static_cast<const Block*>(params);
  std::uint32_t last = where->grid[0] - 1;
  if (where->block[0] < last) wait_until(block, last, 1);
  kern_cpu_grid_wait(block.record, 0);
  if (where->block[0] == last) block.words[last + 1] = 1;
}

class Waiting : public testing::Test {
protected:
  Waiting() { set_patience(200ms); }
  ~Waiting() override { set_patience(10s); }

  Launch launch_of(kern_cpu_entry entry, std::uint32_t blocks) {
    Launch launch;
    launch.entry = entry;
    launch.params = &block_;
    launch.record = &record_;
    launch.grid[0] = blocks;
    return launch;
  }

  kern_launch_record record_{};
  std::atomic<std::uint32_t> words_[turns + 1] = {};
  Block block_{&record_, words_};
};

TEST_F(Waiting, TurnsGoOnInTheMiddleOfOthers) {
  Pool pool(1);
  ASSERT_TRUE(pool.run(launch_of(run_turns<wait_for_next>, 1)));
  for (std::uint32_t i = 0; i < turns; ++i) EXPECT_EQ(words_[i], 1u) << i;
}

TEST_F(Waiting, GivesUpWhereNothingMoves) {
  Pool pool(2);
  ASSERT_TRUE(pool.run(launch_of(run_turns<wait_for_ever>, 3)));
  for (std::uint32_t i = 0; i < turns; ++i) EXPECT_EQ(words_[i], 2u) << i;
}

TEST_F(Waiting, TurnsMeetThoseThatHaveNotEnded) {
  Pool pool(1);
  ASSERT_TRUE(pool.run(launch_of(run_turns<meet_all>, 1)));
  for (std::uint32_t i = 0; i < turns; ++i) EXPECT_EQ(words_[i], 2 * turns + i % 2 * turns / 2) << i;
  EXPECT_EQ(record_.fault.state, 0u);
}

TEST_F(Waiting, ReportsBothPlacesWhereTurnsWait) {
  Pool pool(1);
  ASSERT_TRUE(pool.run(launch_of(run_turns<meet_at_two_places>, 1)));
  for (std::uint32_t i = 0; i < turns; ++i) EXPECT_EQ(words_[i], 1u) << i;
  EXPECT_EQ(record_.fault.kind, 12u);
  EXPECT_EQ(record_.fault.site, 9u);
  EXPECT_EQ(record_.fault.index, 8);
  EXPECT_EQ(record_.fault.thread[0], 40u);
  EXPECT_EQ(record_.fault.block[1], 3u);
}

TEST_F(Waiting, WaitsForAThreadThatIsBusy) {
  Pool pool(2);
  // Both threads take a block from the second launch on, when how long one takes is known.
  for (int i = 0; i < 2; ++i) {
    words_[0] = words_[1] = 0;
    ASSERT_TRUE(pool.run(launch_of(wait_for_busy, 2)));
    EXPECT_EQ(words_[1], 1u);
  }
}

TEST_F(Waiting, BlocksOfAGridThatRunAtOnceMayWaitForAnyOther) {
  Pool pool(1);
  auto set_last = [](const void* params, const kern_where* where, void* scratch) {
    const Block& block = *static_cast<const Block*>(params);
    if (where->block[0] + 1 == where->grid[0]) block.words[where->grid[0] - 1] = 1;
    wait_for_last(params, where, scratch);
  };
  ASSERT_TRUE(run_cooperative(pool, launch_of(set_last, 10)));
  EXPECT_EQ(words_[10], 1u);
}

TEST_F(Waiting, AFaultEndsTheWaitForWhatItKeepsFromComing) {
  set_patience(1h);
  Pool pool(1);
  ASSERT_TRUE(run_cooperative(pool, launch_of(wait_for_faulty, 10)));
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(words_[i], 2u) << i;
  // Those that gave up are earlier blocks, and yet not what is reported.
  EXPECT_EQ(record_.fault.kind, static_cast<std::uint32_t>(FaultKind::Raised));
  EXPECT_EQ(record_.fault.block[0], 9u);
}

} // namespace
