// Each lint asks another analysis and then leaves out what is mostly meant: a warning that is mostly wrong
// is worse than none.
#include "compiler/lint/lint.h"

#include "compiler/diagnostics/warnings.h"
#include "compiler/lint/lints.h"

namespace kern {
namespace {

enum class Dialects : std::uint8_t { Every, Kern };

struct Lint {
  std::string_view name;
  Dialects dialects;
  bool (*is_wanted)(const Diagnostics&);
  void (*report)(LintContext&);
};

template <class... Rows> bool wants_any(const Diagnostics& diagnostics, const Rows&... rows) {
  return (diagnostics.wants(rows) || ...);
}

bool is_wanted(const Lint& lint, bool is_numba, const Diagnostics& diagnostics) {
  return !(is_numba && lint.dialects == Dialects::Kern) && lint.is_wanted(diagnostics);
}

// In a namespace of its own, so that the names of warnings mean their rows.
namespace rows {

using namespace diag;

constexpr Lint lints[] = {
#define LINT(Name, Dialect, ...)                                                                             \
  {#Name, Dialects::Dialect,                                                                                 \
   [](const Diagnostics& diagnostics) { return wants_any(diagnostics, __VA_ARGS__); }, report_##Name},
#include "compiler/lint/lints.def"
};

} // namespace rows
} // namespace

std::vector<std::string_view> lint(const ir::Module& module, const Program& program,
                                   Diagnostics& diagnostics) {
  const bool is_numba = program.files.front().dialect == Dialect::Numba;
  LintContext context{module, program, *program.sources, is_numba ? "cuda." : "", diagnostics};
  std::vector<std::string_view> ran;
  for (const Lint& lint : rows::lints) {
    if (!is_wanted(lint, is_numba, diagnostics)) continue;
    lint.report(context);
    ran.push_back(lint.name);
  }
  return ran;
}

} // namespace kern
