// How a launch is divided: blocks into parts, where there are few, and parts into the turns that threads
// take.
#pragma once

#include <cstdint>

#include "runtime/cpu/pool.h"

namespace kern::cpu {

// Returns how many rows of a block make a part: all, or fewer where there are few blocks and the kernel
// allows it. A block took `known` ns when it was last launched; 0 where it was not.
std::uint32_t rows_of_part(const Launch& launch, unsigned threads, double known);

// Returns how many neighbouring blocks a thread takes at least: as many as a call best runs, or fewer, so
// that all threads take as many.
std::uint64_t blocks_of_turn(const Launch& launch, unsigned threads);

// What a thread knows when it begins a turn.
struct Progress {
  std::uint64_t total = 0;         // parts of the launch
  std::uint64_t taken = 0;         // of them, by any thread
  unsigned threads = 1;            // that may take some
  std::uint64_t least = 1;         // parts that it takes at least
  std::uint64_t most = UINT64_MAX; // and at most, where that is no less
  bool follows_rows = false;       // of the launch
  double own = 0;      // ns of a part, mean of those that this thread has run; 0 where it has run none
  double expected = 0; // ns of a part, mean of the last launch; 0 where there was none
};

// Returns how many neighbouring parts a thread takes at once, at least `least`: as many as fill the time of a
// turn, and few enough that all threads end at about the same time.
std::uint64_t parts_of_turn(const Progress& progress);

// Returns where a turn of about so many blocks ends that follows rows of blocks: with a row, unless rows are
// much longer, so that what two threads write has few cache lines in common.
std::uint64_t end_of_turn(std::uint64_t first, std::uint64_t wanted, std::uint64_t row);

} // namespace kern::cpu
