// The command line first, then `block=` and the kernel's own tests. What a GPU would refuse is refused here
// too, so that a program that runs on the CPU runs there.
#include "compiler/driver/run/launch.h"

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/support/limits.h"
#include "runtime/common/shape.h"

namespace kern {

static constexpr std::string_view axis_names[] = {"x", "y", "z"};

static bool check_block(const Extents& block, std::string_view option, Diagnostics& diagnostics) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (block[axis] > static_cast<std::uint64_t>(limits::launch_block[axis])) {
      diagnostics.report({}, diag::bad_extents, option,
                         fmt::format("a block has at most {} threads along {}", limits::launch_block[axis],
                                     axis_names[axis]));
      return false;
    }
  if (block[0] * block[1] * block[2] <= std::uint64_t{limits::launch_threads}) return true;
  diagnostics.report({}, diag::bad_extents, option,
                     fmt::format("a block of {} has {} threads; the most is {}", to_string(block),
                                 block[0] * block[1] * block[2], limits::launch_threads));
  return false;
}

// Returns the block that is said; nothing where none is, or where it is wrong, which is reported.
static std::optional<Extents> said_block(const ir::Function& kernel, const Options& options,
                                         Diagnostics& diagnostics) {
  std::optional<Extents> fixed;
  if (kernel.options.block) {
    fixed.emplace();
    for (std::size_t axis = 0; axis < 3; ++axis)
      (*fixed)[axis] = static_cast<std::uint64_t>((*kernel.options.block)[axis]);
  }
  if (!options.block.empty()) {
    std::optional<Extents> block = parse_extents("--block", options.block, false, diagnostics);
    if (!block || !check_block(*block, "--block", diagnostics)) return std::nullopt;
    if (fixed && *fixed != *block) {
      diagnostics.report({}, diag::wrong_block, options.block, kernel.name, to_string(*fixed));
      return std::nullopt;
    }
    auto most = static_cast<std::uint64_t>(kernel.options.max_threads);
    std::uint64_t threads = (*block)[0] * (*block)[1] * (*block)[2];
    if (most > 0 && threads > most) {
      diagnostics.report(
          {}, diag::bad_extents, "--block",
          fmt::format("{} threads are more than the kernel's launch bounds of {}", threads, most));
      return std::nullopt;
    }
    return block;
  }
  return fixed;
}

// The extents that the kernel's own tests give; what is missing is reported.
static std::optional<Extents> derived_grid(const IndexUse& use, const Extents& block,
                                           Diagnostics& diagnostics) {
  Extents grid = {1, 1, 1};
  bool uses_any = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!use.block[axis]) continue;
    uses_any = true;
    const auto &threads = use.threads_tested[axis], &blocks = use.blocks_tested[axis];
    if (!threads && !blocks) {
      diagnostics.report(
          {}, diag::unknown_launch,
          fmt::format("its index along {} is compared with no extent or argument; give --over or --grid",
                      axis_names[axis]));
      return std::nullopt;
    }
    std::uint64_t of_threads =
        threads ? (static_cast<std::uint64_t>(*threads) + block[axis] - 1) / block[axis] : 0;
    grid[axis] = std::max(of_threads, static_cast<std::uint64_t>(blocks.value_or(0)));
  }
  if (uses_any) return grid;
  diagnostics.report({}, diag::unknown_launch, "it uses no index of a grid; give --grid");
  return std::nullopt;
}

LaunchShape choose_launch(const ir::Function& kernel, const IndexUse& use,
                          std::span<const std::uint64_t> params, const Options& options,
                          const std::optional<Extents>& suited, Diagnostics& diagnostics) {
  LaunchShape shape;
  shape.is_free = options.block.empty() && !kernel.options.block;
  if (shape.is_free && use.cooperates) diagnostics.report({}, diag::needs_block, kernel.name, use.why);
  std::optional<Extents> block = said_block(kernel, options, diagnostics);
  if (diagnostics.has_errors()) return shape;
  const auto most_threads = static_cast<std::uint64_t>(kernel.options.max_threads);
  shape.block = block ? *block : suited ? *suited : default_block(use.thread, most_threads);
  std::optional<Extents> grid;
  if (!options.grid.empty() && !options.over.empty()) {
    diagnostics.report({}, diag::bad_command_line,
                       "--grid counts blocks and --over threads: give one of them");
  } else if (!options.grid.empty()) {
    grid = parse_extents("--grid", options.grid, true, diagnostics);
  } else if (!options.over.empty()) {
    grid = parse_extents("--over", options.over, true, diagnostics);
    for (std::size_t axis = 0; grid && axis < 3; ++axis)
      (*grid)[axis] = (*grid)[axis] / shape.block[axis] + ((*grid)[axis] % shape.block[axis] != 0);
  } else {
    grid = derived_grid(analyze_indices(kernel, params, shape.block), shape.block, diagnostics);
  }
  if (!grid) return shape;
  shape.grid = *grid;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (shape.grid[axis] > static_cast<std::uint64_t>(limits::launch_grid[axis]))
      diagnostics.report({}, diag::bad_extents, options.over.empty() ? "--grid" : "--over",
                         fmt::format("a grid has at most {} blocks along {}, and this is {}",
                                     limits::launch_grid[axis], axis_names[axis], shape.grid[axis]));
  return shape;
}

} // namespace kern
