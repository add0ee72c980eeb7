// The form for people. The source line is shown as a terminal can show it: tabs widened, control characters
// and bytes that are no UTF-8 replaced, wide characters counted as two columns, and of a very long line only
// the part round the place.
#include "compiler/diagnostics/render.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/diagnostics/render_json.h"
#include "compiler/support/utf8.h"

namespace kern {

namespace {

enum class Style { Location, Error, Warning, Note, Caret };

// Collects the text; styles vanish where no colour is wanted.
struct Page {
  const SourceManager& sources;
  bool color;
  std::string out = {};

  void styled(Style style, std::string_view text) {
    static constexpr std::string_view codes[] = {"\x1b[1m", "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m",
                                                 "\x1b[1;32m"};
    out += color ? codes[static_cast<std::size_t>(style)] : "";
    out += text;
    out += color ? "\x1b[0m" : "";
  }
};

// A piece of a source line as it is shown, and where the caret goes below it.
struct Snippet {
  std::string text;
  std::size_t caret = 0; // columns before it
  std::size_t width = 1; // columns that it underlines
};

struct WideRange {
  char32_t first, last;
};

} // namespace

// Returns how many columns of a terminal a character takes: East Asian and emoji two, combining marks none.
static std::size_t display_width(char32_t value) {
  static constexpr WideRange wide[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                                       {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};
  bool combining = (value >= 0x300 && value <= 0x36F) || (value >= 0x200B && value <= 0x200F) ||
                   (value >= 0xFE00 && value <= 0xFE0F);
  if (combining) return 0;
  for (WideRange range : wide)
    if (value >= range.first && value <= range.last) return 2;
  return 1;
}

// Appends what a terminal shows for the first character of a text; returns its columns.
static std::size_t append_shown(std::string& out, std::string_view text, std::size_t column,
                                CodePoint point) {
  constexpr std::size_t tab_width = 4;
  if (point.valid && point.value == '\t') {
    std::size_t width = tab_width - column % tab_width;
    out.append(width, ' ');
    return width;
  }
  // Right-to-left overrides would show the line in another order than the compiler reads it.
  bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0) ||
                 (point.value >= 0x202A && point.value <= 0x202E) ||
                 (point.value >= 0x2066 && point.value <= 0x2069);
  if (!point.valid || control) {
    append_utf8(out, 0xFFFD);
    return 1;
  }
  out += text.substr(0, point.length);
  return display_width(point.value);
}

static Snippet make_snippet(const SourceManager& sources, Span span) {
  constexpr std::size_t longest = 240, before = 100;
  std::string_view line = sources.line_text(span.file, span.begin);
  std::string_view whole = sources.file(span.file).text;
  std::size_t line_begin = static_cast<std::size_t>(line.data() - whole.data());
  std::size_t place = std::min<std::size_t>(span.begin - line_begin, line.size());
  std::size_t begin = 0, end = line.size();
  if (line.size() > longest) {
    begin = place > before ? place - before : 0;
    while (begin > 0 && is_utf8_continuation(line[begin])) --begin;
    end = std::min(line.size(), begin + longest);
  }
  Snippet snippet;
  if (begin > 0) snippet.text = "...";
  std::size_t column = snippet.text.size(), underlined = 0;
  snippet.caret = column;
  for (std::size_t at = begin; at < end;) {
    CodePoint point = decode_utf8(line.substr(at));
    std::size_t width = append_shown(snippet.text, line.substr(at), column, point);
    column += width;
    if (at < place) snippet.caret = column;
    if (at >= place && line_begin + at < span.end) underlined += width;
    at += point.length;
  }
  if (end < line.size()) snippet.text += "...";
  snippet.width = std::max<std::size_t>(underlined, 1);
  return snippet;
}

static void render_snippet(Page& page, Span span) {
  Snippet snippet = make_snippet(page.sources, span);
  fmt::format_to(std::back_inserter(page.out), "{:>5} | {}\n", page.sources.locate(span).line, snippet.text);
  fmt::format_to(std::back_inserter(page.out), "{:>5} | {:{}}", "", "", snippet.caret);
  page.styled(Style::Caret, "^" + std::string(snippet.width - 1, '~'));
  page.out += '\n';
}

static void render_location(Page& page, const std::optional<Span>& span) {
  if (!span) return;
  Location place = page.sources.locate(*span);
  page.styled(Style::Location, fmt::format("{}:{}:{}: ", printable(place.file), place.line, place.column));
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning:
  case Severity::Quiet: return "warning";
  case Severity::Fault: return "fault";
  }
  return {};
}

// Returns the flag that asks for a warning, as it is shown behind its text; empty for an error of its own.
static std::string warning_flag(const Diagnostic& diagnostic) {
  if (!is_warning(*diagnostic.row)) return {};
  bool as_error = diagnostic.severity == Severity::Error;
  return fmt::format(" [{}{}]", as_error ? "-Werror=" : "-W", diagnostic.row->name);
}

static std::string render_text(const Diagnostic& diagnostic, const SourceManager& sources, bool color) {
  Page page{sources, color};
  bool warning = diagnostic.severity == Severity::Warning;
  render_location(page, diagnostic.span);
  page.styled(warning ? Style::Warning : Style::Error,
              fmt::format("{}[{}]: ", severity_name(diagnostic.severity), diagnostic.row->code));
  page.styled(Style::Location, printable(diagnostic.message, true) + warning_flag(diagnostic));
  page.out += '\n';
  if (diagnostic.span) render_snippet(page, *diagnostic.span);
  for (const Note& note : diagnostic.notes) {
    render_location(page, note.span);
    page.styled(Style::Note, "note: ");
    page.out += printable(note.text, true) + '\n';
    if (note.span) render_snippet(page, *note.span);
  }
  return std::move(page.out);
}

std::string render(const Diagnostic& diagnostic, const SourceManager& sources, const RenderOptions& options) {
  switch (options.format) {
  case DiagnosticFormat::Text: return render_text(diagnostic, sources, options.color);
  case DiagnosticFormat::Json: return render_json(diagnostic, sources);
  }
  return {};
}

} // namespace kern
