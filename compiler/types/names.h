// The names of types in the text of a .py file: Numba's and NumPy's, where the short ones count bytes ("i8"
// is int64).
#pragma once

#include <optional>
#include <string_view>

#include "compiler/types/types.h"

namespace kern {

// Returns the scalar that NumPy means by a name ("i4", "float32", "intp", "bool_"), without `np.` before it.
std::optional<ScalarKind> find_numpy_scalar(std::string_view name);
// Returns the scalar that Numba means by it, as in signatures.
std::optional<ScalarKind> find_numba_scalar(std::string_view name);
// Returns the name of a scalar that both dialects have: "float32".
std::string_view long_name_of(ScalarKind kind);
// Returns the words to use instead of a name that means different types in .kern and .py files ("i8": "int8
// or int64"), else "".
std::string_view clashing_name(std::string_view name);

} // namespace kern
