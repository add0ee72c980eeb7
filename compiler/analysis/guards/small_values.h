// Which integers of 64 bits an i32 holds, as the walk that proves guards finds them.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/analysis/ranges.h"
#include "compiler/ir/ir.h"

namespace kern {

// Integers of 64 bits that fit an i32: what Assigns give and the variables of Fors, with the start and step of
// these, operands of Compares, products and quotients, and counts of Fors. Nothing is said of statements that no thread reaches.
struct SmallValues {
  std::unordered_set<const void*> results;  // ir::Assign and ir::For
  std::unordered_set<const void*> operands; // ir::Operand
  std::unordered_set<const void*>
      naturals; // ir::Operand, of Binaries: the left one not negative, the right one not 0 either
  std::unordered_map<const void*, Interval>
      ranges; // ir::Operand, of sums and differences, and counts of Fors
};

// Walks a function, and returns which of its integers are small.
SmallValues find_small_values(const ir::Module& module, const ir::Function& function);

} // namespace kern
