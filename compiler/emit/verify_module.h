// Whether a module of LLVM IR is sound.
#pragma once

#include <string_view>

#include "compiler/diagnostics/diagnostics.h"

namespace llvm {
class Module;
}

namespace kern::emitting {

// Reports a module that LLVM's verifier refuses, with what it says; `phase` is what made it so. Returns
// whether it is sound.
bool verify_module(const llvm::Module& module, std::string_view phase, Diagnostics& diagnostics);

} // namespace kern::emitting
