// Finds where an expression goes.
#pragma once

#include <optional>

#include "compiler/check/core/target_casts.h"

namespace kern::checker {

// Goes over the function for what the expression at a place becomes a part of (targets.cpp).
std::optional<Target> find_target(Checker& checker, Span place);

} // namespace kern::checker
