// Remarks on programs that compile and probably do not do what was meant, or do it slowly.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace kern {

class Diagnostics;

// Runs the lints of lints.def some of whose warnings are wanted; each reports a cause once, with its count. The module is as
// the checker made it. Returns the names of those that ran.
std::vector<std::string_view> lint(const ir::Module& module, const SourceManager& sources, bool is_numba,
                                   Diagnostics& diagnostics);

} // namespace kern
