#include "runtime/algorithms/join.h"

#include <algorithm>

#include "runtime/algorithms/elementwise.h"
#include "runtime/api/error.h"

namespace kern::algorithms {

Joining parse_joining(Join join, std::string_view value, std::string_view combine, std::string_view start) {
  const Formula operation = parse_expression(combine);
  const std::vector<std::string> names = names_of(operation);
  if (names.size() != 2 || std::min(names[0], names[1]) != "a" || std::max(names[0], names[1]) != "b")
    runtime::fail(KERN_ARGUMENT_ERROR,
                  "an operation joins `a` and `b`, as `a + b` and `max(a, b)` do, and `" + operation.text +
                      "` is none of these two alone");
  Joining joining{join, parse_expression(value), operation.text, ""};
  if (!start.empty()) joining.start = parse_expression(start).text;
  return joining;
}

std::string extent_name(std::size_t axis) { return "extent" + std::to_string(axis); }

std::string functions_source(const Joining& joining, const std::string& take, const std::string& sources,
                             const std::string& number, const std::string& elements) {
  std::string given;
  for (const Name& name : joining.value.names) given += ", " + name.text;
  return "@device\ndef combine(a, b):\n    return " + joining.combine + "\n\n\n@device\ndef value(i" + given +
         "):\n    return " + joining.value.text + "\n\n\n@device\ndef " + take + "(sources, i):\n    " +
         sources + " = sources\n    return value(" + number + elements +
         ")\n\n\n@device\ndef store(result, i, joined):\n    result[i] = joined\n\n\n";
}

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

const char* kernel_name(Join join) { return join == Join::Reduce ? "reduction" : "scanning"; }

// The last lines of the kernel: what the host has seen to, and the skeleton.
static std::string skeleton(const Joining& joining, const std::string& sources, const std::string& size) {
  const bool has_start = !joining.start.empty();
  const std::string first = "value_at, " + sources + ", " + size + ", store, result_, state, combine";
  if (joining.join == Join::Reduce)
    return "    assert state.size > 4 * blocks(" + size + ")\n    reduce_grid(" + first + ", " +
           (has_start ? joining.start : "None") + ", True)\n";
  return "    assert result_.size == " + size + " and state.size > 4 * (tiles(" + size + ") * 33 // 32)\n" +
         (has_start ? "    exclusive_scan_grid(" + first + ", " + joining.start : "    scan_grid(" + first) +
         ")\n";
}

std::string join_source(const Joining& joining, const Shape& shape, std::span<const kern_argument> arguments,
                        bool flat) {
  const std::vector<std::string> names = kernel_names(joining.value), index = index_of(shape, flat);
  std::string all, extents, parameters, elements, size;
  for (std::size_t axis = 0; !flat && axis < shape.extents.size(); ++axis) {
    extents += ", " + extent_name(axis);
    parameters += extent_name(axis) + ": i64, ";
    size += (axis ? " * " : "") + extent_name(axis);
  }
  std::string typed, contracts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all += (i ? ", " : "") + names[i];
    typed += names[i] + ": " + parameter_type(arguments[i]) + ", ";
    elements += ", " + element_text(names[i], arguments[i], shape.arrays[i], index, flat);
    if (!flat || arguments[i].kind == KERN_SCALAR) continue;
    if (size.empty())
      size = names[i] + ".size";
    else
      contracts += "    assert " + names[i] + ".size == " + size + "\n";
  }
  const std::string sources = all + extents + ",";
  const kern_argument& result = arguments[names.size()];
  std::string text = joining.join == Join::Reduce
                         ? "from reduce import THREADS, blocks, reduce_grid\n\n\n"
                         : "from scan import THREADS, exclusive_scan_grid, scan_grid, tiles\n\n\n";
  text += functions_source(joining, "value_at", sources, "i", elements);
  text += "@kernel(block=THREADS)\ndef " + std::string(kernel_name(joining.join)) + "(" + typed + parameters +
          "result_: " + type_name(result.type) + "[::1], state: u64[::1]):\n" + contracts;
  return text + skeleton(joining, "(" + sources + ")", size);
}

} // namespace kern::algorithms
