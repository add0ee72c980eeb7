// Variables of 64 bits that a loop counts in and that always hold what 32 bits can: by their type 64 bits are
// what they mean, and a GPU, whose registers have 32, pays twice for each step and test of them.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct NarrowCounters {
  std::vector<ir::SlotId> slots; // ascending
  // The other integers of 64 bits that fit an i32: operands of Compares, and counts of Fors.
  std::unordered_set<const void*> small_operands;
};

// Says whether a function has variables of type i64 that are assigned in a loop and of which no index is made.
bool has_counters(const ir::Function& function);
// Finds the variables of type i64 that are assigned in a loop, of which no index is made and whose every value
// is proved to fit an i32; where there are none no comparisons are looked for.
NarrowCounters find_narrow_counters(const ir::Module& module, ir::FunctionId id);

} // namespace kern
