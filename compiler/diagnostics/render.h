// Turns diagnostics into what people and tools read: `file:line:col: error[E0302]: text`, source line, caret,
// notes.
#pragma once

#include <string>
#include <string_view>

#include "compiler/diagnostics/diagnostics.h"

namespace kern {

enum class DiagnosticFormat { Text, Json };

struct RenderOptions {
  DiagnosticFormat format = DiagnosticFormat::Text;
  bool color = false;
};

// Returns "error", "warning" or "fault".
std::string_view severity_name(Severity severity);

// Renders one diagnostic, its source line, caret and notes; JSON is one object a line.
std::string render(const Diagnostic& diagnostic, const SourceManager& sources, const RenderOptions& options);

} // namespace kern
