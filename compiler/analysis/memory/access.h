// Finds how a kernel accesses each of its array parameters, through views, swaps and calls.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct ParamAccess {
  bool read = false;
  bool written = false;     // by stores
  bool atomic = false;      // by atomics, which read and write
  bool all_written = false; // every element is proved to be written, before any is read
};

// Returns the access of each slot that is a parameter, in their order; scalars have none.
std::vector<ParamAccess> analyze_access(const ir::Module& module, ir::FunctionId function);

// Returns, for each slot of array type, the parameters that it may be a view of (none for shared and local
// arrays).
std::vector<std::vector<ir::SlotId>> analyze_views(const ir::Module& module, ir::FunctionId function);

} // namespace kern
