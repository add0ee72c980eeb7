// Collects what a host has to know of a kernel to launch it, and to read what it prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/launch/index_use.h"
#include "compiler/analysis/launch/work.h"
#include "compiler/analysis/memory/access.h"
#include "compiler/ir/ir.h"

namespace kern {

// What is known of a kernel before any launch, of the module that the passes of every target made.
struct KernelFacts {
  std::vector<ParamAccess> access;  // of each slot that is a parameter
  std::vector<ir::SharedId> shared; // the arrays that it or what it calls uses, ascending
  IndexUse indices;                 // which indices it uses, not what its tests say of their numbers
  std::optional<Work> work;         // nothing where it would be too long to say
  bool prints = false;
  bool has_grid_barriers = false;
  bool waits = false;      // threads wait for others in loops
  std::uint64_t words = 0; // of shared memory, in which threads of a GPU tell each other what they found
};

// Finds them; `kernel` has its calls inlined where they can be.
KernelFacts find_kernel_facts(const ir::Module& module, ir::FunctionId kernel);

// Returns the bytes of dynamic shared memory that a block needs: the sum of the kernel's arrays, at least
// `asked`; nothing where an extent is none.
std::optional<std::uint64_t> dynamic_shared_bytes(const ir::Module& module, const KernelFacts& kernel,
                                                  const ExpressionInput& input, std::uint64_t asked);

// A print statement: its texts and the types of its arguments.
struct PrintFormat {
  std::vector<std::string> texts;
  std::vector<Type> types;
};
// Returns those of a module by site; a site that is none has no texts.
std::vector<PrintFormat> print_formats(const ir::Module& module);

} // namespace kern
