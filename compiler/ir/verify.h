// Checks what every phase promises the next one about IR.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Returns one sentence for each broken rule; empty for a sound module. Debug builds assert so after every
// phase.
std::vector<std::string> verify(const Module& module);

} // namespace kern::ir
