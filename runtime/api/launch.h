// From the arguments of a call to a launch that cannot go wrong on the host: everything is checked first.
#pragma once

#include <span>

#include "runtime/api/device.h"

namespace kern::runtime {

// Returns the kernel with these parameters that has that name or symbol; throws with what there is instead.
const ManifestKernel& find_kernel(const Module& module, std::string_view name,
                                  std::span<const kern_parameter> parameters);

// What a call says: memory is null for arrays that are still to be staged.
struct Call {
  std::shared_ptr<const Module> module;
  const ManifestKernel* kernel = nullptr;
  const kern_launch_options* options = nullptr;
  std::span<const kern_argument> arguments;
  std::span<const std::shared_ptr<Memory>> memory;  // of each argument; null where nobody's
  std::span<const std::shared_ptr<Device>> devices; // whose it is; null where not known
};

// Returns the bytes of an array in host memory, whose elements lie side by side.
std::uint64_t host_bytes(const kern_argument& argument);

// Throws where an argument is not what its parameter takes.
void check_arguments(const Call& call);

// Returns the launch; nothing where there is nothing to run. Throws ArgumentError or ContractError.
std::optional<Launch> prepare(const Call& call);

} // namespace kern::runtime
