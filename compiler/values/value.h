// What a name of Python may stand for where kernels are compiled: a constant, an object of the host by its identity, or
// that nobody knows, and why. Values are small and never change; what an object holds is in a store of python/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::values {

// Why nobody knows what a name is.
enum class Why : std::uint8_t {
  Bound,       // code that is not followed may bind it
  Changed,     // code that is not followed may change the object
  Launched,    // it is bound again behind a launch of a kernel that reads it
  Captured,    // it is a parameter of a function of the host
  Missing,     // it is imported from a module that is not there
  NotComputed, // Python computes it
};

// What else is known of that.
struct Doubt {
  std::string_view name = {};       // Captured: the function that has the parameter; Missing: the module
  std::span<const Span> bound = {}; // Bound: where the ways that may be gone bind it
  Span condition = {};              // Bound: that nobody can decide; empty where it is none
  bool operator==(const Doubt& other) const {
    return name == other.name && condition == other.condition && std::ranges::equal(bound, other.bound);
  }
};
struct Unknown {
  Why why{};
  // Of the statement whose ways differ or which changes it, the parameter, the import, or the expression that is not computed.
  Span where;
  const Doubt* doubt = nullptr;
};
struct None {
  bool operator==(const None&) const = default;
};
struct Ellipsis {
  bool operator==(const Ellipsis&) const = default;
};
struct Complex {
  double real = 0, imag = 0;
};
// A number of a type of NumPy, as the IR holds it.
struct Number {
  ir::Operand bits;
};
struct Text {
  std::string_view text;
};

struct Value;
struct Tuple {
  std::span<const Value> elements;
  bool was_list = false; // when a term was made of it
};
// An object by its identity.
enum class ObjectId : std::uint32_t {};
struct List {
  ObjectId object;
};
struct Dict {
  ObjectId object;
};
// A class, whose attributes are the names of a namespace.
struct Class {
  ObjectId object;
  const ast::HostStatement* statement;
  std::span<const Value> bases = {};
};
// A view of the numbers of an object: how many of its words they are apart along each axis. A complex number has two words.
struct ArrayForm {
  Type type = types::error;
  std::span<const std::int64_t> extents, strides;
  std::int64_t first = 0;
};
struct Array {
  ObjectId object;
  const ArrayForm* form;
};
// The numbers of an array, one behind the other in C order, as an operand has them: two of a complex number.
struct Numbers {
  Type type = types::error;
  std::vector<std::int64_t> extents = {};
  std::vector<std::uint64_t> bits = {};

  std::size_t size() const { return bits.size() / (is_complex(type) ? 2 : 1); }
  ir::Operand at(std::size_t index) const;
  void add(const ir::Operand& number);
};
struct Range {
  std::int64_t start = 0, stop = 0, step = 1;
};
struct FunctionData; // of python/
struct Function {
  const FunctionData* data;
};
struct File {
  std::uint32_t index;
};
// A name of a file that is no Python: check/ evaluates it.
struct Member {
  std::uint32_t file;
  std::string_view name;
};
// A name of a module that Kern knows, "numba.cuda.jit", or of Python, "int".
struct Path {
  std::string_view name;
};
// A call of such a name, or of a class of named tuples, that changes nothing, and which whoever reads it makes a type, an
// option or a value of. Its lists are tuples, as they were then; `t[i]` calls "operator.getitem", where a slice is a call of
// "slice", `t.name` "getattr", `{a, b}` "set"; `d.items()` "dict.items" of what `d` holds when it is asked.
struct TermData;
struct Term {
  const TermData* data;
};
// A value of who asks python/, a type of check/, by a number that only that one understands.
struct Foreign {
  std::uint32_t index;
};

struct Value : std::variant<Unknown, None, Ellipsis, bool, WideInt, double, Complex, Number, Text, Tuple,
                            List, Dict, Class, Array, Range, Function, File, Member, Path, Term, Foreign> {
  using variant::variant;
};

struct NamedValue {
  std::string_view name;
  Value value;
};
struct TermData {
  Value callee; // a path, a term, or a class
  std::span<const Value> args;
  std::span<const NamedValue> keywords;
  const ast::Call* call = nullptr;     // that was evaluated; null where it is written in another way
  std::optional<ObjectId> object = {}; // of an array or a set, which may be changed
};

// Returns the value as a T, or null where it is another one.
template <class T> const T* as(const Value& value) {
  return std::get_if<T>(static_cast<const Value::variant*>(&value));
}
inline bool is_unknown(const Value& value) { return as<Unknown>(value) != nullptr; }
// Returns the dotted name of a module that a value is; "" of another one.
inline std::string_view path_name(const Value& value) {
  const auto* path = as<Path>(value);
  return path ? path->name : std::string_view();
}
// Returns the dotted name that a value is, or that it is a call of: of `cuda.jit` and `cuda.jit(device=True)` the same.
inline std::string_view callee_name(const Value& value) {
  const auto* term = as<Term>(value);
  return path_name(term ? term->data->callee : value);
}
// Returns the place that an index means in a sequence of `count`, from its end where it is negative; nothing outside of it.
inline std::optional<std::size_t> index_in(WideInt index, std::size_t count) {
  const auto size = static_cast<WideInt>(count);
  if (index < -size || index >= size) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}
// Says whether it is a number, with or without a type, or True or False.
bool is_number(const Value& value);
// Return an integer or bool; a number that is not complex; any number.
std::optional<WideInt> integer_of(const Value& value);
std::optional<double> real_of(const Value& value);
// Returns the type that NumPy gives a number.
Type type_of_number(const Value& number);
// Returns a number as one of a type; nothing where that does not hold it.
std::optional<ir::Operand> number_as(const Value& number, Type type);
// Says whether two values are the same one for certain: equal constants, one object.
bool is_same(const Value& a, const Value& b);
// Returns what Python's `if` makes of it; nothing where that is not known. An object has the truth that its store says.
std::optional<bool> truth_of(const Value& value);
// Prints a constant, for tests: "3", "2.5", "f32 0.5", "(1, 'a')".
std::string print(const Value& value);

// Return what an operator gives, by Python's rules and NumPy's; nothing where Python raises, or where an operand is no number.
std::optional<Value> binary(ast::BinaryOp op, const Value& left, const Value& right);
std::optional<Value> unary(ast::UnaryOp op, const Value& operand);
std::optional<bool> compare(ast::CompareOp op, const Value& left, const Value& right);
// Returns what a function of Python's, math's or NumPy's gives for numbers; nothing where it is not known.
std::optional<Value> call(std::string_view path, std::span<const Value> args);

} // namespace kern::values
