// Reads the signatures of --sig and of the JIT.
#pragma once

#include <optional>
#include <string>

#include "compiler/check/check.h"

namespace kern {

// Splits "f(f32[:], i64)" into a name and types, which nobody has looked at; nothing where it is none.
std::optional<Signature> parse_signature(const std::string& text);

} // namespace kern
