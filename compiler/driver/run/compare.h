// When two devices agree on what a kernel computed (docs/language.md: what may differ is a closed list).
#pragma once

#include <string>

#include "compiler/driver/data/array.h"
#include "compiler/ir/ir.h"

namespace kern {

// How far the floats of two devices may lie apart after one kernel.
struct Allowance {
  double relative = 0; // of an array's largest magnitude; 0: equal bit for bit
  std::string why;     // "math.sin is within 4 ulp"
};

// Returns what the language allows for a kernel: 16 times the bound of the math function with the greatest,
// because what is computed with its value grows its error; 4096 units in the last place where floats are
// added by atomics, in any order, or fast math reorders.
Allowance device_allowance(const ir::Module& module, const ir::Function& kernel);

// Says how an array was compared: "bit for bit", "within 7.6e-06 of its largest value (math.sin is ...)".
std::string describe(const Allowance& allowance, ScalarKind element);

// Compares an array as two devices left it; returns "" or where they differ first, with both values.
std::string device_difference(const HostArray& first, const HostArray& second, const Allowance& allowance);

} // namespace kern
