// The one place that puts rendered diagnostics together.
#include "compiler/driver/session/messages.h"

#include <algorithm>
#include <cctype>

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

std::string pattern_text(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    bool doubled = (c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c;
    if (c != '{' || doubled) {
      text += c;
      i += doubled;
      continue;
    }
    text += "...";
    i = std::min(pattern.find('}', i), pattern.size());
  }
  return text;
}

std::string warning_in_words(const DiagnosticRow& warning) {
  std::string_view text = warning.explanation;
  while (text.starts_with('\n')) text.remove_prefix(1);
  std::string line(text.substr(0, text.find(".\n")));
  if (!line.empty()) line[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(line[0])));
  return line;
}

} // namespace kern
