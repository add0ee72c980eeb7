// Collects what a host has to know of a kernel to launch it, and to read what it prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Says whether a kernel or what it calls prints.
bool has_prints(const ir::Module& module, const ir::Function& kernel);
// Says whether a kernel or what it calls has a barrier of the grid.
bool has_grid_barriers(const ir::Module& module, const ir::Function& kernel);

// Returns the bytes of dynamic shared memory that a block needs: the sum of the kernel's arrays, at least
// `asked`; nothing where an extent is none.
std::optional<std::uint64_t> dynamic_shared_bytes(const ir::Module& module, const ir::Function& kernel,
                                                  const ExpressionInput& input, std::uint64_t asked);

// A print statement: its texts and the types of its arguments.
struct PrintFormat {
  std::vector<std::string> texts;
  std::vector<Type> types;
};
// Returns those of a module by site; a site that is none has no texts.
std::vector<PrintFormat> print_formats(const ir::Module& module);

} // namespace kern
