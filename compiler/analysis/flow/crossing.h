// Finds the values that live from one segment of a CPU kernel to another: lower/ keeps them in scratch
// memory, and all others in registers.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Says of each slot of a function that was cut into segments whether its value must outlive a segment: it is
// used outside segments or in several, or a loop around its segment brings it back to a read. A parameter
// that is never assigned does not cross.
std::vector<bool> find_crossing_slots(const ir::Function& function);

} // namespace kern
