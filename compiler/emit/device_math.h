// Links the device math that a GPU module calls.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/emit/emit.h"

namespace kern::emitting {

// Links what the module calls of `__nv_*`; returns the name of the library ("none" where nothing was called),
// or reports what is missing and returns "".
std::string link_device_math(llvm::Module& module, Diagnostics& diagnostics);

} // namespace kern::emitting
