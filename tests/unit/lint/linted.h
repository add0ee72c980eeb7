// Checks and lints a text, for tests of what is said of it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/lint/lint.h"

namespace kern::test {

struct Linted {
  SourceManager sources;
  Diagnostics diagnostics;
  std::vector<std::string_view> ran; // the lints

  explicit Linted(const std::string& text, WarningOptions warnings = {},
                  const std::string& name = "test.kern")
      : diagnostics(std::move(warnings)) {
    const FileId file = sources.add(name, text);
    const Program program =
        load_program(sources, file, std::nullopt, [](auto&, auto&) { return std::nullopt; }, diagnostics);
    const ir::Module module = check(program, {}, diagnostics);
    if (!diagnostics.has_errors()) ran = lint(module, program, diagnostics);
  }

  // Returns "CODE:LINE" of each diagnostic, in their order.
  std::string codes() const {
    std::string text;
    for (const Diagnostic& each : diagnostics.all())
      text +=
          fmt::format("{}{}:{}", text.empty() ? "" : " ", each.row->code, sources.locate(*each.span).line);
    return text;
  }
};

// Returns the codes and lines of what is said of a text.
inline std::string codes_of(const std::string& text, const std::string& name = "test.kern") {
  return Linted(text, {}, name).codes();
}

} // namespace kern::test
