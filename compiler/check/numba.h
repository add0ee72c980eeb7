// Operations that Numba computes otherwise than the IR does, composed of those of the IR. Later phases do not
// know the dialect.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Shifts an integer of 64 bits. A count outside of 0 to 63 gives 0, or -1 of a negative that is shifted
// right.
// Returns x // y or x % y: NaN where a float is divided by infinity; 0 for the least i64 divided by -1, which
// is tested for where `may_wrap`.
ir::Operand numba_divide(Checker& checker, ir::BinaryOp op, ir::Operand left, ir::Operand right,
                         bool may_wrap, Span span);
// Returns x ** y of integers of 64 bits: it wraps, but exponents beyond 65536 are computed as floats, and
// saturate. A negative one gives 0 but for 1, -1, and 0, which gives the least i64.
Value numba_integer_power(Checker& checker, ir::Operand base, const Value& exponent, Span span);
// Returns what an atomic max or min takes in place of `value`: where that is NaN, the number that changes no
// element. What another atomic takes is the value.
ir::Operand numba_atomic_value(Checker& checker, Builtin atomic, ir::Operand value, Span span);
// Returns the type of the numbers of a range: i32, i64 or u64, whichever its arguments convert to best.
Type numba_range_type(Checker& checker, const Value& range);

// Returns the arguments of a builtin as Numba converts them, where that is another rule than Kern's.
std::vector<Value> numba_arguments(Checker& checker, Builtin builtin, std::vector<Value> args);
// Returns the type that Numba gives the result of a builtin; nothing where it is Kern's.
std::optional<Type> numba_result(Builtin builtin, const std::vector<Value>& args);
// Numba takes fmin and fmax for two floats alone. Its other min and max are Python's: the first of those that no other goes
// before, so that a NaN stays where it is the first and loses where it is not.
bool numba_compares_in_turn(const std::vector<Value>& args, Type type);

} // namespace kern::checker
