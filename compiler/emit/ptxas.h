// Runs ptxas of a CUDA toolkit, where there is one.
#pragma once

#include <optional>
#include <string>

#include "compiler/diagnostics/diagnostics.h"

namespace kern::emitting {

// Assembles PTX to a cubin; nothing, and reported, where there is no ptxas or it refuses.
std::optional<std::string> assemble(const std::string& ptx, const std::string& arch,
                                    Diagnostics& diagnostics);

} // namespace kern::emitting
