// Warns of programs that rely on 32 bits where a number has 64 (-Wwide_bits).
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Warns of `x << k >> k`, whose upper bits are still there; `left` is the value of `x << k`.
void warn_shifted_out(Checker& checker, const ast::Binary& node, const Value& left);
// Warns of locals without a declaration that are hashed: `x ^= x << k`, `x << a | x >> b`, `x ^= x >> k` beside `x *= c` or
// `x += x << k`, and what a loop multiplies with an odd literal of 31 or more, in a function that takes no rest of it.
void warn_wide_hashes(Checker& checker, ast::Block body);

} // namespace kern::checker
