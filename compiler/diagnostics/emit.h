// Diagnostics on architectures, device math and ptxas: the rows of emit.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/emit.def"
#undef DIAGNOSTIC
} // namespace kern::diag
