// The one place that puts rendered diagnostics together.
#include "compiler/driver/messages.h"

#include "compiler/support/limits.h"

namespace kern {

std::string message_text(const Diagnostic& diagnostic, const SourceManager& sources,
                         const RenderOptions& options) {
  bool speaks = !diagnostic.span && options.format == DiagnosticFormat::Text;
  return (speaks ? "kernc: " : "") + render(diagnostic, sources, options);
}

std::string messages_text(const Diagnostics& diagnostics, const SourceManager& sources,
                          const RenderOptions& options) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) text += message_text(diagnostic, sources, options);
  std::size_t errors = diagnostics.error_count();
  if (errors > limits::errors && options.format == DiagnosticFormat::Text)
    text += fmt::format("kernc: {} errors, of which {} are shown\n", errors, limits::errors);
  return text;
}

} // namespace kern
