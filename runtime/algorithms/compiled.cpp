#include "runtime/algorithms/compiled.h"

#include <algorithm>
#include <memory>

#include "runtime/plans/arrays.h"

namespace kern::algorithms {

void CompileRequest::add(const std::string& kernel, std::span<const kern_argument> arguments, bool dense) {
  dense = dense && compiles_now;
  std::string text = kernel + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    kern_argument each = arguments[i];
    if (!dense && each.kind != KERN_SCALAR) each.strides[0] = 0; // its type says nothing of it
    text += (i ? ", " : "") + parameter_type(each);
  }
  text += ")";
  if (std::ranges::find(signatures, text) == signatures.end()) signatures.push_back(std::move(text));
}

static bool is_same(const kern_parameter& a, const kern_parameter& b) {
  return a.type == b.type && a.rank == b.rank && a.writable == b.writable;
}

kern_kernel* Compiled::kernel(const std::string& name, std::span<const kern_argument> arguments) const {
  std::vector<kern_parameter> parameters;
  for (const kern_argument& each : arguments)
    parameters.push_back({each.type, each.kind == KERN_SCALAR ? 0 : each.rank, each.writable});
  const std::lock_guard lock(mutex_);
  for (const Found& each : kernels_)
    if (each.name == name && std::ranges::equal(each.parameters, parameters, is_same))
      return each.kernel.get();
  kern_kernel* kernel = nullptr;
  raise(kern_module_kernel(module_.get(), name.c_str(), parameters.data(), parameters.size(), &kernel));
  kernels_.push_back({name, std::move(parameters), KernelOwner(kernel)});
  return kernel;
}

const Compiled& compiled(kern_device* device, CompileRequest request) {
  struct Entry {
    DeviceOwner device;
    CompileRequest request;
    std::unique_ptr<Compiled> compiled;
  };
  // Not destroyed: what was compiled for a device may not outlive what the process has of it at its end.
  static auto& mutex = *new std::mutex;
  static auto& entries = *new std::vector<Entry>;
  const auto find = [&]() -> const Compiled* {
    for (const Entry& each : entries)
      if (each.request == request && kern_device_same(each.device.get(), device)) return each.compiled.get();
    return nullptr;
  };
  {
    const std::lock_guard lock(mutex);
    if (const Compiled* found = find()) return *found;
  }
  // Others may compile meanwhile, and the same only once.
  auto made = std::make_unique<Compiled>(compile(device, request));
  const std::lock_guard lock(mutex);
  if (const Compiled* found = find()) return *found;
  entries.push_back({DeviceOwner(kern_device_retain(device)), std::move(request), std::move(made)});
  return *entries.back().compiled;
}

} // namespace kern::algorithms
