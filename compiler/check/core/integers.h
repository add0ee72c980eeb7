// The rule of integers of a .kern file (docs/language.md, "Integers"): arithmetic of numbers is exact to 64 bits, u32 and u64 are
// words that wrap, and an integer goes into any place by a check. Nothing here holds of the other dialect.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/stored_sums.h"

namespace kern::checker {

struct Interval {
  WideInt least = 0, greatest = 0;
  bool operator==(const Interval&) const = default;
};
inline bool holds(const Interval& outer, const Interval& inner) {
  return outer.least <= inner.least && inner.greatest <= outer.greatest;
}
// Return the numbers between which an integer lies: those of its type, or the constants that it may be.
Interval interval_of(Type type);
Interval interval_of(const Value& value);
// Returns the integers around 0 that a type of numbers holds, each of them.
Interval exact_interval(Type type);

// Says whether the file's integers follow this rule.
inline bool has_exact_integers(const Checker& checker) { return checker.rules.exact_integers; }
// Says whether a value is made of literals alone, and so takes the word that it meets by its low bits.
bool is_of_literals(const Value& value);
// Says whether an operator gives a number beyond its operands, so that a word may wrap.
bool is_arithmetic(ast::BinaryOp op);
// Says whether a type is one of integers, of their literals, or bool.
bool is_integral(Type type);
// Says whether a type is an integer of fewer than 32 bits.
bool is_narrow(Type type);
// Says whether a value is an integer or bool of the running program that has its type.
bool is_integer_value(const Value& value);
// Says the same of an integer alone.
bool is_typed_integer(const Value& value);
// Says whether a value is an i64 that arithmetic made of narrower integers: what has a width of bits asks for another one.
bool is_made_wider(const Value& value);

// Returns the type as which a value meets one of another type: what is made of literals takes a word, and a narrower type that
// holds it; an integer takes a float that it goes into.
Type operand_type(const Value& value, Type other);
// Returns the type of an operator of integers, bools and literals; nothing where a word meets a signed integer.
std::optional<Type> integer_type(ast::BinaryOp op, Type left, Type right);
// Returns what values have in common that `min`, `max` or a conditional chooses from; nothing where they have nothing.
std::optional<Type> chosen_type(Checker& checker, std::span<const Value> values);
// Returns what the bits of a result in a type are at most. A sum or product that could wrap may be anything.
std::uint64_t most_result(ast::BinaryOp op, const Value& left, const Value& right, Type type);
// Returns the type of a local that is assigned literals too: a number is an i64 where the type of its elements does not hold
// them.
Type holding_literals(const Local& local, Type type);
// Emits an operator of integers whose type is decided.
Value integer_arithmetic(Checker& checker, ast::BinaryOp op, Type type, const Value& left, const Value& right,
                         Span span);
Value integer_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span);
// Returns x << n or x >> n; a count that is negative or no less than the width shifts everything out, in both dialects.
ir::Operand shift_out(Checker& checker, ir::BinaryOp op, ir::Operand value, ir::Operand count, Span span);
// Notes what the result of an operator or a function is made of; `computes` says that it is a number beyond its operands.
void take_making(Value& result, std::span<const Value* const> operands, bool computes = false);
// Says whether a float without a type is beside an integer: both take the float type that they meet.
bool meets_integer(const Value& real, const Value& integer);

// Says whether an integer is of a type that another type holds as it is.
bool fits_by_type(const Value& value, Type type);
// Says whether an integer goes into or beside a type without a cast or a check: one that holds its type, or an f32 or f64, to
// which it is rounded as literals are.
bool goes_into(const Value& value, Type type);
// Says whether an integer of the running program goes into a place of an integer type by a check when it runs.
bool goes_by_check(const Checker& checker, const Value& value, Type type);

// Reports an operator, or a function that chooses, of a word and a signed integer.
void report_word_and_number(Checker& checker, std::string_view op, const Value& left, const Value& right,
                            Span span);
// Returns the casts of a word and a signed integer to the type of the other: "`u32(n)` or `i64(w)`".
std::string both_casts(Checker& checker, const Value& left, const Value& right,
                       const std::optional<StoredSum>& sum = {});
// Reports a local that is a word here and has a sign elsewhere.
void report_local_mixes(Checker& checker, const Local& local, const Value& value, Type other, Span span);
// Reports a local that starts as a literal and is assigned arithmetic of words.
void report_word_start(Checker& checker, const Local& local, const Value& value);
// Reports a function of bits of what arithmetic of narrower integers made; says whether it did.
bool report_width(Checker& checker, Builtin builtin, const Value& value);

// Reports a shift by a constant that is no less than the width, and warns where a count is known to pass it.
void check_shift_count(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                       Type computed, Span span);

} // namespace kern::checker
