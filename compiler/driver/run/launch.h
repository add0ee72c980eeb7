// Over how many blocks of which shape a kernel runs: from --grid, --over and --block, else from the kernel
// itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/driver/options.h"
#include "compiler/ir/ir.h"

namespace kern {

using Extents = std::array<std::uint64_t, 3>;

struct LaunchShape {
  Extents grid{1, 1, 1}; // blocks; 0 where there is nothing to do
  Extents block{1, 1, 1};
};

// What a kernel does with the indices of its threads and blocks, for one parameter block and one shape of
// blocks.
struct IndexUse {
  std::array<bool, 3> thread{}; // threadIdx of that axis is read
  std::array<bool, 3> block{};  // blockIdx of that axis is read
  bool cooperates =
      false;       // barriers, shared arrays, or thread indices for anything but the index in the grid
  std::string why; // "has barriers"
  // The least number of threads (of blocks) along an axis for which the kernel's own tests hold, where it
  // tests.
  std::array<std::optional<std::int64_t>, 3> threads_tested{}, blocks_tested{};
};

// Analyses a kernel whose calls are inlined, where they can be.
IndexUse analyze_indices(const ir::Function& kernel, std::span<const std::uint64_t> params,
                         const Extents& block);

// Decides the shape of a launch; what is wrong or cannot be known is reported.
LaunchShape choose_launch(const ir::Function& kernel, std::span<const std::uint64_t> params,
                          const Options& options, Diagnostics& diagnostics);

} // namespace kern
