// Which function of a file `kernc run` runs, and which types its parameters take.
#pragma once

#include <string>

#include "compiler/check/check.h"
#include "compiler/driver/run/arguments.h"

namespace kern {

// Returns the function of the root file with that name or path, or its only kernel for "", whose name is then
// set; null where an error was reported: with a place in the file to `located`, else to `diagnostics`.
const ast::FunctionDef* select_kernel(const Program& program, const std::string& file, std::string& name,
                                      Diagnostics& diagnostics, Diagnostics& located);

// Returns the signature to check a kernel with, by the name that selected it, where its annotations alone do not say all types.
std::optional<Signature> needed_signature(const Program& program, const ast::FunctionDef& kernel,
                                          const std::string& name, const std::vector<Argument>& arguments);

} // namespace kern
