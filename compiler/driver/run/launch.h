// Over how many blocks of which shape a kernel runs: from --grid, --over and --block, else from the kernel
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "compiler/analysis/launch/index_use.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/driver/session/extents.h"
#include "compiler/driver/session/options.h"
#include "compiler/ir/ir.h"

namespace kern {

struct LaunchShape {
  Extents grid{1, 1, 1}; // blocks; 0 where there is nothing to do
  Extents block{1, 1, 1};
  bool is_free = false; // nobody says what the block is
};

// Decides the shape of a launch of a kernel, of which `use` says what it does with its indices; what is wrong or cannot be known is reported. A block that nobody says is
// `suited`, or where that is not known has 256 threads.
LaunchShape choose_launch(const ir::Function& kernel, const IndexUse& use,
                          std::span<const std::uint64_t> params, const Options& options,
                          const std::optional<Extents>& suited, Diagnostics& diagnostics);

} // namespace kern
