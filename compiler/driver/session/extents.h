// Up to three axes of a launch, as options name them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/diagnostics/diagnostics.h"

namespace kern {

using Extents = std::array<std::uint64_t, 3>; // x first

std::string to_string(const Extents& extents); // "16x16x1"

// Reads what an option says, "64" or "64,32"; what is no such thing is reported.
std::optional<Extents> parse_extents(std::string_view option, const std::string& text, bool zero_allowed,
                                     Diagnostics& diagnostics);

} // namespace kern
