// The warning that code is too long to be optimised well, with what made it long.
#pragma once

#include <cstddef>
#include <string_view>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"

namespace kern::emitting {

// Reports a function of a module, by its symbol, once: its code is made for several machines.
void report_large(const ir::Module& module, const SourceManager& sources, std::string_view symbol,
                  std::size_t size, std::size_t most, Diagnostics& diagnostics);

} // namespace kern::emitting
