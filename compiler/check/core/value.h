// The value of an expression while a function is checked: something known now (a number, a function, a type,
// a module) or a value of the running program, an operand of the IR. A tuple is the values of its elements.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::values {}

namespace kern::checker {

using namespace values;

struct FunctionSymbol;
struct FileScope;
struct Local;

enum class ValueKind : std::uint8_t {
  Error,   // of what was already reported
  Unknown, // a run-time value whose type is not inferred yet
  Runtime, // `operand`, which may be a constant of a type
  Literal, // a number without a type: `integer`, real(), or real() and imaginary(), as `type` says
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
  File,      // an imported file: file
  HostClass, // a class of the host, or a folder of modules: `integer` is its number in HostNames::found
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

// A list that few values have. Copies share it, so that nobody changes it in place.
template <class T> class SharedList {
public:
  SharedList() = default;
  SharedList(std::vector<T> list) {
    if (!list.empty()) list_ = std::make_shared<const std::vector<T>>(std::move(list));
  }
  const std::vector<T>& list() const { return list_ ? *list_ : none; }
  operator const std::vector<T>&() const { return list(); }
  bool empty() const { return !list_; }
  std::size_t size() const { return list().size(); }
  const T& operator[](std::size_t index) const { return list()[index]; }
  auto begin() const { return list().begin(); }
  auto end() const { return list().end(); }

private:
  static inline const std::vector<T> none;
  std::shared_ptr<const std::vector<T>> list_; // null where it is empty
};

struct Value {
  ValueKind kind = ValueKind::Error;
  bool positive = false; // a run-time integer that is known to be 1 or more
  // An i64 made of literals and counts alone, or an inverted literal: a word takes its low bits.
  bool of_literals = false;
  bool is_made = false;    // an i64 that arithmetic made of narrower integers, or a word that it made
  bool is_written = false; // True or False
  bool from_end = false;   // an integer written as `-` and a literal: as an index it counts from the end
  bool waits = false;      // of a literal type that follows from what has no type yet
  ast::BinaryOp op{};      // of what is deferred
  Builtin builtin{};
  // Of a literal that a parameter is: the number of the reading (shared_literals.cpp); else 0.
  std::uint32_t reading = 0;
  Span span;
  Span written;             // of a literal behind a name, where it stands; else nowhere
  Type type = types::error; // Runtime, Literal, Choice, Element: of the value; Type: the type that it is
  ir::Operand operand;      // of a Literal that is no integer: bits alone, those of real() and imaginary()
  WideInt integer = 0;
  std::uint64_t most = any_bits; // of a run-time integer: what most_bits() returns
  // The locals of literals that its type comes from, sorted: one of Context::literal_lists; null where there are none.
  const std::vector<Local*>* literals = nullptr;
  std::vector<Value> elements;
  SharedList<ir::Operand> indices;
  SharedList<std::int64_t> extents; // of an array, where they are constants
  std::string_view text;
  const ir::ConstantDecl* table = nullptr;
  const FunctionSymbol* function = nullptr;
  FileScope* file = nullptr;

  // The parts of a literal that is no integer.
  double real() const { return std::bit_cast<double>(operand.bits); }
  double imaginary() const { return std::bit_cast<double>(operand.imag); }

  // Defined in value.cpp: copying and destroying so many members is much code, which each file that copies a
  // value would have again.
  Value();
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();
};
// It is copied with each expression and each element of a tuple.
static_assert(sizeof(Value) < 220);

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
// Returns a value of the running program of a type, whose leaves `leaf` makes, each for its type.
template <class Leaf> Value value_of_leaves(Type type, Span span, const Leaf& leaf) {
  if (!is_tuple(type)) return runtime_value(leaf(type), span);
  Value tuple = tuple_like(type, span);
  for (Type element : type->elements) tuple.elements.push_back(value_of_leaves(element, span, leaf));
  return tuple;
}
Value type_value(Type type, Span span);
Value plain_value(ValueKind kind, Span span);
Value text_value(ValueKind kind, std::string_view text, Span span); // a String, Host or Prefix
Value function_value(const FunctionSymbol* function, Span span);
Value file_value(FileScope* file, Span span);

// Makes an operation of float literals, in which there are integers of the running program too.
Value deferred_value(ast::BinaryOp op, const Value& left, const Value& right, Span span);

// Returns a value as what a name stands for that is read at a place.
Value read_at(Value value, Span span);

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

// Says whether a value is an array of records, or one record in memory.
inline bool is_record_array(const Value& value) {
  return value.kind == ValueKind::Runtime && is_record_array(value.type);
}
inline bool is_record_place(const Value& value) { return value.kind == ValueKind::Record; }
// Says whether a value is a reference to one record, as a name of a .py file holds it.
inline bool is_record_reference(const Value& value) {
  return is_record_array(value) && written_rank(value.type) == 0;
}
} // namespace kern::checker
