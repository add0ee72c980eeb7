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
inline constexpr int flags_word = 2;    // these:
inline constexpr std::uint64_t in_parts = 1; // blocks run in parts
inline constexpr std::uint64_t has_left = 2; // a thread has left by a fault

enum class FaultKind : std::uint32_t {
#define FAULT(Name, Code, Text) Name,
#include "kern/faults.def"
};

// Says whether a thread has left by a fault; a note is of one that went on.
inline bool has_fault(const kern_fault_record& record) {
  return record.state == KERN_FAULT_WRITING || record.state == KERN_FAULT_THERE;
}

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
