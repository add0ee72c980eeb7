// What stands behind the hooks of a Context.
#pragma once

#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/rounds.h"
#include "compiler/check/targets.h"

namespace kern::checker {

inline constexpr Hooks hooks{infer, emit, find_target, call_complex};

} // namespace kern::checker
