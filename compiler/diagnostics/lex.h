// Diagnostics on the lexer: the rows of lex.def.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern::diag {
#define DIAGNOSTIC KERN_DIAGNOSTIC_KIND
#include "compiler/diagnostics/lex.def"
#undef DIAGNOSTIC
} // namespace kern::diag
