// Kernels of the library's modules, compiled for the types of a call; what was compiled once stays.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/algorithms/handles.h"
#include "runtime/plans/settings.h"

namespace kern::algorithms {

struct CompileRequest {
  std::string module;
  std::vector<std::string> defines, signatures;
  std::vector<SourceFile> files;
  std::vector<std::string> folders;
  // Asks for a kernel with these arguments. Dense: the elements of all arrays of the call lie side by side, which the kernels are told;
  // else no kernel is, as there may be only one for each combination of types.
  void add(const std::string& kernel, std::span<const kern_argument> arguments, bool dense);
  bool operator==(const CompileRequest&) const = default;
};

// The kernels of one request; any thread may ask.
class Compiled {
public:
  explicit Compiled(ModuleOwner module) : module_(std::move(module)) {}
  kern_kernel* kernel(const std::string& name, std::span<const kern_argument> arguments) const;

private:
  struct Found {
    std::string name;
    std::vector<kern_parameter> parameters;
    KernelOwner kernel;
  };
  ModuleOwner module_;
  mutable std::mutex mutex_;
  mutable std::vector<Found> kernels_;
};

// ---- compile_now.cpp, or ahead/compile_ahead.cpp where there is no compiler ----
// Says whether any request can be compiled, which then is for just the arrays of a call. Ahead of time an instance is for all strides.
extern const bool compiles_now;
ModuleOwner compile(kern_device* device, const CompileRequest& request);

// Returns what a request is compiled to for a device; it lives as long as the process.
const Compiled& compiled(kern_device* device, CompileRequest request);

} // namespace kern::algorithms
