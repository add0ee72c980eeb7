#include "runtime/algorithms/instances.h"

#include "kern/jit.h"
#include "runtime/algorithms/elementwise.h"
#include "runtime/api/error.h"

namespace kern::algorithms {

// The types that a text was compiled for are what is mostly wrong with it.
static std::string note_of(std::span<const std::string> names, std::span<const kern_argument> arguments) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i ? ", " : "") + names[i] + ": " + parameter_type(arguments[i]);
  return "note: the arguments are " + list;
}

KernelOwner Instances::compile(kern_device* device, const std::string& source, const char* name,
                               std::span<const kern_argument> arguments) const {
  kern_compile_options options{};
  options.struct_size = sizeof options;
  options.name = title_.c_str();
  kern_module* module = nullptr;
  if (kern_error* refused = kern_compile(device, source.data(), source.size(), &options, &module)) {
    runtime::Error error = runtime::take_error(refused);
    if (error.kind == KERN_COMPILE_ERROR)
      error.message += (error.message.ends_with('\n') ? "" : "\n") + note_of(names_, arguments);
    runtime::fail(std::move(error));
  }
  const ModuleOwner owner(module);
  std::vector<kern_parameter> parameters;
  for (const kern_argument& each : arguments)
    parameters.push_back({each.type, each.kind == KERN_SCALAR ? 0 : each.rank, each.writable});
  kern_kernel* kernel = nullptr;
  raise(kern_module_kernel(module, name, parameters.data(), parameters.size(), &kernel));
  return KernelOwner(kernel);
}

kern_kernel* Instances::kernel(DeviceOwner device, std::string source, const char* name,
                               std::span<const kern_argument> arguments) {
  const std::lock_guard lock(mutex_);
  for (const Instance& each : all_)
    if (each.source == source && kern_device_same(each.device.get(), device.get())) return each.kernel.get();
  KernelOwner kernel = compile(device.get(), source, name, arguments);
  all_.push_back({std::move(device), std::move(source), std::move(kernel)});
  return all_.back().kernel.get();
}

} // namespace kern::algorithms
