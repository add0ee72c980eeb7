// From the arguments of a call to a launch that cannot go wrong on the host: everything is checked first.
#pragma once

#include <array>
#include <span>

#include "runtime/api/device.h"

namespace kern::runtime {

// Returns the kernel with these parameters that has that name or symbol; throws with what there is instead.
const Plan& find_kernel(const Module& module, std::string_view name,
                        std::span<const kern_parameter> parameters);

// A call of a kernel, as the program makes it.
struct Call {
  const std::shared_ptr<const Module>& module;
  const Plan& plan;
  const kern_launch_options& options;
  std::span<const kern_argument> arguments;
};

// Returns the bytes of an array in host memory, whose elements lie side by side.
std::uint64_t host_bytes(const kern_argument& argument);

// Returns the block of a launch that names none: the kernel's own, else what keeps the device busiest. Throws
// ArgumentError where the kernel needs to be told.
std::array<std::uint64_t, 3> free_block(const Plan& plan, Device& device);

// Throws where an argument is not what its parameter takes; returns whether there are arrays in host memory.
bool check_arguments(const Call& call);

// Makes the launch of arguments that were checked; says whether there is anything to run. `params` has a word
// for each slot. Throws ArgumentError or ContractError.
bool prepare(const Call& call, std::span<std::uint64_t> params, Launch& launch);

} // namespace kern::runtime
