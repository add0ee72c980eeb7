// Reductions and scans of a formula's values over all elements.
#include <algorithm>
#include <cstring>

#include "runtime/algorithms/joined.h"
#include "runtime/api/error.h"

namespace kern::algorithms {

// What blocks leave for others: more words than `reduce` and `scan` take for values of up to four words, which each kernel asserts.
static std::int64_t state_words(Join join, std::int64_t elements) {
  constexpr std::int64_t of_reduction = 8192, least = 64, elements_a_word = 512;
  return join == Join::Reduce ? of_reduction : least + elements / elements_a_word;
}

// Zeros on the device, for the stream; the launch holds them.
static kern_argument make_state(BufferOwner& owner, kern_device* device, kern_stream* stream,
                                std::int64_t words) {
  constexpr std::uint64_t zero = 0;
  owner = make_buffer(device, words, KERN_U64);
  raise(kern_buffer_fill(owner.get(), 0, static_cast<std::uint64_t>(words), &zero, sizeof zero, stream,
                         nullptr));
  return in_buffer(dense_array(KERN_U64, std::span(&words, 1)), owner.get());
}

static void check_result(Join join, const kern_argument& result, std::int64_t elements) {
  const bool is_scan = join == Join::Scan;
  const std::string what = is_scan ? "the result of a scan" : "the result of a reduction";
  const std::int64_t there = count({result.extents, result.rank});
  if (there != (is_scan ? elements : 1))
    runtime::fail(KERN_ARGUMENT_ERROR,
                  what + " is an array of " +
                      (is_scan ? std::to_string(elements) + " elements" : "one element") +
                      ", and is given one of " + std::to_string(there));
}

// Of a reduction any grid gives the same bits: one that fills the device, and no more than there is work for. A scan has a block a
// tile; those beyond them do nothing.
static void set_grid(kern_launch_options& options, Join join, const kern_kernel* kernel,
                     std::uint64_t elements) {
  constexpr std::uint64_t least_work = 1024, least_tile = 2048;
  std::uint64_t block[3], most = 1;
  raise(kern_kernel_block(kernel, block));
  raise(kern_kernel_occupancy(kernel, block[0], 0, &most));
  options.over = 0;
  std::fill_n(options.block, 3, 0);
  options.size[0] = std::clamp<std::uint64_t>(elements / least_work, 1, std::max<std::uint64_t>(most, 1));
  if (join == Join::Scan) options.size[0] = elements / least_tile + 1;
  options.size[1] = options.size[2] = 1;
}

namespace {

class JoinKernel : public JoinedKernel {
public:
  explicit JoinKernel(Joining joining) : JoinedKernel(std::move(joining)) {}
  void launch(kern_launch_options options, std::vector<kern_argument> arguments,
              kern_event** event) override {
    const Join join = joining().join;
    const Shape shape = shape_of(arguments);
    const std::int64_t elements = count(shape.extents);
    check_result(join, arguments.back(), elements);
    check_made(arguments.back(), elements, ", `kern::reduction(value, operation, start)`");
    if (join == Join::Scan) check_overlaps(named(), arguments);
    const std::span<kern_argument> sources(arguments.data(), arguments.size() - 1);
    const bool flat = is_flat(shape, sources);
    if (flat) flatten(sources);
    flatten(std::span(&arguments.back(), 1));

    DeviceOwner device = device_of(options, arguments);
    const StreamOwner stream = stream_of(options, device.get());
    BufferOwner state;
    std::vector<kern_argument> passed(sources.begin(), sources.end());
    if (!flat)
      for (std::int64_t extent : shape.extents) passed.push_back(scalar_of(extent));
    passed.push_back(arguments.back());
    passed.push_back(make_state(state, device.get(), stream.get(), state_words(join, elements)));
    kern_kernel* kernel = instances().kernel(
        std::move(device), join_source(joining(), shape, arguments, flat), kernel_name(join), passed);
    set_grid(options, join, kernel, static_cast<std::uint64_t>(elements));
    raise(kern_launch(kernel, &options, passed.data(), passed.size(), event));
  }
};

} // namespace

std::unique_ptr<LineKernel> make_reduction(std::string_view value, std::string_view combine,
                                           std::string_view start) {
  return std::make_unique<JoinKernel>(parse_joining(Join::Reduce, value, combine, start));
}

std::unique_ptr<LineKernel> make_scan(std::string_view value, std::string_view combine,
                                      std::string_view start) {
  return std::make_unique<JoinKernel>(parse_joining(Join::Scan, value, combine, start));
}

} // namespace kern::algorithms
