// Where a segment of a CPU kernel may be begun again from its start: nothing has been done yet that may not
// be done twice. A vector that comes to a place its plain copy cannot handle starts over with masks there.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Returns the statements of a segment before which it may be begun again, those of loops only where little is
// lost: at what stops a kernel, not at each turn. `crossing` says of each slot whether it outlives the
// segment; other slots begin anew.
std::unordered_set<const ir::Stmt*> find_repeatable(const ir::Segment& segment,
                                                    const std::vector<bool>& crossing);

} // namespace kern
