// How a launch is divided: how many threads share it, blocks into parts where there are few, and parts into the turns
// that threads take. All of it follows from the launch and the threads that there are, nothing from a clock: the same
// launch is always divided alike, whatever ran before it and however busy the machine is.
#pragma once

#include <cstdint>

namespace kern::cpu {

struct Launch;

struct Schedule {
  unsigned threads = 1;                       // that take turns; 1: nobody but the launching one is asked
  std::uint32_t rows = 1;                     // of threads, of a part of a block
  std::uint64_t parts = 1;                    // of a block
  std::uint64_t total = 0;                    // parts of all blocks
  std::uint64_t least = 1, most = UINT64_MAX; // parts of a turn
  unsigned turns = 1;    // that a thread would take of what is left, if all were as long as the next one
  std::uint64_t row = 0; // blocks in a row, where turns best end with one; 0: they end anywhere
};

// Divides a launch, whose grid and block have no extent of 0, for a pool of so many threads.
Schedule schedule_of(const Launch& launch, unsigned threads);

// Returns where the turn ends that begins with this part: behind it, and at most at the end of the launch. A turn is
// long enough to be worth it, and those at the end are short, so that all threads end at about the same time.
std::uint64_t end_of_turn(const Schedule& schedule, std::uint64_t first);

} // namespace kern::cpu
