// Runs a compiled kernel over bound arguments: the parameter block, the launch record, dynamic shared memory,
// prints.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/launch.h"
#include "compiler/driver/session/compilation.h"

namespace kern {

// Returns the slots of the parameter block for the arguments, which are of the parameters' types; its last
// word is 0.
std::vector<std::uint64_t> make_params(const ir::Function& kernel, std::span<const Argument> arguments);

// Returns what the host knows about one launch that lets faster code run. If there are `wide` vectors and
// rows of the block fill them, lanes are twice as many as a register holds: two chains of instructions hide
// each other's latency (1.1 to 2 times as fast, benchmarks/bench.py).
LaneFacts lane_facts(const ir::Module& module, const ir::Function& kernel,
                     const std::vector<Argument>& arguments, const LaunchShape& shape, int asked_lanes,
                     bool wide);

} // namespace kern
