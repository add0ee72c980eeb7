// Diagnostics on barriers and collectives: the rows of uniformity.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/uniformity.def"
#undef DIAGNOSTIC
} // namespace kern::diag
