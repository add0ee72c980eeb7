// The types of the language. They are interned: two equal types are one pointer and compare by ==. Scalars
// are constants (types::f32); arrays and tuples come from a TypeTable, which owns them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kern {

enum class ScalarKind : std::uint8_t {
#define SCALAR(Kind, Short, Long, Class, Bits) Kind,
#include "compiler/types/scalars.def"
};

enum class ScalarClass : std::uint8_t { Boolean, Signed, Unsigned, Float, Complex };

enum class TypeKind : std::uint8_t {
  Error,          // of what was already reported; agrees with everything
  Unknown,        // not yet inferred: of a local before anything was assigned to it
  None,           // of a function that returns nothing
  IntLiteral,     // of an integer literal, and of a local that only ever met them
  FloatLiteral,   // the same for floats
  ComplexLiteral, // the same for complex numbers
  Scalar,
  Array,
  Tuple,
};

enum class AddressSpace : std::uint8_t { Global, Shared, Local, Constant };

// The layout of an array as far as its type alone fixes the strides.
enum class Layout : std::uint8_t {
  Any,   // T[:, :]
  COrder // T[:, ::1]
};

struct TypeData;
struct RecordData;

class Type {
public:
  constexpr explicit Type(const TypeData* data) : data_(data) {}
  constexpr bool operator==(const Type&) const = default;
  constexpr const TypeData* operator->() const { return data_; }
  constexpr const TypeData& operator*() const { return *data_; }

private:
  const TypeData* data_;
};

struct TypeData {
  TypeKind kind;
  ScalarKind scalar{};                 // Scalar; of an Array, its element
  std::uint8_t rank = 0;               // Array
  AddressSpace space{};                // Array
  Layout layout{};                     // Array
  std::span<const Type> elements = {}; // Tuple; of an Array of records, their type alone
  const RecordData* record = nullptr;  // of a Tuple whose elements have names
  bool is_point = false;               // an Array that is written without axes: it has one, of one element
};

// A field of a record, or an element of a named tuple.
struct RecordField {
  std::string name;
  Type type;                         // of one element: a scalar, or a record
  std::vector<std::int64_t> extents; // of an array in the record; else empty
  std::int64_t offset = 0;           // in bytes
  bool operator==(const RecordField&) const = default;
};

// The parts of a tuple's type beyond its elements: their names, and a record's layout in memory.
struct RecordData {
  std::string name; // each record of a program has its own
  std::vector<RecordField> fields;
  std::int64_t size = 0, alignment = 1; // in bytes; a named tuple has none
  bool is_named_tuple = false;
  std::optional<Type> tuple = {}; // of how a tuple lies in an array: that tuple
};

namespace types {
namespace detail {
inline constexpr TypeData error{TypeKind::Error}, unknown{TypeKind::Unknown}, none{TypeKind::None},
    int_literal{TypeKind::IntLiteral}, float_literal{TypeKind::FloatLiteral},
    complex_literal{TypeKind::ComplexLiteral};
inline constexpr TypeData scalars[] = {
#define SCALAR(Kind, Short, Long, Class, Bits) {TypeKind::Scalar, ScalarKind::Kind},
#include "compiler/types/scalars.def"
};
} // namespace detail

// Returns the type of a scalar kind.
constexpr Type scalar(ScalarKind kind) { return Type(&detail::scalars[static_cast<std::size_t>(kind)]); }

inline constexpr Type error{&detail::error}, unknown{&detail::unknown}, none{&detail::none},
    int_literal{&detail::int_literal}, float_literal{&detail::float_literal},
    complex_literal{&detail::complex_literal};
inline constexpr Type boolean = scalar(ScalarKind::Bool), i8 = scalar(ScalarKind::I8),
                      i16 = scalar(ScalarKind::I16), i32 = scalar(ScalarKind::I32),
                      i64 = scalar(ScalarKind::I64), u8 = scalar(ScalarKind::U8),
                      u16 = scalar(ScalarKind::U16), u32 = scalar(ScalarKind::U32),
                      u64 = scalar(ScalarKind::U64), f16 = scalar(ScalarKind::F16),
                      bf16 = scalar(ScalarKind::BF16), f32 = scalar(ScalarKind::F32),
                      f64 = scalar(ScalarKind::F64), c64 = scalar(ScalarKind::C64),
                      c128 = scalar(ScalarKind::C128);
} // namespace types

