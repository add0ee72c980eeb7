// Diagnostics on the parser: the rows of parse.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/parse.def"
#undef DIAGNOSTIC
} // namespace kern::diag
