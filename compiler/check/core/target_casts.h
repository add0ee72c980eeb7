// The casts that errors write, as exact as the place that an expression goes into: an element, a declared local, a parameter, a
// declared result. It is looked up in the tree, once something is wrong.
#pragma once

#include <optional>
#include <string>

#include "compiler/check/core/checker.h"

namespace kern::checker {

struct Target {
  Type type;         // of numbers
  Span whole;        // the expression that becomes of that type
  bool is_augmented; // of `target op= whole`
};

// Returns what the expression at a place becomes a part of by arithmetic alone; nothing where it is compared, is an index
// or goes into what has no declared type.
std::optional<Target> target_of(Checker& checker, Span place);

// Returns the type of a local, or of an element or field of one; unknown of any other expression.
Type place_type(Checker& checker, const ast::Expr& place);
// Returns the type that a target is declared to have: of a local with an annotation, an element of an array,
// a field of a record; unknown where it has none.
Type declared_type(Checker& checker, const ast::Expr& target);

// Returns the cast of an integer that an operator or a function combines with floats of a type, as exact as what the
// expression goes into.
std::string float_cast(Checker& checker, const Value& integer, Type other);
// The same for an operand of an operator at a place; where what that gives does not go into the target then, the whole with its
// cast.
std::string float_operand(Checker& checker, const Value& integer, Type other, Span place);

} // namespace kern::checker
