// The functions of the lints, and what all of them are given. Private to lint/.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/threads/shape.h"
#include "compiler/analysis/threads/uniformity.h"
#include "compiler/check/load.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"
#include "compiler/lint/access_findings.h"
#include "compiler/lint/nesting.h"
#include "compiler/lint/updates.h"
#include "compiler/support/source.h"

namespace kern {

struct LintContext;

// What several lints ask of a function. Shapes are those of a warp, of arrays that are contiguous.
struct FunctionAnalyses {
  FunctionAnalyses(const LintContext& context, ir::FunctionId id);

  // Returns the comparisons that hold where a statement stands, the innermost first.
  std::vector<ir::Compare> tests_around(const ir::Stmt& stmt) const;

  const ir::Function& function;
  Nesting nesting;
  Describer describe;
  Shapes shapes;
  Uniformity uniformity;
  Updates updates;
};

// What a lint reads, and where it reports.
struct LintContext {
  const ir::Module& module;
  const Program& program;
  const SourceManager& sources;
  std::string_view prefix; // before `atomic`, `grid` and `syncthreads` in the words of the source
  Diagnostics& diagnostics;
  std::vector<Span> told = {}; // stores that a lint has told of: another one says nothing more of them
  std::map<ir::FunctionId, std::vector<AccessFinding>> accesses = {}; // of which nothing was told yet
  std::map<ir::FunctionId, FunctionAnalyses> known = {};

  // Returns the analyses of a function, which are made once.
  const FunctionAnalyses& analyses(ir::FunctionId id) {
    return known.try_emplace(id, *this, id).first->second;
  }
};

// Says whether a function stands in a file of Kern's own dialect.
bool is_kern(const LintContext& context, const ir::Function& function);

#define LINT(Name, Dialects, ...) void report_##Name(LintContext& context);
#include "compiler/lint/lints.def"

} // namespace kern
