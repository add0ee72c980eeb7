// Remarks on programs that compile and probably do not do what was meant, or do it slowly.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/check/load.h"
#include "compiler/ir/ir.h"

namespace kern {

// Runs the lints of lints.def some of whose warnings are wanted; each reports a cause once, with its count. The module is as
// the checker made it of the program. Returns the names of those that ran.
std::vector<std::string_view> lint(const ir::Module& module, const Program& program,
                                   Diagnostics& diagnostics);

} // namespace kern
