// The warning that a local array is in memory.
#pragma once

#include <span>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/emit/local_arrays.h"
#include "compiler/ir/ir.h"

namespace kern::emitting {

// Reports each array once: it is in every variant of its kernel.
void report_local_memory(std::span<const InMemory> arrays, const ir::Module& module,
                         const SourceManager& sources, Diagnostics& diagnostics);

} // namespace kern::emitting
