// Which architectures objects can hold code for.
#pragma once

#include <string>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/lower/target.h"

namespace kern {

// Says whether there is an arch of that name; reports where there is none.
bool check_arch(const std::string& name, Target target, Diagnostics& diagnostics);

} // namespace kern
