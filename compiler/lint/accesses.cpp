// Says what was found of accesses, whatever found it: a reader goes through a function once.
#include <fmt/format.h>

#include "compiler/diagnostics/warnings.h"
#include "compiler/lint/lints.h"

namespace kern {

static Diagnostics::Builder report(const AccessFinding& finding, Diagnostics& diagnostics) {
  const Span span = finding.places.front();
  const std::string element = fmt::format("`{}`", finding.element);
  switch (finding.cause) {
  case AccessCause::Distance: return diagnostics.report(span, diag::coalesce, element, finding.advice);
  case AccessCause::Race: return diagnostics.report(span, diag::race, element, finding.advice);
  case AccessCause::Update: return diagnostics.report(span, diag::lost_update, element, finding.advice);
  case AccessCause::Load: break;
  }
  return diagnostics.report(span, diag::neighbour_load, element, finding.advice);
}

void report_accesses(LintContext& context) {
  const auto wants = [&](const auto&... rows) { return (context.diagnostics.wants(rows) || ...); };
  if (wants(diag::race, diag::lost_update, diag::neighbour_load)) find_races(context);
  if (wants(diag::coalesce)) find_far_accesses(context);
  for (const auto& [id, findings] : context.accesses)
    for (const AccessFinding& finding : findings) {
      Diagnostics::Builder builder = report(finding, context.diagnostics);
      for (const Note& note : finding.notes) builder.note(*note.span, "{}", note.text);
      if (finding.places.size() > 1)
        builder.note("places in this function with the same cause: {}", finding.places.size());
    }
}

} // namespace kern
