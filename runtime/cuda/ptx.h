// Which PTX a driver takes, and which code a device runs: known before the driver sees it.
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/facts.h"

namespace kern::cuda {

// Returns "12.4" of 12040, a version of the driver's interface.
std::string version_text(int driver_version);

// Says whether machine code for an architecture runs on a device: "sm_80" on 8.0 to 8.9, "sm_90a" on 9.0
// alone.
bool runs_cubin(std::string_view arch, const DeviceFacts& facts);
// Says whether of two that run there the first is made for the newer device.
bool is_newer(std::string_view left, std::string_view right);

// Says why the driver, or the device, cannot take a module's PTX, with both sides and what to do; "" where
// nothing is known against it.
std::string refusal(std::string_view ptx, const DeviceFacts& facts);

} // namespace kern::cuda
