// The values of --specialize.
#pragma once

#include <optional>
#include <string>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/transform/transform.h"

namespace kern {

// Reads KERNEL.NAME=VALUE or KERNEL.block=N[,N[,N]]; what is none is reported.
std::optional<SpecializationRequest> parse_specialization(const std::string& text, Diagnostics& diagnostics);

} // namespace kern
