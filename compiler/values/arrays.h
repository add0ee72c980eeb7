// The numbers of arrays as NumPy computes with them, each by the rules of a single one.
#pragma once

#include <functional>
#include <vector>

#include "compiler/values/value.h"

namespace kern::values {

using Extents = std::vector<std::int64_t>;

// An operand: an array, or a number of Python's own, which takes the type of the others.
using Element = std::variant<Numbers, Value>;

std::size_t words_of(Type type); // of one number
// Returns the product of extents; nothing where an array may not be so large.
std::optional<std::int64_t> count_of(std::span<const std::int64_t> extents);
// Returns the type that NumPy gives an array of numbers of both.
std::optional<Type> promoted(Type a, Type b);
// Returns the root or the inverse of a complex number as NumPy computes it for a power of 0.5 or -1 of an array.
Value complex_root_or_inverse(const ir::Operand& z, bool is_root);
// Returns what `astype` gives; nothing where C leaves it open what a float becomes that no integer of the type is near.
std::optional<Numbers> converted(const Numbers& numbers, Type type);
Numbers transposed(const Numbers& numbers);

// Goes over the places of the numbers of a view, in C order.
struct Walk {
  std::span<const std::int64_t> extents;
  Extents strides;
  std::int64_t place = 0;
  Extents at = Extents(extents.size(), 0);

  void next() {
    for (std::size_t axis = at.size(); axis-- > 0;) {
      place += strides[axis];
      if (++at[axis] < extents[axis]) return;
      place -= strides[axis] * extents[axis];
      at[axis] = 0;
    }
  }
};
// Returns the strides of extents whose last axis, or first one, has its numbers side by side.
Extents strides_of(std::span<const std::int64_t> extents, std::int64_t step, bool is_fortran = false);

// Returns the extents of what is computed of all of them, place by place.
Extents broadcast(std::span<const Element> operands);
// Calls a function of single numbers for all that are at one place of operands, which are broadcast.
using OfNumbers = std::function<std::optional<Value>(std::span<const Value>)>;
std::optional<Numbers> each_of(std::span<const Element> operands, const OfNumbers& function);
// Returns what an operator gives, of which one operand is an array at least.
std::optional<Numbers> array_binary(ast::BinaryOp op, const Element& left, const Element& right);
// Returns a function of NumPy that works on single numbers and has an exact result ("sqrt", "minimum"), by its number of
// arguments; null where it is none.
OfNumbers ufunc(std::string_view name, std::size_t count);

} // namespace kern::values
