// Machine code and PTX into a context. PTX is compiled by the driver, whole: what its linker makes of the
// same text keeps to the calling convention between objects, and is slower. The driver keeps what it compiled
// on disk (compute_cache.h).
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/driver.h"

namespace kern::cuda {

// How a load went: the driver's result, and what it said about it.
struct Outcome {
  Result result = 0; // 0: done
  std::string log;
};

// Loads machine code into the current context.
Outcome load_cubin(const Driver& driver, const void* cubin, ModuleHandle& module);

// Compiles PTX for the current context's device and loads what came out.
Outcome load_ptx(const Driver& driver, std::string_view ptx, ModuleHandle& module);

} // namespace kern::cuda
