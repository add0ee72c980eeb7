// Arrays and numbers as `kernc run` holds them: elements of any scalar type in memory, with extents and
// strides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/data/result.h"
#include "compiler/types/types.h"
#include "runtime/cpu/array_memory.h"

namespace kern {

// A number of any scalar type, exactly.
struct Number {
  enum class Kind : std::uint8_t { Signed, Unsigned, Real, Complex };
  Kind kind = Kind::Signed;
  std::int64_t integer = 0; // Signed; Unsigned as its bits
  double real = 0, imaginary = 0;
  bool operator==(const Number&) const = default;
};

// Reads the element at `place`.
Number load_number(ScalarKind kind, const void* place);
// Writes a number; false, and nothing written, where the type cannot hold it (an integer out of its range, a
// fraction or a NaN in an integer, a complex number in a real one, a finite one that would round to infinity). A
// float is rounded to its type.
bool store_number(ScalarKind kind, void* place, const Number& number);
// Returns the value as a real number; the absolute value of a complex one.
double as_real(const Number& number);
// Prints a number as Kern writes it: "3", "0.1" (shortest that reads back the same), "True", "1+2j".
std::string to_string(const Number& number, ScalarKind kind);
// Reads a number: 12, -0x1F, 1_000, 2.5, 1e-3, inf, nan, True, False, 1+2j.
Result<Number> parse_number(std::string_view text);
// Returns the name by which programs write a type: "f32".
std::string_view name_of(ScalarKind kind);

// The records of an array, which holds their words: its last axis goes over those of one record.
struct NpyRecords {
  std::string descr; // as a .npy file has it; "" where the elements are numbers
  std::int64_t size = 0;
  std::vector<std::pair<std::int64_t, ScalarKind>> scalars; // where each is, in bytes; by their places
  std::optional<Type> type;                                 // of the parameter that takes them
  std::string dtype; // an expression of Python, where the names of fields can be written as one
  // Names the record `P` of `zeros:P:100` and `ones:P:100`, whose fields are known once the program is. The
  // array has no words until then.
  std::string name;
  bool is_ones = false;
  bool are_unknown() const { return !name.empty() && descr.empty(); }
};

struct HostArray {
  ScalarKind element{};
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides; // in elements
  cpu::ArrayMemory memory;
  NpyRecords records;
  bool is_point = false;    // of no axes in its file: it has one here, of one element
  bool may_be_bf16 = false; // u16 of a .npy file, which has no bf16: what it is compared with decides

  // Returns the number of elements.
  std::int64_t size() const;
  // Returns the number of bytes that the elements take.
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * element_bytes(); }
  // Returns the size of an element.
  std::size_t element_bytes() const { return static_cast<std::size_t>(bit_width(element)) / 8; }
  char* data() { return static_cast<char*>(memory.get()); }
  const char* data() const { return static_cast<const char*>(memory.get()); }
  // Returns where the element stands that is number `index` in C order.
  const char* at(std::int64_t index) const;
  char* at(std::int64_t index) { return const_cast<char*>(std::as_const(*this).at(index)); }
  // Returns how many axes a program sees, which knows no words of records.
  std::size_t rank() const { return extents.size() - records.type.has_value(); }
  // Returns the indices of that element: "[2, 3]".
  std::string index_text(std::int64_t index) const;
};

// Returns the memory of this machine, in bytes: what is asked beyond it would only be killed later.
std::uint64_t machine_memory();

enum class Order : std::uint8_t { C, Fortran };

// Returns the strides of elements that lie one behind the other.
std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& extents, Order order = Order::C);
// Makes an array filled with zeros; refuses extents whose product is no size, and more than the machine's
// memory.
Result<HostArray> make_array(ScalarKind element, std::vector<std::int64_t> extents, Order order = Order::C);
// Makes zeros of another array's type and extents.
Result<HostArray> make_like(const HostArray& array);
// Copies an array with its layout.
Result<HostArray> copy_array(const HostArray& array);
// Takes an array for bf16 where that is wanted and its file may hold the bits of one.
void read_as(HostArray& array, ScalarKind wanted);
// Prints type and extents: "f32 (1000, 3)".
std::string describe(const HostArray& array);

} // namespace kern
