// A request in the compiler's own terms.
#pragma once

#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/compilation.h"
#include "runtime/jit/request.h"

namespace kern::jit {

// Returns what kernc would be told for it; what is wrong is reported.
Options kernc_options(const Request& request, Diagnostics& diagnostics);
// Returns the same as the compiler's own options: values come from no file, and imports from the folders and files
// of the request and the standard library, whoever wrote the source.
CompileOptions compiler_options(const Request& request, const Options& options, Diagnostics& diagnostics);

// Gives a compilation the source of the request, or the file of the standard library that it names: "std:reduce".
void set_source(Compilation& compilation, const Request& request);

} // namespace kern::jit
