// Work is counted in operations of vectors, of which a core does about one in a nanosecond where arrays are in its
// caches. The compiler counts those of a thread where no argument decides how often a loop goes round
// (compiler/analysis/operations.h); of other kernels nothing is known, and a thread may take a second.
#include "runtime/cpu/schedule.h"

#include <algorithm>

#include "runtime/cpu/pool.h"

namespace kern::cpu {

// A launch of less work stays with the thread that makes it: waking and joining others takes some microseconds, and
// they would have to fetch arrays that are in its caches.
static constexpr std::uint64_t least_shared = 16'384;
// What a turn is worth at least, since threads that take one wait for each other; where blocks lie along rows of
// memory, for lines of the cache too that both touch. And at most, so that whoever watches hears of it.
static constexpr std::uint64_t least_turn = 1'024, least_turn_in_rows = 2'048, most_turn = 262'144;
// Threads of which nothing is known that a turn has at most.
static constexpr std::uint64_t most_unknown = 65'536;
// A turn is no more than what is left for a thread divided by this: the longest parts may come last.
static constexpr std::uint64_t turns_of_rest = 4;
// Where each thread has fewer blocks than this, they are split into parts of some rows, which are worth no less than
// that: threads then end at about the same time, though some blocks take much longer than others.
static constexpr std::uint64_t wanted_parts = 8, least_part = 1'024;

// a * b, or the most that there is.
static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

// Returns the work of a block; 0 where it is not known.
static std::uint64_t work_of_block(const Launch& launch) {
  std::uint64_t vectors = divide_up(launch.block[0], std::max(launch.lanes, 1u));
  return times(vectors * launch.block[1] * launch.block[2], launch.operations);
}

// Returns how many rows of a block make a part: all, or fewer where there are few blocks and the kernel allows it.
static std::uint32_t rows_of_part(const Launch& launch, unsigned threads, std::uint64_t work) {
  std::uint64_t blocks = count_blocks(launch), wanted = wanted_parts * threads, rows = launch.block[1];
  if (!launch.independent_rows || threads == 1 || blocks >= wanted) return launch.block[1];
  std::uint64_t parts = std::min(divide_up(wanted, blocks), rows);
  if (work > 0) parts = std::min(parts, work / least_part);
  return parts <= 1 ? launch.block[1] : static_cast<std::uint32_t>(divide_up(rows, parts));
}

// Returns how many neighbouring blocks a call best runs, or fewer, so that all threads take as many.
static std::uint64_t blocks_of_call(const Launch& launch, unsigned threads) {
  std::uint64_t block = std::uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  std::uint64_t most = launch.threads_in_call / block, blocks = count_blocks(launch);
  if (most <= 1) return 1;
  std::uint64_t rounds = divide_up(blocks, most * threads);
  return divide_up(blocks, rounds * threads);
}

Schedule schedule_of(const Launch& launch, unsigned threads) {
  Schedule schedule;
  const std::uint64_t blocks = count_blocks(launch), work = work_of_block(launch);
  schedule.threads = work > 0 && times(work, blocks) < least_shared ? 1 : threads;
  schedule.rows = rows_of_part(launch, schedule.threads, work);
  schedule.parts = divide_up(launch.block[1], schedule.rows);
  schedule.total = blocks * schedule.parts;
  if (schedule.parts == 1) {
    std::uint64_t threads_of_block = std::uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
    std::uint64_t least = launch.follows_rows ? least_turn_in_rows : least_turn;
    schedule.least = blocks_of_call(launch, schedule.threads);
    if (work > 0) schedule.least = std::max(schedule.least, divide_up(least, work));
    schedule.most = work > 0 ? most_turn / work : most_unknown / threads_of_block;
    schedule.most = std::max(schedule.most, schedule.least);
    if (launch.follows_rows && launch.grid[0] > 1) schedule.row = launch.grid[0];
  }
  if (end_of_turn(schedule, 0) == schedule.total) schedule.threads = 1;
  return schedule;
}

// With a row of blocks, unless rows are much longer, so that what two threads write has few cache lines in common.
static std::uint64_t end_with_row(std::uint64_t first, std::uint64_t wanted, std::uint64_t row) {
  std::uint64_t end = first + wanted;
  if (3 * wanted < row) return end;
  return std::max(first / row + 1, (end + row / 2) / row) * row;
}

std::uint64_t end_of_turn(const Schedule& schedule, std::uint64_t first) {
  std::uint64_t left = schedule.total - first, wanted = schedule.most;
  if (schedule.threads > 1)
    wanted = std::min(wanted, std::max(schedule.least, left / (turns_of_rest * schedule.threads)));
  if (wanted >= left) return schedule.total;
  if (schedule.row == 0) return first + wanted;
  return std::min(end_with_row(first, wanted, schedule.row), schedule.total);
}

} // namespace kern::cpu
