// Diagnostics on warnings: the rows of warnings.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/warnings.def"
#undef DIAGNOSTIC
} // namespace kern::diag
