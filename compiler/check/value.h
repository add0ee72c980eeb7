// The value of an expression while a function is checked: something known now (a number, a function, a type,
// a module) or a value of the running program, an operand of the IR. A tuple is the values of its elements.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/check/intervals.h"
#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::checker {

struct FunctionSymbol;
struct FileScope;
struct Local;

enum class ValueKind : std::uint8_t {
  Error,   // of what was already reported
  Unknown, // a run-time value whose type is not inferred yet
  Runtime, // `operand`, which may be a constant of a type
  Literal, // a number without a type: `integer`, `real`, or `real` and `imaginary`, as `type` says
  Choice,  // elements[0] if operand else elements[1], both literals: takes a type where it is used
  Deferred, // elements[0] `op` elements[1], a float literal beside a narrow integer or to an integer power, and what
            // is made of such: takes a type where it is used
  Element, // an element of the constant array of literals elements[0], at `indices`, which are guarded
           // already
  Rows,    // a part of such an array that has axes left: where one more subscript is expected
  Table, // an array of constants that is larger than a tuple may be, or of records: `table`; `type` is that of its
         // elements, or the array type of the records
  Tuple,  // elements; `type` is that of a record, or of a tuple whose elements have names
  Record, // a record of the array `operand` at `indices`, which are guarded already, or one of `type` in it:
          // `integer` says at which byte
  None,
  String, // text
  Ellipsis,
  Type,      // `type`; text is "int" or "float" where it was written so
  Function,  // function
  File,      // an imported Kern file: file
  Host,      // a module of the host (numba, numba.cuda, math, numpy): text
  Prefix,    // the front of dotted builtins ("shared", "atomic"): text
  Dict,      // elements: keys and values in turn
  Builtin,   // builtin
  Method,    // a function of an array or number, elements[0], or of NumPy: text
  TypeMaker, // a type of Numba that a call makes, Array of `types.Array(float32, 1, 'C')`: text
  Range,     // elements: start, stop, step; `integer` is what `unroll` makes of its loop (ir::For)
  Reversed,  // elements[0]: a range, or another one that is reversed
  Enumerate, // elements: the iterable, the first number
  Zip,       // elements: the iterables
};

// The bound of an integer of which nothing is known.
inline constexpr std::uint64_t any_bits = ~std::uint64_t{0};

// The float that an i64 was made of, by `round(x)`, or by `int(x)`, which cuts.
struct Rounded {
  Span span;
  bool is_nearest;
  Type type; // of the float
  Span
      call; // where it is made an i64; a sum, difference or product with literals stands around it, or nothing
  bool is_whole = true;         // nothing does
  bool is_held = false;         // it was assigned to a local since, or went through `min` or `max`
  std::string_view holder = {}; // that local
};

// A signed operand that made an i64 of what was a u32, and what became of it since.
struct Mixed {
  Span operand;
  bool is_assigned = false;         // to a local that was a u32 before
  bool is_raised = false;           // shifted left
  bool is_hash = false;             // and combined with `^` then
  std::optional<Span> shifted = {}; // of what was shifted right
  bool is_index = false;            // no u32 met it, but a literal that hashes multiply with
};

// The origin of an integer, for how large it may be: numbers of threads and counters of loops, what the
// function is given, elements of arrays.
enum class Origin : std::uint8_t { Index, Given, Data };

// A term of a sum or difference that is none itself; a sum has its terms in the order of the source.
struct Addend {
  Span span;
  std::optional<ir::SlotId> array; // whose element it is
  Interval interval;
};

// The facts about an integer expression of a .kern file besides its type (check/narrow.h). A variable that it
// is assigned to has none of them but what narrow_locals.cpp says.
struct IntegerFacts {
  std::optional<Interval> interval; // else that of its type, or of the constant
  bool promoted = false;            // an i32 that operators made of integers narrower than 32 bits
  bool saturates = false;       // the result of an operator of which `min` and `max` make a saturating one
  bool multiplies = false;      // a product, or a sum of some
  bool combines_bits = false;   // with `& | ^ <<`, which floats do not have
  bool grown = false;           // made of locals that are i32 only because they were assigned such an i32
  const Local* local = nullptr; // such a local itself
  std::optional<Rounded> rounded;
  std::vector<Span> leaves;  // the operands to convert where the operators are to compute in a wider type
  std::vector<Span> wrapped; // of them, those without which 32 bits, or numbers of 0 or more, may be passed
  const Local* wrapped_in = nullptr; // else the local in whose assignment they stand, or which a loop adds to
  bool by_count =
      false; // they are literals that have the type of their count, and matter where it is widened
  bool by_product = false; // they are factors of 32 bits, which matter there too
  bool by_shift = false;   // shifted, which matters where it is widened, unless a hash is made of it
  bool falls = false;      // shifted right, which with a shift to the left rotates
  std::optional<Interval>
      held; // of a local that narrow integers made: where it lies behind its last assignment
  Origin origin = Origin::Index;
  Origin factors = Origin::Index; // of a product that may have wrapped
  bool xors = false;              // combined with `^`, as a hash is
  std::optional<Interval> exact;  // where it lies if no operator of it wraps, where that is not `interval`
  std::optional<Interval> reach;  // around what its operators give then
  std::vector<Span> wide;         // operands which, cast to 64 bits, keep all of its operators from wrapping
  bool hides_wrap = false;        // no cast in it does
  bool is_cast = false;           // to its type, as it is written
  std::optional<Mixed> mixed;     // of an i64 that was a u32 but for that
  std::optional<ir::SlotId> element_of; // the array whose element it is, also behind a local
  std::vector<Addend> addends; // of a sum, of what is negated, or of what `abs` is of, without constants
  bool is_turned = false;      // negated, or what `abs` gives
  bool of_threads = false;     // what another thread holds, by a shuffle, and sums with it
  bool is_small = false;       // made of bytes, bools and counters, of which a block's sum fits
};

