#include "runtime/algorithms/shapes.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/api/error.h"
#include "runtime/api/overlap.h"

namespace kern::algorithms {

namespace {

[[noreturn]] void refuse(std::string message) { runtime::fail(KERN_ARGUMENT_ERROR, std::move(message)); }

std::string quoted(const std::string& name) { return "`" + name + "`"; }

std::span<const std::int64_t> extents_of(const kern_argument& array) { return {array.extents, array.rank}; }

// The names in their order, for messages: "(a, x, y)".
std::string order_of(const Formula& formula) {
  std::string text = "(";
  for (const Name& name : formula.names) text += (text.size() > 1 ? ", " : "") + name.text;
  return text + ")";
}

} // namespace

void check_arguments(const Formula& formula, std::span<const kern_argument> arguments) {
  if (arguments.size() != formula.names.size())
    refuse("the formula has the arguments " + order_of(formula) + ", in this order, and is given " +
           std::to_string(arguments.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Name& name = formula.names[i];
    const kern_argument& given = arguments[i];
    if (given.kind == KERN_EMPTY)
      refuse(quoted(name.text) + " is empty: it was never made, could not be made, or was moved from");
    if (given.kind > KERN_EMPTY || given.type > KERN_C128 || given.rank > 8)
      refuse(quoted(name.text) + " is no argument of a kernel");
    if (name.is_written && !is_array(given))
      refuse(quoted(name.text) +
             " is assigned, and is given a scalar: results are arrays; the arguments are " +
             order_of(formula));
    if (name.is_written && !given.writable)
      refuse(quoted(name.text) + " is assigned, and is given an array that is only read; the arguments are " +
             order_of(formula));
    if (name.is_read && given.kind == KERN_HOST_OUT)
      refuse(quoted(name.text) +
             " is read as well, and is given host memory that is not copied to the device: " +
             (name.is_written ? "inout(...) copies it both ways" : "in(...) does"));
    if (!name.is_written && given.kind == KERN_HOST_INOUT)
      refuse(quoted(name.text) + " is only read: in(...) does not copy it back");
    if (!name.is_written && given.kind == KERN_HOST_OUT) refuse(quoted(name.text) + " is no result");
  }
}

Shape common_shape(const Formula& formula, std::span<const kern_argument> arguments) {
  Shape shape;
  const std::size_t none = arguments.size();
  std::vector<std::size_t> sources; // of each extent, for messages
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_array(arguments[i])) continue;
    const auto extents = extents_of(arguments[i]);
    if (extents.size() > shape.extents.size()) {
      shape.extents.insert(shape.extents.begin(), extents.size() - shape.extents.size(), 1);
      sources.insert(sources.begin(), shape.extents.size() - sources.size(), none);
    }
    const std::size_t first = shape.extents.size() - extents.size();
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      std::int64_t& common = shape.extents[first + axis];
      if (extents[axis] == common || extents[axis] == 1) continue;
      if (common != 1)
        refuse(quoted(formula.names[i].text) + " of shape " + text_of(extents) + " does not broadcast with " +
               quoted(formula.names[sources[first + axis]].text) + " of shape " +
               text_of(extents_of(arguments[sources[first + axis]])));
      common = extents[axis];
      sources[first + axis] = i;
    }
  }
  shape.arrays.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_array(arguments[i])) continue;
    const auto extents = extents_of(arguments[i]);
    if (formula.names[i].is_written && !std::ranges::equal(extents, shape.extents))
      refuse(quoted(formula.names[i].text) + " is a result of shape " + text_of(extents) +
             ", and the arrays together have the shape " + text_of(shape.extents));
    Axes& axes = shape.arrays[i];
    axes.skipped = static_cast<std::uint32_t>(shape.extents.size() - extents.size());
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      axes.is_repeated.push_back(extents[axis] != shape.extents[axes.skipped + axis]);
  }
  return shape;
}

void check_overlaps(const Formula& formula, std::span<const kern_argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!formula.names[i].is_written) continue;
    for (std::size_t other = 0; other < arguments.size(); ++other) {
      if (other == i || !is_array(arguments[other]) ||
          !runtime::share_elements(arguments[i], arguments[other]))
        continue;
      const bool is_in_place =
          is_same_array(arguments[i], arguments[other]) && !formula.names[other].is_written;
      if (!is_in_place)
        refuse(quoted(formula.names[i].text) + " is a result and shares elements with " +
               quoted(formula.names[other].text) + ", which lies elsewhere or is a result itself");
    }
  }
}

bool is_flat(const Shape& shape, std::span<const kern_argument> arguments) {
  return std::ranges::all_of(arguments, [&](const kern_argument& each) {
    return !is_array(each) || (std::ranges::equal(extents_of(each), shape.extents) && is_dense(each));
  });
}

} // namespace kern::algorithms
