// What Numba makes of the signatures of `@vectorize` and `@guvectorize`: the types of the kernels in generated.h.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/check/check.h"

namespace kern {

// The arrays that a parameter of a generated kernel takes.
struct GeneratedParam {
  ScalarKind element;
  int rank;
};

// Returns the types of the parameters of a generated kernel by each of its signatures; where it has none,
// those for inputs of these types, as far as they are known. Nothing where a signature cannot be read, which
// is reported.
std::optional<std::vector<std::vector<GeneratedParam>>>
generated_types(const Program& program, const CheckOptions& options, const ast::FunctionDef& kernel,
                std::span<const ScalarKind> inputs, Diagnostics& diagnostics);

} // namespace kern
