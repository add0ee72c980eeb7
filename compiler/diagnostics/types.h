// Diagnostics on types, operators, conversions and calls: the rows of types.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/types.def"
#undef DIAGNOSTIC
} // namespace kern::diag
