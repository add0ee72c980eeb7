// Divides a launch among threads. The compiler says how much a thread does where the arguments of the launch
// decide it (compiler/analysis/launch/work.h), and the launch what its arrays hold: that makes a time, of which no
// more is asked than whether it is worth so many threads. Nothing is known of other kernels: everybody is
// asked, and takes ever shorter turns.
#include "runtime/cpu/schedule.h"

#include <algorithm>
#include <cmath>

#include "runtime/cpu/pool.h"

namespace kern::cpu {

namespace {

// All numbers by which launches are divided. Times are in ns.
constexpr struct {
  // An operation of a vector, as the compiler counts them, and a byte that comes from memory: what one core does.
  double operation = 0.3, byte = 0.08;
  // Another row of threads in a call costs this: what the code asks of the row, the mask of its end, and
  // vectors that lie across lines of the cache. Narrow pictures and solids take little else.
  double row = 20;
  // No operation touches more bytes for a thread: a launch may use a small part of its arrays.
  double bytes_of_operation = 8;
  // The caches of a core hold so many bytes, and a byte of them that another core asks for takes so long:
  // arrays are often there since the launching thread wrote them. What that did alone in 17 us took two
  // threads 50.
  double own_cache = 2 << 20, fetched_byte = 0.06;
  // Until others have come and gone.
  double waking = 2'500;
  // A thread's share of a launch is no less, which is what a line of the cache costs that all threads write, many times
  // over; where blocks lie along rows of memory, so that threads touch the same lines at the ends of their turns, twice.
  double share = 1'000, share_in_rows = 2'000;
  // A turn is no more, so that whoever watches or stops a launch need not wait; of work that is not known, so many
  // threads.
  double turn = 250'000;
  std::uint64_t unknown_turn = 65'536;
  // Turns are what is left for a thread divided by this. Where threads may do any amount, the longest parts may come
  // last.
  unsigned turns = 2, unknown_turns = 4;
  // If a thread has fewer blocks than this, they are split into parts of some rows, each worth so much:
  // threads then end at about the same time, though some blocks take much longer than others.
  std::uint64_t parts = 8;
  double part = 1'000;
} numbers;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

std::uint64_t threads_of_block(const Launch& launch) {
  return std::uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
}

// The time and memory that a launch takes one thread.
struct Cost {
  double time = 0;
  double bytes = 0; // that it touches
};

// Returns how many rows of threads calls go along, where they go along rows of blocks.
double rows_of(const Launch& launch) {
  if (!launch.follows_rows) return 0;
  return static_cast<double>(std::uint64_t(launch.grid[1]) * launch.grid[2]) *
         static_cast<double>(std::uint64_t(launch.block[1]) * launch.block[2]);
}

Cost cost_of(const Launch& launch) {
  double operations = launch.operations * static_cast<double>(count_blocks(launch)) *
                      static_cast<double>(threads_of_block(launch));
  double bytes = std::min(launch.array_bytes, operations * numbers.bytes_of_operation);
  double from_memory = std::max(bytes - numbers.own_cache, 0.0);
  double computing = operations / launch.lanes * numbers.operation + rows_of(launch) * numbers.row;
  return {std::max(computing + from_memory * numbers.byte, 1.0), bytes};
}

double share_of(const Launch& launch) { return launch.follows_rows ? numbers.share_in_rows : numbers.share; }

// Returns how many threads work of that cost is worth, of those there are: each has a share, and all are done sooner
// than one would be.
unsigned worth_of(const Launch& launch, const Cost& cost, unsigned threads) {
  auto count = static_cast<unsigned>(std::min(cost.time / share_of(launch), static_cast<double>(threads)));
  if (count <= 1) return 1;
  double fetching = std::min(cost.bytes, numbers.own_cache) * numbers.fetched_byte * (count - 1) / count;
  return numbers.waking + fetching + cost.time / count < cost.time ? count : 1;
}

// Returns how many rows of a block make a part: all, or fewer where there are few blocks and the kernel allows it. What
// a block takes is 0 where it is not known.
std::uint32_t rows_of_part(const Launch& launch, unsigned threads, double block) {
  std::uint64_t blocks = count_blocks(launch), wanted = numbers.parts * threads, rows = launch.block[1];
  if (!launch.independent_rows || threads == 1 || blocks >= wanted) return launch.block[1];
  std::uint64_t parts = std::min(divide_up(wanted, blocks), rows);
  if (block > 0) parts = std::min(parts, static_cast<std::uint64_t>(std::min(block / numbers.part, 1e6)));
  return parts <= 1 ? launch.block[1] : static_cast<std::uint32_t>(divide_up(rows, parts));
}

// Returns how many neighbouring blocks a call best runs, or fewer, so that all threads take as many.
std::uint64_t blocks_of_call(const Launch& launch, unsigned threads) {
  std::uint64_t most = launch.threads_in_call / threads_of_block(launch), blocks = count_blocks(launch);
  if (most <= 1) return 1;
  std::uint64_t rounds = divide_up(blocks, most * threads);
  return divide_up(blocks, rounds * threads);
}

// Returns how many parts of that time take about so long, at least one.
std::uint64_t parts_in(double time, double part, std::uint64_t total) {
  return static_cast<std::uint64_t>(std::clamp(std::round(time / part), 1.0, static_cast<double>(total)));
}

// With a row of blocks, unless rows are much longer, so that what two threads write has few cache lines in common.
std::uint64_t end_with_row(std::uint64_t first, std::uint64_t wanted, std::uint64_t row) {
  std::uint64_t end = first + wanted;
  if (3 * wanted < row) return end;
  return std::max(first / row + 1, (end + row / 2) / row) * row;
}

} // namespace

Schedule schedule_of(const Launch& launch, unsigned threads) {
  Schedule schedule;
  const std::uint64_t blocks = count_blocks(launch);
  const Cost cost = launch.is_known ? cost_of(launch) : Cost{};
  schedule.threads = launch.is_known ? worth_of(launch, cost, threads) : threads;
  schedule.rows = rows_of_part(launch, schedule.threads, cost.time / static_cast<double>(blocks));
  schedule.parts = divide_up(launch.block[1], schedule.rows);
  schedule.total = blocks * schedule.parts;
  schedule.threads = static_cast<unsigned>(std::min<std::uint64_t>(schedule.threads, schedule.total));
  schedule.turns = launch.is_known ? numbers.turns : numbers.unknown_turns;
  if (schedule.parts == 1) {
    schedule.least = blocks_of_call(launch, schedule.threads);
    if (launch.follows_rows && launch.grid[0] > 1) schedule.row = launch.grid[0];
    schedule.most = std::max<std::uint64_t>(numbers.unknown_turn / threads_of_block(launch), 1);
  }
  if (launch.is_known) {
    const double part = cost.time / static_cast<double>(schedule.total);
    schedule.least = std::max(schedule.least, parts_in(share_of(launch), part, schedule.total));
    schedule.most = parts_in(numbers.turn, part, schedule.total);
  }
  schedule.most = std::max(schedule.most, schedule.least);
  // A block waits for those before it: where one thread had many of them, all others would wait for that thread.
  if (launch.waits) schedule.least = schedule.most = 1, schedule.row = 0;
  return schedule;
}

std::uint64_t end_of_turn(const Schedule& schedule, std::uint64_t first) {
  std::uint64_t left = schedule.total - first, wanted = schedule.most;
  if (schedule.threads > 1)
    wanted =
        std::min(wanted, std::max(schedule.least, left / (std::uint64_t(schedule.turns) * schedule.threads)));
  if (wanted >= left) return schedule.total;
  if (schedule.row == 0) return first + wanted;
  return std::min(end_with_row(first, wanted, schedule.row), schedule.total);
}

} // namespace kern::cpu
