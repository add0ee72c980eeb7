#include "runtime/plans/arrays.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/api/error.h"

namespace kern::algorithms {

const char* type_name(std::uint32_t type) {
  static constexpr std::array<const char*, 15> names = {"bool", "i8",  "i16", "i32", "i64",
                                                        "u8",   "u16", "u32", "u64", "f16",
                                                        "bf16", "f32", "f64", "c64", "c128"};
  return type < names.size() ? names[type] : "?";
}

std::int64_t bytes_of(std::uint32_t type) {
  static constexpr std::array<std::int8_t, 15> bytes = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return type < bytes.size() ? bytes[type] : 0;
}

std::string parameter_type(const kern_argument& argument) {
  std::string type = type_name(argument.type);
  if (!is_array(argument)) return type;
  type += "[";
  for (std::size_t axis = 0; axis < argument.rank; ++axis) type += axis ? ", :" : ":";
  return type + (argument.rank == 1 && argument.strides[0] == 1 ? ":1]" : "]");
}

std::string text_of(std::span<const std::int64_t> extents) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(extents[axis]);
  return text + (extents.size() == 1 ? ",)" : ")");
}

std::int64_t count(std::span<const std::int64_t> extents) {
  std::int64_t size = 1;
  for (std::int64_t extent : extents) size *= extent;
  return size;
}

kern_argument scalar_of(std::int64_t value) {
  kern_argument argument{};
  argument.kind = KERN_SCALAR;
  argument.type = KERN_I64;
  std::memcpy(argument.scalar, &value, sizeof value);
  return argument;
}

kern_argument dense_array(std::uint32_t type, std::span<const std::int64_t> extents) {
  kern_argument array{};
  array.kind = KERN_ARRAY;
  array.type = type;
  array.rank = static_cast<std::uint32_t>(extents.size());
  array.writable = 1;
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    array.extents[axis] = extents[axis];
    array.strides[axis] = stride;
    stride *= std::max<std::int64_t>(extents[axis], 1);
  }
  return array;
}

bool is_same_array(const kern_argument& a, const kern_argument& b) {
  return a.data == b.data && a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

bool is_dense(const kern_argument& array) {
  std::int64_t dense = 1;
  for (std::size_t axis = array.rank; axis-- > 0;) {
    if (array.extents[axis] > 1 && array.strides[axis] != dense) return false;
    dense *= std::max<std::int64_t>(array.extents[axis], 1);
  }
  return true;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  const std::int64_t found = axis < 0 ? axis + axes : axis;
  if (found < 0 || found >= axes)
    runtime::fail(KERN_ARGUMENT_ERROR, "there is no axis " + std::to_string(axis) + " of arrays of " +
                                           std::to_string(rank) + (rank == 1 ? " axis" : " axes"));
  return static_cast<std::size_t>(found);
}

void flatten(std::span<kern_argument> arguments) {
  for (kern_argument& each : arguments) {
    if (!is_array(each)) continue;
    each.extents[0] = count({each.extents, each.rank});
    each.rank = 1;
    each.strides[0] = 1;
  }
}

} // namespace kern::algorithms
