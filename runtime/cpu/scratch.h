// How much scratch a block of a CPU kernel needs (docs/abi.md).
#pragma once

#include <cstdint>

#include "kern/abi.h"

namespace kern::cpu {

// Returns the bytes for one block of that shape, dynamic shared memory not counted; a multiple of 64.
inline std::uint64_t scratch_bytes(const kern_object_entry& entry, const std::uint32_t (&block)[3]) {
  std::uint64_t x = block[0], rest = std::uint64_t{block[1]} * block[2], lanes = entry.lanes;
  std::uint64_t vectors =
      entry.linear_thread_id ? (x * rest + lanes - 1) / lanes : (x + lanes - 1) / lanes * rest;
  return (entry.scratch_bytes + entry.scratch_bytes_per_vector * vectors + 63) / 64 * 64;
}

} // namespace kern::cpu