// Says what kind of number a scalar type is.
ScalarClass scalar_class(ScalarKind kind);
// Returns the size in memory, in bits.
int bit_width(ScalarKind kind);
// Returns the distance from 1 to the next number of a float type, or of the parts of a complex one; of another type that of f64.
double epsilon(ScalarKind kind);
// Say whether a type is a scalar of that class; literal types count with their class.
bool is_integer(Type type); // signed or unsigned, not bool
bool is_signed(Type type);
bool is_float(Type type);
bool is_boolean(Type type);
bool is_complex(Type type);
bool is_literal(Type type); // of an integer, a float or a complex literal
inline bool is_scalar(Type type) { return type->kind == TypeKind::Scalar; }
inline bool is_array(Type type) { return type->kind == TypeKind::Array; }
inline bool is_tuple(Type type) { return type->kind == TypeKind::Tuple; }
// Returns the type of the two parts of a complex type: f32 or f64.
Type part_type(Type complex);
// Returns the complex type whose parts are of a float type: c64, but of f64 c128.
Type complex_of(Type part);
// Returns the type of an array's element.
inline Type element_type(Type array) { return types::scalar(array->scalar); }
// A record is a tuple of its fields, an array in it a tuple as well. An array of records is one of words, with
// an axis more than it is written with: its last one is the words of a record, one behind the other.
inline bool is_record(Type type) { return is_tuple(type) && type->record && !type->record->is_named_tuple; }
inline bool is_record_array(Type type) { return is_array(type) && !type->elements.empty(); }
// Says whether it is how a tuple lies in an array: a record in memory, whose values are plain tuples.
inline bool holds_tuple(Type type) { return is_record(type) && type->record->tuple.has_value(); }
// Returns the type of the records of an array.
inline Type record_type(Type array) { return array->elements[0]; }
// Returns the number of axes that an array is written with.
inline int written_rank(Type array) {
  return array->rank - (is_record_array(array) || array->is_point ? 1 : 0);
}
// Says whether it is an array without axes, which has one element, `x[()]`.
inline bool is_point(Type type) { return is_array(type) && type->is_point; }
// Returns the size of a scalar or a record in memory, in bytes.
std::int64_t size_in_memory(Type type);
// Returns how a scalar or a record is aligned where nothing says otherwise, in bytes.
std::int64_t natural_alignment(Type type);
// Returns the unsigned integer of 1, 2, 4 or 8 bytes.
ScalarKind unsigned_kind(std::int64_t bytes);
// Returns the word that an array of records is made of: the widest unsigned integer, up to 64 bits, of which each
// field begins at a whole number, and of local memory the widest that no field is narrower than.
ScalarKind record_word(Type record, AddressSpace space);

// Makes and owns arrays and tuples. A copy owns them as well, and makes the same ones: types are compared by
// pointer, and those of a copied module must be equal to the original's, whichever of the two ends first.
class TypeTable {
public:
  TypeTable();
  // Returns the array type with these properties; rank is 1 to limits::array_rank.
  Type array(ScalarKind element, int rank, AddressSpace space = AddressSpace::Global,
             Layout layout = Layout::Any);
  // Returns the type of an array without axes.
  Type point(ScalarKind element, AddressSpace space = AddressSpace::Global);
  // Returns the array type of these records, made of `word`s, else of the widest that fit; rank is what is written, 0 of
  // a reference to one record.
  Type record_array(Type record, int rank, AddressSpace space = AddressSpace::Global,
                    std::optional<ScalarKind> word = {});
  // Returns an array type that differs in its rank, as it is written, and its layout.
  Type with_rank(Type array, int rank, Layout layout);
  // Returns the tuple type of these elements.
  Type tuple(std::span<const Type> elements);
  // Returns the record type with this layout; where another one has the name, it gets a number.
  Type record(std::string_view name, std::vector<RecordField> fields, std::int64_t size,
              std::int64_t alignment, std::optional<Type> tuple = {});
  // Returns how a tuple of scalars, records and such tuples lies in an array: as a struct of C.
  Type tuple_in_memory(Type tuple);
  // Returns the tuple type of these elements with the names of an older one.
  Type named(std::span<const Type> elements, const RecordData* names);
  // Returns the names of a named tuple.
  const RecordData* names(std::string_view name, std::span<const std::string_view> fields);

private:
  struct Storage;
  std::shared_ptr<Storage> storage_;
};

// Prints a type as it is written in a .kern file: "f32", "f32[:, ::1]", "(i64, f32)". An array that is not in
// global memory says so: "shared f32[:]".
std::string to_string(Type type);
// Returns the scalar of a name, short or long ("f32", "float32").
std::optional<ScalarKind> find_scalar(std::string_view name);
// Returns the type's name in a symbol (docs/abi.md): "f32", "f32_2c" for f32[:, ::1], "t2_i64_f32" for a
// tuple; an array outside global memory ends in s (shared), l (local) or k (constant). The type is known: no
// literal, no error.
std::string mangle(Type type);

} // namespace kern