struct Value {
  ValueKind kind = ValueKind::Error;
  Span span;
  Type type = types::error; // Runtime, Literal, Choice, Element: of the value; Type: the type that it is
  ir::Operand operand;
  WideInt integer = 0;
  double real = 0;
  double imaginary = 0;
  std::uint64_t most = any_bits; // of a run-time integer: what most_bits() returns
  IntegerFacts facts;
  bool positive = false;   // a run-time integer that is known to be 1 or more
  bool is_written = false; // True or False
  bool from_end = false;   // an integer written as `-` and a literal: as an index it counts from the end
  Span written;            // of a literal behind a name, where it stands; else nowhere
  // Of a literal that a parameter is: the number of the reading (shared_literals.cpp); else 0.
  std::uint32_t reading = 0;
  std::vector<Local*>
      literals;       // the locals of literals that its type comes from (literal_locals.cpp), sorted
  bool waits = false; // of a literal type that follows from what has no type yet
  std::vector<Value> elements;
  std::vector<ir::Operand> indices;
  std::vector<std::int64_t> extents; // of an array, where they are constants
  std::string_view text;
  Builtin builtin{};
  ast::BinaryOp op{}; // of what is deferred
  const ir::ConstantDecl* table = nullptr;
  const FunctionSymbol* function = nullptr;
  FileScope* file = nullptr;

  // Defined in value.cpp: copying and destroying so many members is much code, which each file that copies a
  // value would have again.
  Value();
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();
};

// Make values.
Value error_value(Span span);
Value unknown_value(Span span);
Value runtime_value(ir::Operand operand, Span span);
Value int_value(WideInt value, Span span);
Value float_value(double value, Span span);
Value complex_value(std::complex<double> value, Span span);
Value bool_value(bool value, Span span);
Value tuple_value(std::vector<Value> elements, Span span);
// Makes a tuple without elements yet, which is a record or has names where the type says so.
Value tuple_like(Type type, Span span);
Value type_value(Type type, Span span);
Value plain_value(ValueKind kind, Span span);

// Makes an operation of float literals, in which there are integers of the running program too.
Value deferred_value(ast::BinaryOp op, const Value& left, const Value& right, Span span);

// Returns a value as what a name stands for that is read at a place.
Value read_at(Value value, Span span);
// Returns a value as a variable holds it: of its integers nothing is known but their types.
Value as_variable(Value value);

// Say what a value is.
inline bool is_error(const Value& value) { return value.kind == ValueKind::Error; }
inline bool is_unknown(const Value& value) { return value.kind == ValueKind::Unknown; }
inline bool is_literal(const Value& value) { return value.kind == ValueKind::Literal; }
inline bool is_int_literal(const Value& value) {
  return is_literal(value) && value.type == types::int_literal;
}
inline bool is_complex_literal(const Value& value) {
  return is_literal(value) && value.type == types::complex_literal;
}
// Says whether it has no type yet, but what it is made of is known here: it takes one where it is used.
inline bool takes_type(const Value& value) {
  return is_literal(value) || value.kind == ValueKind::Choice || value.kind == ValueKind::Deferred ||
         value.kind == ValueKind::Element;
}
inline bool is_tuple(const Value& value) { return value.kind == ValueKind::Tuple; }
// Says whether it is a number of the running program or a constant one: it has a scalar or literal type.
bool is_number(const Value& value);
// Says whether it is an array of the running program.
bool is_array(const Value& value);
// Says whether it is a number known now, with or without a type.
bool is_constant_number(const Value& value);
// Says whether it is True or False: in a call a constant of the instance, as literals are.
bool is_fixed(const Value& value);
// Says whether all of it is known now: numbers, tuples of them, and whatever is no value of the running
// program.
bool is_constant(const Value& value);
// Says whether a slot (or, of a tuple, slots) can hold it.
bool is_storable(const Value& value);
// Says whether it, or an element of it, has no type yet.
bool has_unknown(const Value& value);
// Returns how many elements a tuple has, those of the tuples in it counted instead of them; 1 of an empty one
// and of anything else.
std::size_t leaf_count(const Value& value);
// Returns how deep tuples are nested in each other; 0 of anything else.
std::size_t tuple_depth(const Value& value);
// Says whether two values known now are the same.
bool same_constant(const Value& a, const Value& b);

// Returns the value of a constant integer or bool; nothing for anything else.
std::optional<WideInt> constant_integer(const Value& value);
// Returns the interval of an integer or bool, literals included.
Interval interval_of(const Value& value);
// Returns what an integer is at most, its value as an i64 or u64 taken as bits without a sign. A number below
// 2^63 says that it is not negative; the bits of a sum that may have wrapped are at most `any_bits`.
std::uint64_t most_bits(const Value& value);
// Returns the same of the value once it is converted to a type.
std::uint64_t most_bits_as(const Value& value, Type type);
// Returns the greatest value of an integer type.
std::uint64_t greatest_bits(Type type);
// Says whether an integer is known to be 0 or more, whatever its type.
inline bool is_nonnegative(const Value& value) { return most_bits(value) <= greatest_bits(types::i64); }
// Says whether the negative of an integer is known to be an i64.
bool has_opposite(const Value& value);
// Returns the code point of a string of one character; nothing for anything else.
std::optional<std::uint32_t> only_character(const Value& value);
// Returns the value of a constant number that is not complex.
std::optional<double> constant_real(const Value& value);
// Returns the value of any constant number.
std::optional<std::complex<double>> constant_complex(const Value& value);

} // namespace kern::checker
