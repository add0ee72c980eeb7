// Says which code of a kernel an object carries, and which facts each piece relies on: for the CPU one with
// every fact that speeds code up, and one with none; for a GPU what transform/variants.cpp made of it, which
// is the same where facts gain anything.
#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/threads/shape.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"

namespace kern {

struct Variant {
  Target target;
  std::string symbol;            // the kernel's; with "$v1" and so on behind it
  LaneFacts lanes;               // CPU
  std::vector<Expression> facts; // what the host tests before it takes this one
};

// A kernel of the transformed module, and which code of it is wanted.
struct KernelCode {
  std::string symbol;
  std::vector<Variant> variants;
};

// Returns every kernel of a module with its variants for a target, as an ahead-of-time object has them.
std::vector<KernelCode> all_kernels(const ir::Module& module, Target target, int lanes);

// Returns a kernel's variants for a target in the order in which a launch tries them; the last one has no
// facts. Those for a GPU are read off `module`, which was made for it; those for the CPU have vectors of so many
// lanes, unless the kernel needs others.
std::vector<Variant> kernel_variants(const ir::Module& module, const ir::Function& kernel, Target target,
                                     int lanes = default_lanes);

} // namespace kern
