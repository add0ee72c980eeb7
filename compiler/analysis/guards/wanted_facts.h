// Finds facts that a launch could test about its arguments so that threads need not test guards of a kernel:
// that an array is at least as long as another one, or as a number, that the program compares the same index
// with.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Returns such facts of a kernel, each `extent >= sum of products of numbers` or, for arrays of constant extents,
// `blockDim.x <= constant`, in the order of the guards that they would prove, behind what the sums rest on: `scalar >=
// constant`, `scalar <= constant`, `sum <= 2^31 - 1`. They are what most launches hold to: an index that is compared with
// nothing and that the launch does not limit gives none.
std::vector<Expression> find_wanted_facts(const ir::Module& module, ir::FunctionId kernel);

} // namespace kern
