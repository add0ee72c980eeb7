// The form for tools. Included by diagnostics/ only.
#pragma once

#include <string>

#include "compiler/diagnostics/diagnostics.h"

namespace kern {

// Renders a diagnostic as one JSON object on one line.
std::string render_json(const Diagnostic& diagnostic, const SourceManager& sources);

} // namespace kern
