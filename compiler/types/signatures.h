// Which of several signatures of a .py file takes the arguments of a call. Numba has two rules, and so has Kern:
//
//   @cuda.jit     all signatures are weighed, and the one counts whose conversions cost least: numbers may lose digits
//   @vectorize    the one that has the types of the inputs, else the first to which every input converts safely, for of an
//                 array it makes a copy
#pragma once

#include <optional>

#include "compiler/types/types.h"

namespace kern {

// Returns what the conversion of a number costs for the rule of @cuda.jit, 0 of one to its own type; nothing where a complex
// number would become a real one. A sum of these orders signatures: one conversion that may lose something is more than any
// number of others.
std::optional<int> conversion_cost(Type from, Type to);

// Says whether NumPy takes a type for another one "safely", the rule of @vectorize: integers for floats of twice their bits,
// or for f64.
bool converts_safely(ScalarKind from, ScalarKind to);

} // namespace kern
