// A compilation as an object in this process: what the runtime loads, made without files and linkers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/aot/variants.h"
#include "compiler/driver/session/compilation.h"
#include "kern/runtime.h"

namespace kern {

// Owns everything that its kern_object points to, machine code included.
class JitObject {
public:
  virtual ~JitObject() = default;
  virtual const kern_object& get() const = 0;
};

// Compiles kernels for one target, a GPU or the CPU of this machine; null where an error was reported. For
// the CPU the module is cut into segments, so a GPU's object comes first.
std::unique_ptr<JitObject> make_jit_object(Compilation& compilation, TargetOptions target,
                                           std::span<const KernelCode> kernels);

// Returns the arch to compile for on a device.
std::string arch_of(const kern_device* device);

// Loads an object, which lives as long as a module, kernel or launch can use its code.
kern_error* load_jit_object(kern_device* device, std::unique_ptr<JitObject> object, kern_module** module);

} // namespace kern
