// What is written at a place, as text for the casts that errors write.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// `target op= operand` as text.
struct StoredSum {
  std::string target, operand;
  ast::BinaryOp op;

  // Returns the value that is stored.
  std::string text() const;
  // Returns it computed in another type.
  std::string text_in(Type type) const;
  // Returns the assignment of another value to the target.
  std::string assigned(std::string_view value) const;
};

// Returns the augmented assignment that is written at a place; nothing where there is none.
std::optional<StoredSum> stored_sum(const Checker& checker, Span place);

// Returns the source of a value, cast to a type.
std::string cast_text(const Checker& checker, const Value& value, Type type);

} // namespace kern::checker
