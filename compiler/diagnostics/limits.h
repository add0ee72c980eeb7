// Diagnostics on limits of the compiler and of devices: the rows of limits.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/limits.def"
#undef DIAGNOSTIC
} // namespace kern::diag
