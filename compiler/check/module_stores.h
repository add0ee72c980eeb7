// Evaluates the stores by which statements of the top level of a .py file change elements of its arrays,
// lists and dicts.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Returns what a name is behind `name[i] = init` or `name[i] op= init`; an error value, nothing reported, where a part of
// it is no constant or Python raises an exception.
Value stored_value(Context& context, FileScope& file, std::string_view name, const Symbol& symbol);

// The same behind a loop that fills arrays, whose rounds are run one after the other.
Value filled_value(Context& context, FileScope& file, std::string_view name, const Symbol& symbol);

} // namespace kern::checker
