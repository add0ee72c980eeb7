// `--emit=resources`: what the kernels of a file take of a GPU, and how many of their threads it holds.
#pragma once

#include <optional>
#include <string>

#include "compiler/driver/session/compilation.h"
#include "compiler/driver/session/options.h"

namespace kern {

// Returns a table with a line for each variant of each kernel, or the same as JSON; nothing where an error was reported.
std::optional<std::string> make_resources(Compilation& compilation, const Options& options);

} // namespace kern
