// The rows of dialect.def as a struct: what the checker asks wherever the two dialects differ.
#pragma once

#include "compiler/check/dialect.h"

namespace kern::checker {

struct Rules {
#define DIALECT_RULE(Name, InKern, InNumba)                                                                  \
  enum class Name##_rule : std::uint8_t{InKern, InNumba};                                                    \
  Name##_rule Name;
#include "compiler/check/dialect.def"
};

// Returns the choices of a dialect.
inline Rules rules_of(Dialect dialect) {
  Rules rules{};
  bool numba = dialect == Dialect::Numba;
#define DIALECT_RULE(Name, InKern, InNumba)                                                                  \
  rules.Name = numba ? Rules::Name##_rule::InNumba : Rules::Name##_rule::InKern;
#include "compiler/check/dialect.def"
  return rules;
}

} // namespace kern::checker
