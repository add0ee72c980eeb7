// Sorts the names of --arch by target: it may be given several times, and each time hold several.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/session/options.h"
#include "compiler/lower/target.h"

namespace kern {

// Returns the names for one target: those for the GPU the oldest first (its PTX runs on the others too),
// those for the CPU as given.
std::vector<std::string> named_archs(const Options& options, Target target);

} // namespace kern
