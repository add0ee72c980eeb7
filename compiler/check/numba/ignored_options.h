// The options of Numba's decorators that change nothing in a compilation by kernc.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Says whether kernc knows such an option. Warns where its value asks for what kernc does not do; an error value is one
// that is not known.
bool read_ignored_option(Context& context, std::string_view name, Span written, const Value& value);

// Warns that what is written at `span` does nothing, once for each place.
void report_no_effect(Context& context, Span span, std::string_view what, std::string_view instead);

} // namespace kern::checker
