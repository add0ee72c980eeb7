// Parts of a tuple by computed indices, which is read and changed without memory.
#pragma once

#include <span>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// A nested tuple as a regular array of parts of one type.
struct TupleParts {
  std::vector<std::int64_t> extents;
  std::vector<Value> parts; // in C order
  Type type = types::error; // of each
};

// Takes a tuple apart along so many axes; nothing where the parts are of several types, or not made of numbers.
std::optional<TupleParts> parts_of_tuple(Checker& checker, const Value& tuple, std::size_t rank);
// Returns which part the indices mean, one an axis, and guards them; nothing where one is wrong, which is reported.
std::optional<ir::Operand> place_of_part(Checker& checker, const TupleParts& tuple,
                                         std::span<const Value> indices, const ast::Expr& base, Span span);
// Returns the part at a place.
Value chosen_part(Checker& checker, const TupleParts& tuple, ir::Operand place, Span span);
// Returns the tuple with another part there, a value of the type of the parts.
Value with_chosen_part(Checker& checker, const TupleParts& tuple, ir::Operand place, const Value& value,
                       Span span);

} // namespace kern::checker
