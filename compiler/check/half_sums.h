// Sums of f16 and bf16, which stop growing: in locals, in elements and by `sum`.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Warn of a local that a loop adds to: `s = s + x`, `s += x`.
void warn_half_sum(Checker& checker, const ast::Binary& sum, Span span);
void warn_half_sum(Checker& checker, const ast::AugAssign& stmt);
// Warns of an element that a loop adds to, round after round to the same one.
void warn_half_element(Checker& checker, const ast::AugAssign& stmt, Type element);
// Warns of `sum` of an array; `start` is where another start is written.
void warn_half_total(Checker& checker, const Value& array, Type sum, const std::optional<Value>& start,
                     Span span);

} // namespace kern::checker
