// One object a line, so that a reader needs no more than lines. It stands apart from the text form because
// the JSON header is slow to compile.
#include "compiler/diagnostics/render_json.h"

#include <nlohmann/json.hpp>

#include "compiler/diagnostics/render.h"

namespace kern {

using Json = nlohmann::ordered_json;

// Adds a place: lines and columns count from 1, columns in code points, the end is behind the last character.
static void add_place(Json& object, const std::optional<Span>& span, const SourceManager& sources) {
  if (!span) return;
  Location begin = sources.locate(*span);
  Location end = sources.locate({span->file, span->end, span->end});
  object["file"] = std::string(begin.file);
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["end_line"] = end.line;
  object["end_column"] = end.column;
}

std::string render_json(const Diagnostic& diagnostic, const SourceManager& sources) {
  Json object;
  object["severity"] = severity_name(diagnostic.severity);
  object["code"] = std::string(diagnostic.row->code);
  object["name"] = std::string(diagnostic.row->name);
  object["message"] = diagnostic.message;
  add_place(object, diagnostic.span, sources);
  object["notes"] = Json::array();
  for (const Note& note : diagnostic.notes) {
    Json entry;
    entry["message"] = note.text;
    add_place(entry, note.span, sources);
    object["notes"].push_back(std::move(entry));
  }
  // A message may quote bytes that are no UTF-8; they are replaced.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace kern
