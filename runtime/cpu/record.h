// How the CPU uses a launch record beyond the calling convention, and the prints that a launch leaves in its
// ring.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "kern/abi.h"

namespace kern::cpu {

// The reserved words of a launch record that the CPU uses.
inline constexpr int stop_word = 0;     // address of a word that is not 0 where the launch is to end; or 0
inline constexpr int progress_word = 1; // counts what others may wait for: blocks that are done, ...
inline constexpr int parts_word = 2;    // not 0 where blocks run in parts
inline constexpr int stuck_word = 3;    // not 0 where a thread has given up waiting

struct RingDeleter {
  void operator()(kern_print_ring* ring) const;
};
using Ring = std::unique_ptr<kern_print_ring, RingDeleter>;

// Makes an empty ring; null where there is no memory.
Ring make_ring(std::uint64_t capacity_words);

// Calls `print` for each record of a ring that no kernel writes to any more, in the order in which they were
// made; returns whether all that was printed was there. Malformed records end it.
bool drain(const kern_print_ring& ring,
           const std::function<void(std::uint32_t site, std::span<const std::uint64_t> args)>& print);

} // namespace kern::cpu
