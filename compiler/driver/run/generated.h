// Does what Numba does when a generated kernel is called: broadcasts, chooses a signature, makes arrays for
// results.
#pragma once

#include "compiler/driver/run/stages.h"

namespace kern {

// Completes the arguments of a generated kernel, as a call of `@vectorize`, `@guvectorize` or `@cuda.reduce` in Numba
// does: inputs get the types of a signature and one shape, results that were not given are made. What is wrong is
// reported. Does nothing for other kernels.
void complete_arguments(Run& run, Stage& stage);

// Gives arrays of a generated kernel back the shapes that they have for the user.
void restore_shapes(Stage& stage);

} // namespace kern
