// Makes lines of what kernels print.
#pragma once

#include <string>

#include "kern/abi.h"
#include "runtime/manifest/manifest.h"

namespace kern::runtime {

// Returns the lines of a ring that no kernel writes to any more.
std::string printed_text(const Manifest& manifest, const kern_print_ring& ring);

} // namespace kern::runtime
