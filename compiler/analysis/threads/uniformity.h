// Which values are the same in every thread of a block, and whether every barrier is reached by all live
// threads alike.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

class Diagnostics;

struct Uniformity {
  std::vector<bool> block_uniform; // of each slot, at every place where it is read
};

// Analyses one function; its parameters count as uniform where it is a kernel, else as `params_uniform` says.
Uniformity analyze_uniformity(const ir::Module& module, ir::FunctionId function,
                              const std::vector<bool>& params_uniform = {});

// Reports every barrier under control flow that is not block-uniform, with the chain of reasons and the
// `uniform(x)` that would help: an error, or a warning where `divergence_is_warning` (a .py file). One of the
// grid must be under control flow that is the same in the whole grid, or it is an error. Returns the kernels
// with a barrier of the block that was reported: their threads meet Apart, and what cannot be done so is an
// error.
std::vector<ir::FunctionId> check_barriers(const ir::Module& module, bool divergence_is_warning,
                                           Diagnostics& diagnostics);

} // namespace kern
