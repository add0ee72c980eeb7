// Kernels of the library's modules, compiled for the types of a call; what was compiled once stays.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/algorithms/handles.h"
#include "runtime/plans/settings.h"

namespace kern::algorithms {

// A kernel of a module with certain constants, for certain types.
struct CompileRequest {
  std::string module;
  std::vector<std::string> defines;
  std::string signature; // "sort_pass(u32[::1], u32[::1], u32[:, :], u32[:, :], i32)"
  std::vector<SourceFile> files;
  std::vector<std::string> folders;
  bool operator==(const CompileRequest&) const = default;
};

// The kernel of a request.
class Compiled {
public:
  explicit Compiled(ModuleOwner module) : module_(std::move(module)) {}
  // Returns it, for arguments of the request's types; any thread may ask.
  kern_kernel* kernel(const std::string& name, std::span<const kern_argument> arguments) const;

private:
  ModuleOwner module_;
  mutable std::mutex mutex_;
  mutable KernelOwner kernel_;
};

// ---- compile_now.cpp, or ahead/compile_ahead.cpp where there is no compiler ----
// Says whether any request can be compiled, which then is for just the arrays of a call. Ahead of time an instance is for all strides.
extern const bool compiles_now;
// Begins it; several are then compiled side by side.
std::shared_ptr<void> begin_compile(kern_device* device, const CompileRequest& request);
// Waits for what begin_compile() returned.
ModuleOwner end_compile(void* begun);

// Returns what requests are compiled to for a device, in their order; it lives as long as the process.
std::vector<const Compiled*> compiled(kern_device* device, std::span<const CompileRequest> requests);

} // namespace kern::algorithms
