// Asks the driver what a CUDA device is, as far as it says without a context.
#pragma once

#include "runtime/cuda/driver.h"

namespace kern::cuda {

struct DeviceFacts {
  DeviceHandle device = 0;
  std::string name;
  int major = 0, minor = 0;       // the compute capability
  int driver_version = 0;         // of the interface that the driver has: 12040 is 12.4
  std::uint64_t memory_bytes = 0; // of the device
  std::uint64_t shared_bytes = 0; // the most that a block can be opted in to
  std::uint64_t multiprocessors = 0;
};

// Reads the facts of a device by its number among CUDA_VISIBLE_DEVICES; where a call fails, returns its
// result and names it in `failed`.
Result read_facts(const Driver& driver, int ordinal, DeviceFacts& facts, const char*& failed);

} // namespace kern::cuda
