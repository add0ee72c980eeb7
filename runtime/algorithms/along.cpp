#include "runtime/algorithms/along.h"

#include "runtime/algorithms/elementwise.h"

namespace kern::algorithms {

// The index of each axis of the shape: along the one `i`, along the others by the number of the result's element, `row_`.
static std::vector<std::string> index_along(const Shape& shape, std::size_t axis) {
  std::vector<std::string> index(shape.extents.size());
  std::string rest = "row_";
  for (std::size_t other = shape.extents.size(); other-- > 0;) {
    index[other] = other == axis ? "i" : rest + " % " + extent_name(other);
    if (other != axis) rest += " // " + extent_name(other);
  }
  return index;
}

// The number of an element in C order.
static std::string number_of(const std::vector<std::string>& index) {
  std::string number = index[0];
  for (std::size_t axis = 1; axis < index.size(); ++axis)
    number = "(" + number + ") * " + extent_name(axis) + " + " + index[axis];
  return number;
}

static std::string body(const Joining& joining, const std::string& sources, const std::string& rows,
                        const std::string& along, bool is_last) {
  const bool has_start = !joining.start.empty();
  const std::string first = "value_of((" + sources + "), 0)", each = "value_of((" + sources + "), k_)";
  if (is_last)
    return "    for row_ in range(first_segment(), " + rows +
           ", GROUPS * gridDim.x):\n        joined_ = reduce_range(value_of, (" + sources + "), " +
           (has_start ? "0" : "1") + ", " + along + ", combine, " + (has_start ? joining.start : first) +
           ")\n        if threadIdx.x % GROUP == 0:\n            store(result_, row_, joined_)\n";
  std::string text = "    row_ = grid(1)\n    if row_ < " + rows + ":\n";
  if (has_start)
    text += "        if " + along + " == 0:\n            store(result_, row_, " + joining.start +
            ")\n            return\n";
  text += "        joined_ = " + first + "\n        for k_ in range(1, " + along +
          "):\n            joined_ = combine(joined_, " + each + ")\n";
  return text + "        store(result_, row_, " +
         (has_start ? "combine(" + joining.start + ", joined_)" : std::string("joined_")) + ")\n";
}

std::string along_source(const Joining& joining, const Shape& shape, std::size_t axis,
                         std::span<const kern_argument> arguments) {
  const std::vector<std::string> names = kernel_names(joining.value), index = index_along(shape, axis);
  std::string all, typed, elements, rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all += names[i] + ", ";
    typed += names[i] + ": " + parameter_type(arguments[i]) + ", ";
    elements += ", " + element_text(names[i], arguments[i], shape.arrays[i], index, false);
  }
  for (std::size_t other = 0; other < shape.extents.size(); ++other) {
    all += extent_name(other) + ", ";
    typed += extent_name(other) + ": i64, ";
    if (other != axis) rows += (rows.empty() ? "" : " * ") + extent_name(other);
  }
  if (rows.empty()) rows = "1";
  const std::string sources = all + "row_";
  const bool is_last = axis + 1 == shape.extents.size();
  const kern_argument& result = arguments[names.size()];
  std::string text =
      is_last ? "from segmented import GROUP, GROUPS, THREADS, first_segment, reduce_range\n\n\n" : "";
  text += functions_source(joining, "value_of", sources, number_of(index), elements);
  text += std::string(is_last ? "@kernel(block=THREADS)" : "@kernel") + "\ndef reduction(" + typed +
          "result_: " + type_name(result.type) + "[::1]):\n    assert result_.size == " + rows + "\n";
  return text + body(joining, sources, rows, extent_name(axis), is_last);
}

} // namespace kern::algorithms
