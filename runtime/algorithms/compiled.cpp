#include "runtime/algorithms/compiled.h"

#include <algorithm>

namespace kern::algorithms {

kern_kernel* Compiled::kernel(const std::string& name, std::span<const kern_argument> arguments) const {
  const std::lock_guard lock(mutex_);
  if (kernel_) return kernel_.get();
  std::vector<kern_parameter> parameters;
  for (const kern_argument& each : arguments)
    parameters.push_back({each.type, each.kind == KERN_SCALAR ? 0 : each.rank, each.writable});
  kern_kernel* kernel = nullptr;
  raise(kern_module_kernel(module_.get(), name.c_str(), parameters.data(), parameters.size(), &kernel));
  kernel_.reset(kernel);
  return kernel;
}

namespace {

class Known {
public:
  const Compiled* find(kern_device* device, const CompileRequest& request) {
    const std::lock_guard lock(mutex_);
    for (const Entry& each : entries_)
      if (each.request == request && kern_device_same(each.device.get(), device)) return each.compiled.get();
    return nullptr;
  }
  // Two threads may have compiled the same; the first one's stays.
  const Compiled* add(kern_device* device, const CompileRequest& request, ModuleOwner module) {
    if (const Compiled* found = find(device, request)) return found;
    auto made = std::make_unique<Compiled>(std::move(module));
    const std::lock_guard lock(mutex_);
    entries_.push_back({DeviceOwner(kern_device_retain(device)), request, std::move(made)});
    return entries_.back().compiled.get();
  }

private:
  struct Entry {
    DeviceOwner device;
    CompileRequest request;
    std::unique_ptr<Compiled> compiled;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

} // namespace

std::vector<const Compiled*> compiled(kern_device* device, std::span<const CompileRequest> requests) {
  // Not destroyed: what was compiled for a device may not outlive what the process has of it at its end.
  static auto& known = *new Known;
  std::vector<std::shared_ptr<void>> begun(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto first = std::ranges::find(requests.first(i), requests[i]);
    if (first == requests.begin() + static_cast<std::ptrdiff_t>(i) && !known.find(device, requests[i]))
      begun[i] = begin_compile(device, requests[i]);
  }
  std::vector<const Compiled*> found;
  for (std::size_t i = 0; i < requests.size(); ++i)
    found.push_back(begun[i] ? known.add(device, requests[i], end_compile(begun[i].get()))
                             : known.find(device, requests[i]));
  return found;
}

} // namespace kern::algorithms
