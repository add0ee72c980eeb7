// Finds where a variable lives: the region in which all lanes that see it agree on who they are. Private to
// analysis/threads/.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// The depth of the body that holds all uses of a slot, by slot; the function's body has depth 0, the bodies
// directly inside its statements 1. Head and body of a while count as one. A value that outlives an iteration
// (it is read before it is assigned) lives outside the outermost loop around it.
std::vector<std::uint32_t> find_homes(const ir::Function& function, const std::vector<bool>& outlives);

} // namespace kern
