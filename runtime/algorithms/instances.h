// The kernels that were compiled of one formula: one for each device and combination of types and axes.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/algorithms/handles.h"

namespace kern::algorithms {

// Any thread may ask.
class Instances {
public:
  // `names` are those of the arguments that a caller gives, the first ones of a kernel.
  Instances(std::string title, std::vector<std::string> names)
      : title_(std::move(title)), names_(std::move(names)) {}
  // Returns the only kernel `name` of a source, whose parameters are the arguments' types. It is compiled the first time; in
  // messages the source is called by the title, `<elementwise y = a * x>`.
  kern_kernel* kernel(DeviceOwner device, std::string source, const char* name,
                      std::span<const kern_argument> arguments);

private:
  KernelOwner compile(kern_device* device, const std::string& source, const char* name,
                      std::span<const kern_argument> arguments) const;

  struct Instance {
    DeviceOwner device;
    std::string source;
    KernelOwner kernel;
  };
  std::string title_;
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::vector<Instance> all_;
};

} // namespace kern::algorithms
