// PTX to machine code by the driver's own compiler, and machine code into a context.
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/driver.h"

namespace kern::cuda {

// How one of the two went: the call that failed, its result, and what the driver said about it.
struct Outcome {
  const char* call = "";
  Result result = 0; // 0: done
  std::string log;
};

// Compiles and links PTX for the current context's device; `cubin` gets the machine code.
Outcome link(const Driver& driver, std::string_view ptx, std::string& cubin);

// Loads machine code into the current context.
Outcome load(const Driver& driver, const void* cubin, ModuleHandle& module);

} // namespace kern::cuda
