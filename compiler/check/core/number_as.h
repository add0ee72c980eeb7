// Constants in other types.
#pragma once

#include <optional>

#include "compiler/check/core/value.h"

namespace kern::checker {

// Says whether a value is an array of constant numbers.
inline bool is_constant_array(const Value& value) {
  return (is_tuple(value) || value.kind == ValueKind::Table) && is_scalar(value.type);
}
// Returns a constant in another type; nothing where it is complex and the type is not.
std::optional<ir::Operand> operand_as(const ir::Operand& operand, Type type);
// Returns a constant number as an operand of a type; nothing where that does not hold it.
std::optional<ir::Operand> number_as(const Value& number, Type type);

} // namespace kern::checker
