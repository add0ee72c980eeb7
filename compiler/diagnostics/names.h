// Diagnostics on names, imports, constants, decorators, signatures and -D: the rows of names.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/names.def"
#undef DIAGNOSTIC
} // namespace kern::diag
