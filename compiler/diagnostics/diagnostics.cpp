// Keeps what is reported, up to a limit: a file with a thousand errors is one mistake, not a thousand
// messages.
#include "compiler/diagnostics/diagnostics.h"

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/emit.h"
#include "compiler/diagnostics/lex.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/parse.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/uniformity.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/limits.h"

namespace kern {

static constexpr std::array rows = {
#define DIAGNOSTIC(Code, Level, Name, Text, Args, Explanation) static_cast<const DiagnosticRow*>(&diag::Name),
#include "compiler/diagnostics/diagnostics.def"
};

static constexpr bool codes_ascend() {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i - 1]->code.substr(1) >= rows[i]->code.substr(1)) return false;
  return true;
}
static_assert(codes_ascend(), "codes ascend over all tables and are unique");

std::span<const DiagnosticRow* const> all_diagnostics() { return rows; }

static bool names(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

Diagnostics::Builder& Diagnostics::Builder::add(Note note) {
  if (index_ >= 0) owner_.kept_[static_cast<std::size_t>(index_)].notes.push_back(std::move(note));
  return *this;
}

bool Diagnostics::wants(const DiagnosticRow& row) const {
  if (!enabled_ || names(warnings_.disabled, row.name)) return false;
  return row.severity != Severity::Quiet || names(warnings_.enabled, row.name) ||
         names(warnings_.as_errors, row.name);
}

Diagnostics::Builder Diagnostics::add(const DiagnosticRow& row, std::optional<Span> span,
                                      std::string message) {
  if (!enabled_) return {*this, -1};
  Severity severity = row.severity;
  if (is_warning(row)) {
    if (!wants(row)) return {*this, -1};
    const bool is_error = warnings_.all_as_errors || names(warnings_.as_errors, row.name);
    severity = is_error ? Severity::Error : Severity::Warning;
  }
  if (severity == Severity::Error && ++error_count_ > limits::errors) return {*this, -1};
  kept_.push_back({&row, severity, span, std::move(message), {}});
  return {*this, static_cast<std::ptrdiff_t>(kept_.size()) - 1};
}

Diagnostics Diagnostics::within(Span span) const {
  Diagnostics found;
  for (const Diagnostic& each : kept_) {
    const bool is_inside = each.span && each.span->file == span.file && each.span->begin >= span.begin &&
                           each.span->end <= span.end;
    if (!is_inside) continue;
    found.error_count_ += each.severity == Severity::Error;
    found.kept_.push_back(each);
  }
  return found;
}

void Diagnostics::append(Diagnostics other) {
  for (Diagnostic& diagnostic : other.kept_) {
    if (diagnostic.severity == Severity::Error) {
      --other.error_count_;
      if (++error_count_ > limits::errors) continue;
    }
    kept_.push_back(std::move(diagnostic));
  }
  error_count_ += other.error_count_;
}

} // namespace kern
