// How many blocks of a kernel a multiprocessor holds at a time, by the rules of its compute capability.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kern {

// What a multiprocessor has; all have 65,536 registers, in four parts.
struct Multiprocessor {
  int capability; // 90 of 9.0
  int blocks, warps;
  std::int64_t shared_bytes;       // of all blocks
  std::int64_t block_shared_bytes; // the most of one
};

// Returns the multiprocessor of an arch, of "sm_90" or "sm_90a"; of one that is not known the nearest older one.
std::optional<Multiprocessor> multiprocessor(std::string_view arch);

// What a block takes.
struct BlockNeeds {
  std::int64_t threads = 0;
  std::int64_t registers = 0; // of a thread
  std::int64_t shared_bytes = 0;
};

// Returns how many such blocks are on a multiprocessor at a time; 0 where not one fits.
std::int64_t resident_blocks(const Multiprocessor& on, const BlockNeeds& needs);

// Returns the percentage of the threads that a multiprocessor can hold.
int occupancy(const Multiprocessor& on, const BlockNeeds& needs);

// Returns the threads of the largest block that fits, a multiple of 32 and at most `most`; 0 where none does.
std::int64_t largest_block(const Multiprocessor& on, BlockNeeds needs, std::int64_t most);

} // namespace kern
