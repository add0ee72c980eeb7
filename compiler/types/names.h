// The names of types in the text of a .py file: Numba's and NumPy's, where the short ones count bytes ("i8"
// is int64).
#pragma once

#include <optional>
#include <string_view>

#include "compiler/types/types.h"

namespace kern {

// Returns the scalar that a name means in a .py file ("i4", "float32", "intp", "bool_"), after a prefix such
// as `np.` is taken off.
std::optional<ScalarKind> find_numba_scalar(std::string_view name);
// Returns the name of a scalar that both dialects have: "float32".
std::string_view long_name_of(ScalarKind kind);
// Returns the words to use instead of a name that means different types in .kern and .py files ("i8": "int8
// or int64"), else "".
std::string_view clashing_name(std::string_view name);

} // namespace kern
