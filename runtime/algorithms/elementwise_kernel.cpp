// Assignments that are computed for each element; they are compiled once for each device and combination of types and axes.
#include <algorithm>

#include "runtime/algorithms/elementwise.h"
#include "runtime/algorithms/instances.h"
#include "runtime/algorithms/line_kernel.h"

namespace kern::algorithms {

// Chooses threads and blocks. A narrow array gives a block several of its rows; a grid has at most 65,535 blocks in y.
static void set_size(kern_launch_options& options, const Shape& shape, bool flat) {
  constexpr std::uint64_t threads = 256, most_rows = 65535;
  std::uint64_t all = 1;
  for (std::int64_t extent : shape.extents) all *= static_cast<std::uint64_t>(extent);
  options.over = 1;
  options.size[0] = std::max<std::uint64_t>(all, 1);
  options.size[1] = options.size[2] = 1;
  std::fill_n(options.block, 3, 0);
  if (flat) return;
  const std::uint64_t columns = std::max<std::uint64_t>(static_cast<std::uint64_t>(shape.extents.back()), 1);
  std::uint64_t width = 1;
  while (width < threads && width < columns) width *= 2;
  options.block[0] = width;
  options.block[1] = threads / width;
  options.block[2] = 1;
  options.size[0] = columns;
  options.size[1] = std::clamp<std::uint64_t>(all / columns, 1, most_rows);
}

namespace {

class ElementwiseKernel : public LineKernel {
public:
  explicit ElementwiseKernel(std::string_view text)
      : formula_(parse_assignments(text)), names_(names_of(formula_)),
        instances_("<elementwise " + std::string(text) + ">", names_) {}
  const std::vector<std::string>& arguments() const override { return names_; }
  void launch(kern_launch_options options, std::vector<kern_argument> arguments,
              kern_event** event) override {
    check_arguments(formula_, arguments);
    const Shape shape = common_shape(formula_, arguments);
    check_overlaps(formula_, arguments);
    const bool flat = is_flat(shape, arguments);
    if (flat) flatten(arguments);
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].writable = formula_.names[i].is_written;
    set_size(options, shape, flat);
    kern_kernel* kernel =
        instances_.kernel(device_of(options, arguments), elementwise_source(formula_, shape, arguments, flat),
                          "elementwise", arguments);
    raise(kern_launch(kernel, &options, arguments.data(), arguments.size(), event));
  }

private:
  Formula formula_;
  std::vector<std::string> names_;
  Instances instances_;
};

} // namespace

std::unique_ptr<LineKernel> make_elementwise(std::string_view text) {
  return std::make_unique<ElementwiseKernel>(text);
}

} // namespace kern::algorithms
