#include "runtime/cpu/turns.h"

#include <algorithm>

namespace kern::cpu {

// A thread takes blocks for about so long at a time, so that it walks along rows as far as it can; counted in
// ns, as all that follow.
static constexpr double wanted_turn = 250'000;
// And for no less, since threads that take blocks wait for each other; where blocks lie along rows of memory,
// for lines of the cache too that both touch (their kernels have no loops: blocks take about the same time).
static constexpr double least_turn = 1'000, least_turn_in_rows = 2'000;
// Where each thread has fewer blocks than this, they are split into parts of some rows, that take no less
// than so long: threads then end at about the same time, though some blocks take much longer than others.
static constexpr std::uint64_t wanted_parts = 8;
static constexpr double least_part = 1'000;

std::uint32_t rows_of_part(const Launch& launch, unsigned threads, double known) {
  std::uint64_t total = count_blocks(launch), wanted = wanted_parts * threads, rows = launch.block[1];
  if (!launch.independent_rows || threads == 1 || total >= wanted) return launch.block[1];
  std::uint64_t parts = std::min((wanted + total - 1) / total, rows);
  if (known > 0) parts = std::min(parts, static_cast<std::uint64_t>(known / least_part));
  if (parts <= 1) return launch.block[1];
  return static_cast<std::uint32_t>((rows + parts - 1) / parts);
}

std::uint64_t blocks_of_turn(const Launch& launch, unsigned threads) {
  std::uint64_t block = std::uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  std::uint64_t most = launch.threads_in_call / std::max<std::uint64_t>(block, 1),
                total = count_blocks(launch);
  if (most <= 1) return 1;
  std::uint64_t rounds = (total + most * threads - 1) / (most * threads);
  return (total + rounds * threads - 1) / (rounds * threads);
}

std::uint64_t parts_of_turn(const Progress& progress) {
  bool is_shared = progress.threads > 1;
  double each = progress.own > 0 ? progress.own : is_shared ? progress.expected : 0;
  if (each <= 0) return progress.least;
  auto wanted = static_cast<std::uint64_t>(wanted_turn / each);
  if (is_shared) {
    std::uint64_t least = 1;
    // A thread whose parts took no time, such as those at an edge of a picture, must not take many of the
    // last ones for that: they may be the longest. Nor is what was true of the last launch true of this one.
    if (progress.own > 0) {
      double least_time = progress.follows_rows ? least_turn_in_rows : least_turn;
      least += static_cast<std::uint64_t>(least_time / std::max(each, progress.expected));
    }
    wanted = std::min(wanted, std::max(least, (progress.total - progress.taken) / (2 * progress.threads)));
  }
  return std::max(std::min(wanted, progress.most), progress.least);
}

std::uint64_t end_of_turn(std::uint64_t first, std::uint64_t wanted, std::uint64_t row) {
  std::uint64_t end = first + wanted;
  if (3 * wanted < row) return end;
  return std::max(first / row + 1, (end + row / 2) / row) * row;
}

} // namespace kern::cpu
