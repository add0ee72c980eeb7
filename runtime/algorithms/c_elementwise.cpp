// The C interface of one-line kernels: a formula is compiled once for each device and combination of types and axes.
#include <algorithm>
#include <memory>

#include "kern/algorithms.h"
#include "runtime/algorithms/elementwise.h"
#include "runtime/algorithms/instances.h"
#include "runtime/api/handles.h"

using namespace kern;
using algorithms::Formula, algorithms::Shape;
using runtime::full, runtime::guarded, runtime::place_of;

struct kern_elementwise : Counted<HandleKind::Elementwise> {
  Formula formula;
  algorithms::Instances instances;
};

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

kern_error* kern_elementwise_create(const char* text, std::uint64_t bytes, kern_elementwise** formula) {
  return guarded([&] {
    kern_elementwise*& place = place_of(formula);
    if (!text) runtime::refuse_null("the text of a formula");
    auto made = std::make_unique<kern_elementwise>();
    made->formula = algorithms::parse_assignments({text, bytes});
    place = made.release();
  });
}

kern_elementwise* kern_elementwise_retain(kern_elementwise* formula) { return runtime::retain(formula); }
void kern_elementwise_release(kern_elementwise* formula) { runtime::release(formula); }

std::uint64_t kern_elementwise_argument_count(const kern_elementwise* formula) {
  return runtime::is_there(formula) ? formula->formula.names.size() : 0;
}

const char* kern_elementwise_argument_name(const kern_elementwise* formula, std::uint64_t index) {
  return index < kern_elementwise_argument_count(formula) ? formula->formula.names[index].text.c_str() : "";
}

kern_error* kern_elementwise_launch(kern_elementwise* formula, const kern_launch_options* options,
                                    const kern_argument* arguments, std::uint64_t count, kern_event** event) {
  return guarded([&] {
    full(formula, "formula");
    if (count > 0 && !arguments) runtime::refuse_null("the arguments of a formula");
    kern_launch_options launch = algorithms::whole_options(options);
    std::vector<kern_argument> given(arguments, arguments + count);
    algorithms::check_arguments(formula->formula, given);
    const Shape shape = algorithms::common_shape(formula->formula, given);
    const bool flat = algorithms::is_flat(shape, given);
    if (flat) algorithms::flatten(given);
    for (std::size_t i = 0; i < given.size(); ++i) given[i].writable = formula->formula.names[i].is_written;
    set_size(launch, shape, flat);
    std::string source = algorithms::elementwise_source(formula->formula, shape, given, flat);
    kern_kernel* kernel = formula->instances.kernel(algorithms::device_of(launch, given), std::move(source),
                                                    "elementwise", given);
    algorithms::raise(kern_launch(kernel, &launch, given.data(), given.size(), event));
  });
}
