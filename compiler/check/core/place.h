// Where something is in an array.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/check/core/value.h"

namespace kern::checker {

// An element (its indices guarded) or a view (`array`, then no indices).
struct Place {
  bool ok = false;
  bool unknown = false; // of a type not inferred yet
  bool is_view = false;
  ir::Operand array;
  std::vector<ir::Operand> indices;
  Type field = types::unknown; // of a scalar in a record of the array, which is at byte `offset`
  std::int64_t offset = 0;
  bool is_record = false; // a record of the array, or one in it: at byte `offset`, of type `record`
  Type record = types::unknown;
  bool is_field() const { return field != types::unknown; }
};

// Returns the type of what is at a place.
inline Type type_at(const Place& place) {
  return place.is_field() ? place.field : element_type(place.array.type);
}

} // namespace kern::checker
