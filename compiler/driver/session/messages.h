// Diagnostics as kernc writes them, for whoever else shows them.
#pragma once

#include <string>
#include <string_view>

#include "compiler/diagnostics/render.h"

namespace kern {

// Returns one diagnostic as kernc writes it: one without a place says who speaks.
std::string message_text(const Diagnostic& diagnostic, const SourceManager& sources,
                         const RenderOptions& options);
// Returns all that were kept, and how many errors there were beyond the limit.
std::string messages_text(const Diagnostics& diagnostics, const SourceManager& sources,
                          const RenderOptions& options);
// Returns the text of a row with dots for what a message fills in: "cannot read `...`: ...".
std::string pattern_text(std::string_view pattern);

// Returns the first line of a warning's explanation as a phrase, "a divisor is the constant 0".
std::string warning_in_words(const DiagnosticRow& warning);

} // namespace kern
