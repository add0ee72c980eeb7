// Diagnostics on files, options and arguments of `kernc`: the rows of driver.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/driver.def"
#undef DIAGNOSTIC
} // namespace kern::diag
