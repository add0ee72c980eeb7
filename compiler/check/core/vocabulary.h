// Guesses what a name that nothing defines was meant to be: a word of CUDA, C, NumPy or Python that Kern
// writes in another way, or one with a slip of the keys.
#pragma once

#include <string>
#include <string_view>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns what Kern has instead of a word of another language; "" where it is none. `module` is the name of
// the module that it stands behind, as the host has it ("numpy"), or "".
std::string instead_of(std::string_view module, std::string_view word);

// Returns the builtin that is nearest to a name behind a prefix ("atomic", "math"), its whole name.
std::string_view nearest_builtin(std::string_view prefix, std::string_view name);
// Lists the names behind a prefix: "`x`, `y`, `z`".
std::string names_behind(std::string_view prefix);

} // namespace kern::checker
