// Reductions of a formula's values along an axis of the shape that its arrays have together.
#include <algorithm>

#include "runtime/algorithms/along.h"
#include "runtime/algorithms/joined.h"
#include "runtime/api/error.h"
#include "runtime/plans/lines.h"

namespace kern::algorithms {

static void check_result(const kern_argument& result, const Shape& shape, std::size_t axis) {
  const std::vector<std::int64_t> rest =
      shape_along(Size::OfLines, shape.extents, static_cast<std::int64_t>(axis));
  const std::vector<std::int64_t> given(result.extents, result.extents + result.rank);
  if (given != rest)
    runtime::fail(KERN_ARGUMENT_ERROR, "the result of a reduction along axis " + std::to_string(axis) +
                                           " has the shape " + text_of(rest) + ", and is given one of " +
                                           text_of(given));
}

namespace {

class AlongKernel : public JoinedKernel {
public:
  AlongKernel(Joining joining, std::int32_t axis) : JoinedKernel(std::move(joining)), axis_(axis) {}
  void launch(kern_launch_options options, std::vector<kern_argument> arguments,
              kern_event** event) override {
    const Shape shape = shape_of(arguments);
    const std::size_t axis = axis_of(axis_, shape.extents.size());
    check_result(arguments.back(), shape, axis);
    check_made(arguments.back(), shape.extents[axis], "");
    check_overlaps(named(), arguments);
    flatten(std::span(&arguments.back(), 1));
    std::vector<kern_argument> passed(arguments.begin(), arguments.end() - 1);
    for (std::int64_t extent : shape.extents) passed.push_back(scalar_of(extent));
    passed.push_back(arguments.back());
    kern_kernel* kernel = instances().kernel(
        device_of(options, passed), along_source(joining(), shape, axis, arguments), "reduction", passed);
    set_size(options, axis + 1 == shape.extents.size(), arguments.back().extents[0]);
    raise(kern_launch(kernel, &options, passed.data(), passed.size(), event));
  }

private:
  // A warp an element of the result, or a thread; any grid is right for warps.
  static void set_size(kern_launch_options& options, bool is_last, std::int64_t rows) {
    constexpr std::int64_t warp = 32, most_threads = std::int64_t(1) << 20;
    const std::int64_t threads = is_last ? std::min(rows * warp, most_threads) : rows;
    options.over = 1;
    options.size[0] = static_cast<std::uint64_t>(std::max<std::int64_t>(threads, 1));
    options.size[1] = options.size[2] = 1;
    std::fill_n(options.block, 3, 0);
  }

  std::int32_t axis_;
};

} // namespace

std::unique_ptr<LineKernel> make_reduction_along(std::int32_t axis, std::string_view value,
                                                 std::string_view combine, std::string_view start) {
  return std::make_unique<AlongKernel>(parse_joining(Join::Reduce, value, combine, start), axis);
}

} // namespace kern::algorithms
