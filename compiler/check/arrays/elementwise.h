// What goes over the elements of arrays.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Stores what `compute` makes of each element of an array and of those of the operands at its place.
void for_each_element(Checker& checker, ir::Operand target, std::span<const Value> operands, Span span,
                      const std::function<Value(const Value&, const std::vector<Value>&)>& compute);
Value fold_array(Checker& checker, Builtin builtin, const Value& array, const std::optional<Value>& start,
                 Span span);

} // namespace kern::checker
