// The bridge from the runtime to the compiler: options become the compiler's, its diagnostics an error of the runtime, its
// code an object that the runtime loads.
#pragma once

#include <memory>
#include <vector>

#include "runtime/api/error.h"
#include "runtime/jit/request.h"

namespace kern::jit {

struct ReleaseModule {
  void operator()(kern_module* module) const { kern_module_release(module); }
};

// The outcome of a request.
struct Result {
  std::unique_ptr<kern_module, ReleaseModule> module; // null where there is an error
  runtime::Error error;
  std::vector<runtime::Diagnostic> told; // warnings too
};

// Compiles and loads. Throws std::bad_alloc, and what the machine has no more of; what is wrong with the request is in the
// result.
Result compile(kern_device* device, const Request& request);

} // namespace kern::jit
