// What kernels print, as lines on the standard output.
#pragma once

#include "kern/abi.h"
#include "runtime/manifest/manifest.h"

namespace kern::runtime {

// Writes the records of a ring that no kernel writes to any more.
void write_prints(const Manifest& manifest, const kern_print_ring& ring);

} // namespace kern::runtime
