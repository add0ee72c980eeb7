#include "runtime/plans/lines.h"

#include "runtime/api/error.h"

namespace kern::algorithms {

namespace {

struct Axis {
  std::int64_t extent = 1, stride = 1;
};

// Returns axes as one; nothing where a step from one row to the next is none of the same size.
std::optional<Axis> merged(const kern_argument& array, std::size_t first, std::size_t last) {
  Axis whole;
  bool is_empty = false;
  for (std::size_t axis = last; axis-- > first;) {
    is_empty = is_empty || array.extents[axis] == 0;
    if (array.extents[axis] == 1) continue;
    if (whole.extent == 1)
      whole.stride = array.strides[axis];
    else if (array.strides[axis] != whole.stride * whole.extent && !is_empty)
      return std::nullopt;
    whole.extent *= array.extents[axis];
  }
  return whole;
}

void take_axes(const char* name, kern_argument& array, std::span<const std::size_t> ends) {
  const kern_argument source = array;
  std::size_t first = 0;
  array.rank = 0;
  for (std::size_t end : ends) {
    const std::optional<Axis> axis = merged(source, first, end);
    if (!axis)
      runtime::fail(KERN_ARGUMENT_ERROR, "`" + std::string(name) + "` has the shape " +
                                             text_of({source.extents, source.rank}) +
                                             " and gaps between its elements: its axes beside the one that "
                                             "the call goes along are none, or one each side");
    array.extents[array.rank] = axis->extent;
    array.strides[array.rank++] = axis->stride;
    first = end;
  }
}

bool has_lines(Size size) { return size == Size::Lines || size == Size::OfLines; }

} // namespace

std::optional<std::int64_t> axis_set(const Settings& settings) {
  const std::optional<std::int64_t> axis = settings.number("AXIS");
  if (!axis && settings.has("AXIS"))
    runtime::fail(KERN_ARGUMENT_ERROR, "`AXIS` is the number of an axis, as `AXIS=0`");
  return axis;
}

std::vector<std::int64_t> shape_along(Size size, std::span<const std::int64_t> source,
                                      std::optional<std::int64_t> axis) {
  std::vector<std::int64_t> shape(source.begin(), source.end());
  if (size == Size::Lines) return shape;
  if (!axis) return {1};
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis_of(*axis, source.size())));
  if (shape.empty()) shape.push_back(1); // of a single axis the result is an array of one element
  return shape;
}

void give_lines(const Algorithm& algorithm, std::span<kern_argument> arguments,
                std::optional<std::int64_t> axis) {
  const std::span<const Parameter> parameters = algorithm.all();
  const std::vector<std::int64_t> source(arguments[0].extents, arguments[0].extents + arguments[0].rank);
  // Without an axis all are in front of none: (count, 1) would be two of two lengths.
  const std::size_t along = axis ? axis_of(*axis, source.size()) : 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!has_lines(parameters[i].size)) continue;
    kern_argument& each = arguments[i];
    const std::vector<std::int64_t> wanted = shape_along(parameters[i].size, source, axis),
                                    given(each.extents, each.extents + each.rank);
    if (given != wanted)
      runtime::fail(KERN_ARGUMENT_ERROR,
                    "`" + std::string(parameters[i].name) + "` has the shape " + text_of(wanted) +
                        (axis ? " along axis " + std::to_string(*axis) : "") + " of `" + parameters[0].name +
                        "`, " + text_of(source) + ", and is given one of " + text_of(given));
    if (parameters[i].size == Size::OfLines) {
      // Of a single axis the one element is that of an outer axis.
      const std::size_t outer = source.size() == 1 || !axis ? 1 : along;
      take_axes(parameters[i].name, each, std::vector<std::size_t>{outer, each.rank});
    } else if (axis) {
      take_axes(parameters[i].name, each, std::vector<std::size_t>{along, along + 1, each.rank});
    } else {
      take_axes(parameters[i].name, each, std::vector<std::size_t>{0, each.rank, each.rank});
    }
  }
}

} // namespace kern::algorithms
