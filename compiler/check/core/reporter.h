// Reports what is wrong in a function, or in a constant of a module.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "compiler/check/core/context.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

// A diagnostic being reported; when it goes, it adds which instance it is about.
class Report {
public:
  Report(Diagnostics::Builder builder, const Instance* instance) : builder_(builder), instance_(instance) {}
  Report(const Report&) = delete;
  ~Report();
  template <class... Args> Report& note(Span span, fmt::format_string<Args...> text, Args&&... args) {
    builder_.note(span, text, std::forward<Args>(args)...);
    return *this;
  }
  template <class... Args> Report& note(fmt::format_string<Args...> text, Args&&... args) {
    builder_.note(text, std::forward<Args>(args)...);
    return *this;
  }
  bool is_kept() const { return builder_.is_kept(); }

private:
  Diagnostics::Builder builder_;
  const Instance* instance_;
};

// Counts errors, and lets a diagnostic through once for each place. The rounds that find types say nothing: what is wrong is heard
// from the last one.
class Reporter {
public:
  Context& context;
  FileScope* scope;
  Instance* const instance; // null for a constant of a module
  bool final = false;       // the round whose IR and diagnostics are kept

  Reporter(Context& shared, FileScope* file, Instance* of) : context(shared), scope(file), instance(of) {}

  // Says whether anybody hears what is reported.
  bool is_heard() const { return (final || !instance) && context.diagnostics.enabled(); }
  std::size_t errors() const { return errors_; } // heard or not
  // Counts an error that another reporter has told.
  void count_error() { ++errors_; }

  template <class... Args>
  Report report(Span span, const DiagnosticKind<Args...>& kind, std::type_identity_t<Args>... args) {
    errors_ += kind.severity == Severity::Error;
    if (!is_heard()) return silent();
    const Instance* called = kind.severity == Severity::Error ? library_call(span) : nullptr;
    if (called) return report_library_call(*called, span, fmt::format(fmt::runtime(kind.text), args...));
    if (!context.reported.insert({kind.code, span.file, span.begin}).second) return silent();
    return {context.diagnostics.report(span, kind, args...), instance};
  }
  // Reports that something has no IR yet.
  Value unsupported(Span span, std::string_view what);

private:
  friend class Silence;

  Report silent() { return {Diagnostics::Builder(context.diagnostics, -1), nullptr}; }
  // Returns the function of the standard library that the program called, where an error stands in one.
  const Instance* library_call(Span span) const;
  // Reports at the place of the program what is wrong in the library with its arguments.
  Report report_library_call(const Instance& called, Span span, std::string message);

  std::size_t errors_ = 0; // reported, or would be
};

// While it lives nothing is heard, and no error counts: of what is evaluated to find something out.
class Silence {
public:
  explicit Silence(Reporter& reporter)
      : reporter_(reporter), errors_(reporter.errors_), quiet_(reporter.context.diagnostics, false) {}
  Silence(const Silence&) = delete;
  ~Silence() { reporter_.errors_ = errors_; }

private:
  Reporter& reporter_;
  std::size_t errors_;
  ReportingScope quiet_;
};

} // namespace kern::checker
