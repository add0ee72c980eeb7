// The one conversion rule of the language: what two types have in common, and what becomes what without a
// cast. The Numba dialect's rules for the same questions are below; the checker picks by its table
// (check/dialect.def).
#pragma once

#include <optional>

#include "compiler/types/types.h"

namespace kern {

// Wide enough for every value of every integer type, and for one operation on two of them but a product.
using WideInt = __int128;

// Says whether a type is u32 or u64, which wrap in a .kern file.
bool is_word(Type type);
// Says whether one of two types is a word and the other an integer with a sign.
bool mixes_words(Type a, Type b);

// Returns the type that operands, or the assignments of one local, have in common; nothing where there is
// none. Integers join to the smallest type that holds both, but a word with a signed one to none; floats to
// the wider, a bool counts as 0 or 1, a literal takes the other's type. Arrays may differ in what is known of
// their strides. Error and Unknown agree with everything; a tuple agrees only with itself.
std::optional<Type> join(Type a, Type b);
// Joins tuples too, element by element.
std::optional<Type> join(Type a, Type b, TypeTable& table);
// Returns the type in which an arithmetic operator computes: the join, but two bools are added as i64.
std::optional<Type> join_arithmetic(Type a, Type b);

// Says whether a value becomes a `to` without a cast: in stores, arguments, returns and annotations. Whether
// a literal fits is asked of literal_fits.
bool converts(Type from, Type to);

// Say whether a literal has a place in a type: an integer in its range; a number of a float type may be
// rounded but not become infinite.
bool literal_fits(WideInt value, Type type);
bool literal_fits(double value, Type type);
// Returns the type that a local has which only ever met literals: i64, f64 or c128; another type is returned as
// it is.
Type default_type(Type type);
// Returns the least and the greatest value of an integer type.
WideInt least_value(ScalarKind kind);
WideInt greatest_value(ScalarKind kind);
// Returns the greatest finite value of a float type, or of the parts of a complex type.
double greatest_float(ScalarKind kind);
// Says whether every integer of a type is one of another; false where one is no integer type.
bool keeps_value(Type from, Type to);

// ---- The Numba dialect: literals are int64 and float64 there (docs/language.md, "The two dialects") ----

// Returns the type in which + - * // % & | ^ compute: integers widen to 64 bits, f32 with 8 or 16 bits stays
// f32.
std::optional<Type> numba_join(Type a, Type b);
// Returns the type of `/`: never an integer.
std::optional<Type> numba_divide(Type a, Type b);
// Returns the type of << and >>, and of - + ~ of one operand: its 64-bit type.
Type numba_widen(Type type);
// Returns the type of `a ** b`: a float to the power of an integer keeps its type.
std::optional<Type> numba_power(Type a, Type b);
// Returns the type that the assignments of one variable, the ends of a conditional, and the arguments of min
// and max have in common.
std::optional<Type> numba_unify(Type a, Type b);

} // namespace kern
