// Which PTX a driver takes, and a device runs: read off the text, before the driver sees it.
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/facts.h"

namespace kern::cuda {

// Returns "12.4" of 12040, a version of the driver's interface.
std::string version_text(int driver_version);

// Says why the driver, or the device, cannot take a module's PTX, with both sides and what to do; "" where
// nothing is known against it.
std::string refusal(std::string_view ptx, const DeviceFacts& facts);

} // namespace kern::cuda
