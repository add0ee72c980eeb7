// The messages of the compiler to its user. A diagnostic is a row of a table (one file a phase, collected by
// diagnostics.def) and is declared in the table's own header, so that a new row rebuilds one phase; reporting
// one with wrong arguments does not compile. Codes ascend, are unique and are never reused.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/support/source.h"
#include "compiler/support/utf8.h"

namespace kern {

enum class Severity : std::uint8_t {
  Error,
  Warning,
  Quiet, // of a row alone: a warning that is off until -W<name> asks for it
  Fault, // of a kernel that ran; the row is one of faults.def
};

// One row of the tables, without its argument types.
struct DiagnosticRow {
  std::string_view code; // "E0302"
  Severity severity;
  std::string_view name;        // "operand_type_mismatch"; a warning's name is its flag, -W<name>
  std::string_view text;        // a fmt pattern
  std::string_view explanation; // Markdown, with a ```kern fail (or ```kern warn) example
};

// Says whether a row is a warning's.
constexpr bool is_warning(const DiagnosticRow& row) {
  return row.severity == Severity::Warning || row.severity == Severity::Quiet;
}

// One row with the types of its arguments, so that report() can check them.
template <class... Args> struct DiagnosticKind : DiagnosticRow {};

// Makes a row a constant; the tables' headers (lex.h, parse.h, ...) declare their rows with it.
#define KERN_DIAGNOSTIC_KIND(Code, Level, Name, Text, Args, Explanation)                                     \
  inline constexpr auto Name = []<class... As>(std::type_identity<void(As...)>) {                            \
    return DiagnosticKind<As...>{{#Code, Severity::Level, #Name, Text, Explanation}};                        \
  }(std::type_identity<void Args>{});

// Every row, in ascending order of code.
std::span<const DiagnosticRow* const> all_diagnostics();

// A remark at its own place, below the diagnostic that it explains.
struct Note {
  std::optional<Span> span;
  std::string text;
};

struct Diagnostic {
  const DiagnosticRow* row;
  Severity severity; // the row's, or Error where -Werror asks for it
  std::optional<Span> span;
  std::string message;
  std::vector<Note> notes;
};

// Which warnings are wanted.
struct WarningOptions {
  std::vector<std::string> enabled;   // -W<name>, which counts for those that are off by themselves
  std::vector<std::string> disabled;  // -Wno-<name>
  std::vector<std::string> as_errors; // -Werror=<name>
  bool all_as_errors = false;         // -Werror
};

// Collects what the phases report. A phase reports and goes on; whoever called it asks has_errors().
class Diagnostics {
public:
  explicit Diagnostics(WarningOptions warnings = {}) : warnings_(std::move(warnings)) {}

  // Attaches notes to the diagnostic just reported; does nothing where that one was not kept.
  class Builder {
  public:
    Builder(Diagnostics& owner, std::ptrdiff_t index) : owner_(owner), index_(index) {}
    // Adds a remark at a place of its own.
    template <class... Args> Builder& note(Span span, fmt::format_string<Args...> text, Args&&... args) {
      return add({span, fmt::format(text, std::forward<Args>(args)...)});
    }
    // Adds a remark without a place.
    template <class... Args> Builder& note(fmt::format_string<Args...> text, Args&&... args) {
      return add({std::nullopt, fmt::format(text, std::forward<Args>(args)...)});
    }
    // Says whether it will be shown, so that a note which takes long to find is worth it.
    bool is_kept() const { return index_ >= 0; }

  private:
    Builder& add(Note note);
    Diagnostics& owner_;
    std::ptrdiff_t index_; // below 0: not kept
  };

  // Reports a row at a place, with the row's own arguments.
  template <class... Args> Builder report(std::optional<Span> span, const DiagnosticKind<Args...>& kind,
                                          std::type_identity_t<Args>... args) {
    return add(kind, span, fmt::format(fmt::runtime(kind.text), shown(args)...));
  }

  // Takes over what another collected, behind what this one has.
  void append(Diagnostics other);
  // Returns those whose place lies in a part of a file.
  Diagnostics within(Span span) const;
  // Says whether a warning would be shown, so that what takes long to find out is worth it.
  bool wants(const DiagnosticRow& row) const;
  // Says whether any error was reported, kept or not.
  bool has_errors() const { return error_count_ > 0; }
  // Counts the errors, those beyond the limit included.
  std::size_t error_count() const { return error_count_; }
  // Returns what was kept, in the order of reporting.
  const std::vector<Diagnostic>& all() const { return kept_; }
  // While false nothing is kept or counted: for the rounds of type inference whose findings are provisional.
  void set_enabled(bool enabled) { enabled_ = enabled; }
  bool enabled() const { return enabled_; }

private:
  // Text of a source or a command line is shown, not sent to the terminal.
  static std::string shown(std::string_view text) { return printable(text); }
  template <class T> static const T& shown(const T& value)
    requires(!std::convertible_to<T, std::string_view>)
  {
    return value;
  }
  Builder add(const DiagnosticRow& row, std::optional<Span> span, std::string message);
  WarningOptions warnings_;
  std::vector<Diagnostic> kept_;
  std::size_t error_count_ = 0;
  bool enabled_ = true;
};

} // namespace kern
