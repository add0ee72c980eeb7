// The interval of an integer expression: between which numbers it lies, by the types and literals that it is
// made of alone. It decides what goes where without a cast, so it never depends on what a variable was assigned,
// nor on rounds of inference (that is `Value::most`).
#pragma once

#include "compiler/ast/ast.h"
#include "compiler/types/convert.h"

namespace kern::checker {

// Bounds that do not fit are held at 2^120 on either side, beyond every type.
struct Interval {
  WideInt least = 0, greatest = 0;
  bool operator==(const Interval&) const = default;
};

// Returns the interval of the numbers of an integer type, or of bool.
Interval interval_of(Type type);
inline bool holds(const Interval& outer, const Interval& inner) {
  return outer.least <= inner.least && inner.greatest <= outer.greatest;
}
// Returns the smallest interval around both.
Interval hull(const Interval& a, const Interval& b);
// Returns where an operator's exact result lies. `width` is that of the type in which it computes, of whose
// counts shifts use the low bits.
Interval interval_of(ast::BinaryOp op, const Interval& a, const Interval& b, int width);
Interval negated(const Interval& a);
Interval absolute(const Interval& a);
// Returns where ~x lies, of an operand of a type.
Interval inverted(const Interval& a, Type type);
// Returns where the least (or greatest) of two numbers lies.
Interval extremum(bool greatest, const Interval& a, const Interval& b);

} // namespace kern::checker
