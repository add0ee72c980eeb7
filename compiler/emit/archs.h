// Which architectures objects can hold code for.
#pragma once

#include <string>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/lower/target.h"

namespace kern {

// Says whether there is an arch of that name; reports where there is none.
bool check_arch(const std::string& name, Target target, Diagnostics& diagnostics);

// Returns "sm_80" for "sm_80" and for no name, what the JIT compiles for where nothing is named.
std::string gpu_arch(const TargetOptions& options);

} // namespace kern
