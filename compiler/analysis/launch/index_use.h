// Finds how a kernel uses the indices of its threads and blocks: over which axes a launch spreads, how many
// threads the kernel's own tests ask for, and whether the shape of a block is the kernel's own affair.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/ir/ir.h"

namespace kern {

// For one parameter block and one shape of blocks.
struct IndexUse {
  std::array<bool, 3> thread{}; // threadIdx of that axis is read
  std::array<bool, 3> block{};  // blockIdx of that axis is read
  // Barriers, shared arrays, or thread indices for anything but the index in the grid.
  bool cooperates = false;
  std::string why; // "has barriers"
  // The least number of threads (of blocks) along an axis for which the kernel's own tests hold, where it
  // tests.
  std::array<std::optional<std::int64_t>, 3> threads_tested{}, blocks_tested{};
};

// Analyses a kernel whose calls are inlined, where they can be.
IndexUse analyze_indices(const ir::Function& kernel, std::span<const std::uint64_t> params,
                         const std::array<std::uint64_t, 3>& block);

} // namespace kern
