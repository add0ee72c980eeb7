// The functions of the lints, and what all of them are given. Private to lint/.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace kern {

// What a lint reads, and where it reports.
struct LintContext {
  const ir::Module& module;
  const SourceManager& sources;
  std::string_view prefix; // before `atomic`, `grid` and `syncthreads` in the words of the source
  Diagnostics& diagnostics;
  std::vector<Span> told = {}; // stores that a lint has told of: another one says nothing more of them
};

#define LINT(Name, Dialects, ...) void report_##Name(LintContext& context);
#include "compiler/lint/lints.def"

} // namespace kern
