// Which functions of a file are kernels.
#pragma once

#include <string>

#include "compiler/driver/session/compilation.h"

namespace kern {

// Says whether the decorators of a function of the root file make it a kernel: @kernel, @cuda.jit without
// device=True, with or without a call.
bool is_kernel(const Program& program, const ast::FunctionDef& function);

// Says whether a checked module has kernels; where it has none, that is reported with what to add.
bool has_kernels(Compilation& compilation, const std::string& file);

} // namespace kern
