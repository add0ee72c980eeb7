// A plugin with the runtime inside stays in the process.
#pragma once

namespace kern::runtime {

// Keeps the library or program that this is linked into mapped, also behind dlclose: threads of pools, of drivers and of
// CUDA run its code until the process ends, and streams may outlive main.
void stay_loaded();

} // namespace kern::runtime
