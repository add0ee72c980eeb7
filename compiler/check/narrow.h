// Integers narrower than 32 bits in a .kern file: they are computed in i32, and what was computed goes back
// into a narrow type where its interval says that nothing is lost. The functions here give nothing new to
// the other dialect.
#pragma once

#include <span>
#include <string>

#include "compiler/check/checker.h"

namespace kern::checker {

// Operands that are converted in a text; of what has more the whole is.
inline constexpr std::size_t most_leaves = 8;

// Says whether a type is an integer of fewer than 32 bits.
bool is_narrow(Type type);
// Says whether the file's integers are computed and converted by these rules.
bool keeps_intervals(const Checker& checker);

// Returns the type as which a value meets one of another type: an integer literal that a narrow type cannot
// hold is an i32, a promoted value that is not negative a u32 or u64 beside one, and an integer a float whose type
// holds it.
Type type_beside(const Value& value, Type other);
// Returns the type as which an operand meets another: also an integer beside an f32 or f64, whose type it takes, rounded.
Type operand_type(const Value& value, Type other);
// Says whether a float without a type is beside an integer: both take the float type that they meet.
bool meets_integer(const Value& real, const Value& integer);
// Returns the type as which each of several integers meets the others.
std::vector<Type> types_beside(std::span<const Value> values);

// In which types an operator on integers computes, and of which its result is.
struct NarrowTypes {
  Type computed, result;
};
NarrowTypes narrow_types(ast::BinaryOp op, Type joined, const Value& right);

// Return what is known of the result of an operator, in the type that it has; its operands go no further, so
// they warn where they may have wrapped and the operator does not compute with bits alone.
IntegerFacts binary_facts(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                          Type type);
IntegerFacts unary_facts(ast::UnaryOp op, const Value& operand, Type type);
IntegerFacts absolute_facts(Checker& checker, const Value& operand, Type type);
IntegerFacts extremum_facts(Checker& checker, bool greatest, const std::vector<Value>& values, Type type);
// Returns what is known of a value that is one of two.
IntegerFacts either_facts(const Value& a, const Value& b, Type type);

// Returns where an integer lies if no operator that it is made of wraps.
Interval exact_of(const Value& value);
// Take what the operands of an operator, of `abs`, of `min` or `max`, or of a conditional say of that, and note the operand
// whose cast to 64 bits keeps the operator from wrapping, where it may.
void note_widths(IntegerFacts& facts, ast::BinaryOp op, const Value& left, const Value& right, Type type,
                 const std::vector<Span>& leaf);
void note_widths(IntegerFacts& facts, ast::UnaryOp op, const Value& operand, Type type,
                 const std::vector<Span>& leaves);
void note_widths_of_size(IntegerFacts& facts, const Value& operand, Type type);
void note_widths_of_extremum(IntegerFacts& facts, bool greatest, const std::vector<Value>& values);
void note_widths_of_either(IntegerFacts& facts, const Value& a, const Value& b);
// Returns the type to which the noted operands are cast for an exact result, its own where there are none; nothing where
// no cast makes it exact.
std::optional<Type> exact_type(const Value& value);
// Adds spans that are not there yet, up to one more than are written.
void append_spans(std::vector<Span>& spans, const std::vector<Span>& more);

// Returns the integers around 0 that a type of numbers holds, each of them.
Interval exact_interval(Type type);
// Says whether a value is an integer or bool of the running program that has its type.
bool is_integer_value(const Value& value);
// Says the same of an integer alone.
bool is_typed_integer(const Value& value);
// Says whether an integer goes into a type without a cast: the type holds its interval.
bool fits_by_interval(const Value& value, Type type);
// Says whether an integer goes without a cast beside or into a type that is given: one that holds its interval, or an f32
// or f64, to which it is rounded as literals are.
bool goes_into(const Value& value, Type type);
// Says whether an integer of the running program goes into a place of an integer type by a check when it runs.
bool goes_by_check(const Checker& checker, const Value& value, Type type);
// Warns where a value that may have wrapped is divided, compared or the like, as the number that it was meant to be.
void warn_wrapped(Checker& checker, const Value& value, std::string_view use);
// Warns where a value that may have wrapped is made one of 64 bits, or a float.
void warn_widened(Checker& checker, const Value& value, Type type, Purpose purpose);
// Warns where a local that is an i32 only by what was assigned to it is used so that its width matters.
void warn_grown(Checker& checker, const Value& value, std::string_view use);
// Warns where what is an i64 only because a signed integer met what was a u32 is used as one that wraps (mixed.cpp).
void warn_mixed(Checker& checker, const Value& value, std::string_view use);
// Takes what the operands of an operator say of that, and warns where it computes as hashes do.
void note_mixed(Checker& checker, IntegerFacts& facts, ast::BinaryOp op, const Value& left,
                const Value& right, Type type);
// Notes of the target of an assignment that is a u32 so far what makes an i64 of it, or that it is assigned such a value.
void note_mixed(Local& local, const Value& left, const Value& right, const Value& result);
void note_mixed(Local& local, const Value& value);
void read_mixed(const Local& local, Value& value);
// Adds to an error of such a value where a u32 is needed which operand makes an i64 of it.
void advise_mixed(const Checker& checker, Report& error, const Value& value);
// Takes what an assignment of a local adds to what it is made of.
void note_growth(Local& local, const Value& value);
// Takes over what a round found; says whether anything is new.
bool finish_growth(Local& local);
// Gives a value read from a local what follows from that.
void read_growth(const Local& local, Value& value);

// Notes what a local holds behind its assignment; `is_alone` says whether the statement is `local = value`.
void note_held(Checker& checker, Local& local, const Value& value, bool is_alone);
// Notes that a loop adds to a local, or multiplies it.
void note_sum(Checker& checker, Local& local, ast::BinaryOp op, const Value& added, const Value& sum);
// The same of `local = local + value`, where the sum is that; and note_mixed.
void note_sum(Checker& checker, const ast::Binary& node, const Value& left, const Value& right,
              const Value& sum);
// Note what a sum is made of, what is negated or has its size taken, and what a shuffle gives (wide_sums.cpp).
void note_addends(IntegerFacts& facts, ast::BinaryOp op, const Value& left, const Value& right);
void note_addends(IntegerFacts& facts, const Value& operand);
void note_shuffled(Value& result, const Value& value);
// Notes where what a local is assigned lies, but for what is added to it.
void note_given(const Checker& checker, Local& local, const Value& value);
// Says whether what threads hold of a local, or of the elements of an array, adds up beyond its type.
bool adds_threads_up(const Local& local);
// Says whether a block's sum of what a local holds fits its type.
bool holds_little(const Local& local);
// Notes what is stored to an element of an array, and what an atomic adds to one; and of an element what follows from that.
void note_element_sum(Checker& checker, const ir::Operand& array, const Value& value);
void note_atomic_sum(Checker& checker, const ir::Operand& array, Builtin builtin, const Value& value);
void read_element_sum(const Checker& checker, const ir::Operand& array, Value& element);
// Returns the declaration with which such sums are made in a wider type.
std::string wide_declaration(const Local& local, Type wide);
// Warns where the sum of two elements of 32 bits, or one that is negated, becomes one of 64, is halved by an operator, or has
// its sign asked for by a comparison with `by`.
void warn_sum_widened(Checker& checker, const Value& value, Type type);
void warn_sum_halved(Checker& checker, ast::BinaryOp op, const Value& sum, const Value& by);
void warn_sum_compared(Checker& checker, const Value& sum, const Value& by);
// Returns the text of a value with the operands converted without which it may have wrapped, with the assignment around
// it where its target is narrower.
std::string completed_text(const Checker& checker, const Value& value);
std::string unwrapped_text(const Checker& checker, const IntegerFacts& facts, Span whole, Type wide);
// Says whether a local starts as a literal and a loop adds to it, or multiplies it, or what threads hold of it adds up.
bool sums_up(const Local& local);
// Says whether a local starts as a literal and is an i32 only because narrow integers were combined with it.
bool outgrows_literal(const Local& local);
// Says whether an i32 made of narrow integers may have passed 32 bits, for which it does not go into a float by itself; the other
// says so in an error where it is one.
bool may_have_passed(const Value& integer);
void note_passed(Report& error, const Value& integer);
// Notes what a function of a .kern file returns, where it may have wrapped.
void note_returned(Checker& checker, const Value& value);
// Returns what the result of a function is made of, and gives a result what follows from what the function returns, or from
// what the library is given.
Origin result_origin(const FunctionSymbol& callee, const std::vector<Value>& args);
void note_result(const Checker& checker, const Instance& called, const std::vector<Value>& args,
                 Value& result);
// Says whether 65,536 numbers of what a value may be add up to what 32 bits do not hold.
bool adds_up_beyond(const Value& added);
// Returns where a sum lies to which each round of the loops around a statement adds a number of an interval, or each thread of a
// grid does; the interval itself where even that is not much.
Interval added_up(const Checker& checker, const Interval& added, bool in_grid = false);
// Gives the sum of an array what follows from its type; `start` is where another start is written.
void note_total(Value& sum, Type element, const std::optional<Value>& start);
// Gives a value read from a local what follows from these; the elements of a tuple what they are made of.
void read_held(const Local& local, Value& value);
void read_origin(const Local& local, Value& value);
// Behind a body that may not run, a local may hold what it held before it.
void join_held(Checker& checker, int outer_depth);
// Note what is stored to an element of a shared or local array, and give an element that is loaded what follows from it.
void note_element(Checker& checker, const ir::Operand& array, const Value& value, Span place);
void read_element(const Checker& checker, const ir::Operand& array, Value& element);
// Returns what is spoken of where a local may have wrapped.
const Held& told_of(const Local& local);

// Returns the source of a value, computed in a wider type: `u64(1) << n`. Where that is no more than a cast of
// the whole, it is that.
std::string widened_text(const Checker& checker, const Value& value, Type type);
// Returns it as what becomes a value of any type: with the cast that saturates, the operands of what may have
// wrapped in 64 bits, or as a whole.
std::string converted_text(const Checker& checker, const Value& value, Type type);
// Returns the source of what may have wrapped, with the operands converted to 64 bits that keep it from that.
std::string unwrapped_text(const Checker& checker, const Value& value);
// Returns the cast of a float that was rounded to an i64, straight to an integer type: it saturates. Nothing where it was
// not, or the float does not hold what is computed with it.
std::optional<std::string> saturating_cast(const Checker& checker, const Value& value, Type type);
// Notes that a local is compared, which may be what keeps it between the ends of a type.
void note_compared(Checker& checker, const Value& value);
// Warns where the i64 that a float was rounded to is cast to a narrow type, and wraps.
void warn_rounded(Checker& checker, const Value& value, Type type);
// Reports a shift by a constant that is no less than the width, and warns where a count is known to pass it.
void check_shift_count(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                       Type computed, Span span);
// Warns of a sum of f16 or bf16 that a loop makes.
void warn_half_sum(Checker& checker, const Local& local, ast::BinaryOp op, const Value& sum);
// Returns a source text with the parts at some spans cast to a type; at an empty span stands the start of a sum.
std::string with_casts(const Checker& checker, Span whole, std::vector<Span> parts, Type type);
// Returns the source of a value, or what an augmented assignment stores, with the operands cast to a type that make it exact.
std::string exact_text(const Checker& checker, const Value& value, const std::optional<StoredSum>& sum,
                       Type type);
// Adds to an error of an integer that meets a float the places behind it where the same integer meets what has no type for
// this error, and which are not reported for that.
void note_like_places(Checker& checker, Report& report, const Value& integer, Span first);
// Returns the source text of an expression with another text for a part of it.
std::string replaced_text(const Checker& checker, Span whole, Span part, std::string_view text);
// Returns a source text on one line, or "..." where it is too long for a message.
std::string short_text(std::string_view text);
} // namespace kern::checker
