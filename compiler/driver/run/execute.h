// Runs a compiled kernel over bound arguments: the parameter block, the launch record, dynamic shared memory,
// prints.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/compilation.h"
#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/launch.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/record.h"

namespace kern {

// Threads to a vector where neither --lanes nor a warp collective decides.
inline constexpr int default_lanes = 1;

// Returns the slots of the parameter block for the arguments, which are of the parameters' types; its last
// word is 0.
std::vector<std::uint64_t> make_params(const ir::Function& kernel, const std::vector<Argument>& arguments);

// Returns the bytes of dynamic shared memory that a block needs: the sum of the kernel's arrays, at least
// `asked`.
std::optional<std::uint64_t> dynamic_shared_bytes(const ir::Module& module, const ir::Function& kernel,
                                                  const ExpressionInput& input, std::uint64_t asked);

// What the host knows about one launch that lets faster code run (design.md, Facts and variants).
LaneFacts lane_facts(const ir::Module& module, const ir::Function& kernel,
                     const std::vector<Argument>& arguments, const LaunchShape& shape, int asked_lanes);

// One run of a kernel.
struct RunResult {
  kern_fault_record fault{};
  cpu::Ring prints;
  bool done = false; // false where there was no memory for scratch
  double milliseconds = 0;
};

struct Execution {
  kern_cpu_entry entry;
  LaunchShape shape;
  std::size_t scratch_bytes;
  std::uint64_t shared_bytes;
};

// Runs every block; `blocks_done` counts them for whoever watches.
RunResult execute(const Execution& execution, std::vector<std::uint64_t> params, cpu::Pool& pool, bool prints,
                  std::atomic<std::uint64_t>* blocks_done);

} // namespace kern
