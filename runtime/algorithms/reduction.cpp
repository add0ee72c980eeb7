#include "runtime/algorithms/reduction.h"

#include "runtime/algorithms/elementwise.h"

namespace kern::algorithms {

static std::string extent_name(std::size_t axis) { return "extent" + std::to_string(axis); }

// The index of each axis of the shape, by the number of the element.
static std::vector<std::string> index_of(const Shape& shape, bool flat) {
  if (flat) return {"i"};
  std::vector<std::string> index(shape.extents.size());
  std::string rest = "i";
  for (std::size_t axis = shape.extents.size(); axis-- > 0;) {
    index[axis] = axis ? rest + " % " + extent_name(axis) : rest;
    rest = rest + " // " + extent_name(axis);
  }
  return index;
}

std::string reduction_source(const Reduction& reduction, const Shape& shape,
                             std::span<const kern_argument> arguments, bool flat) {
  const std::vector<std::string> names = kernel_names(reduction.value);
  const std::vector<std::string> index = index_of(shape, flat);
  std::string all, given, extents, parameters, elements, size;
  for (const Name& name : reduction.value.names) given += (given.empty() ? "" : ", ") + name.text;
  for (std::size_t axis = 0; !flat && axis < shape.extents.size(); ++axis) {
    extents += (axis ? ", " : "") + extent_name(axis);
    parameters += extent_name(axis) + ": i64, ";
    size += (axis ? " * " : "") + extent_name(axis);
  }
  std::string typed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all += (i ? ", " : "") + names[i];
    typed += names[i] + ": " + parameter_type(arguments[i]) + ", ";
    elements += (i ? ", " : "") + element_text(names[i], arguments[i], shape.arrays[i], index, flat);
    if (flat && size.empty() && arguments[i].kind != KERN_SCALAR) size = names[i] + ".size";
  }
  const std::string sources = "(" + all + (extents.empty() ? "" : ", " + extents) + ",)";
  const std::string start = reduction.start.empty() ? "None" : reduction.start;
  const kern_argument& result = arguments[names.size()];
  std::string text = "from reduce import THREADS, blocks, put, reduce_grid\n\n\n";
  text += "@device\ndef combine(a, b):\n    return " + reduction.combine + "\n\n\n";
  text += "@device\ndef value(i, " + given + "):\n    return " + reduction.value.text + "\n\n\n";
  text += "@device\ndef value_at(sources, i):\n    " + sources.substr(1, sources.size() - 2) + " = sources\n";
  text += "    return value(i, " + elements + ")\n\n\n";
  text += "@kernel(block=THREADS)\ndef reduction(" + typed + parameters +
          "result_: " + type_name(result.type) + "[::1], state: u64[::1]):\n";
  text += "    assert state.size > 4 * blocks(" + size + ")\n";
  for (std::size_t i = 0; flat && i < names.size(); ++i)
    if (arguments[i].kind != KERN_SCALAR && names[i] + ".size" != size)
      text += "    assert " + names[i] + ".size == " + size + "\n";
  text += "    reduce_grid(value_at, " + sources + ", " + size + ", put, result_, state, combine, " + start +
          ", True)\n";
  return text;
}

} // namespace kern::algorithms
