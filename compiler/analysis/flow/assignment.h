// Which variables may be read before they are assigned: what inlining must zero, what a loop carries from one
// iteration to the next, what -Wunset warns about.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Returns, for each Variable that some path reads before it assigns it, the place of the first such read.
// Paths are those of one execution of the innermost body that holds all uses of the variable; a loop may run
// no iteration unless its count is a constant above 0.
std::vector<std::optional<Span>> find_unset_reads(const ir::Function& function);

} // namespace kern
