// Reductions and scans of a formula's values over all elements.
#include <algorithm>
#include <cstring>

#include "runtime/algorithms/instances.h"
#include "runtime/algorithms/join.h"
#include "runtime/algorithms/line_kernel.h"
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
  kern_buffer* buffer = nullptr;
  raise(kern_buffer_create(device, static_cast<std::uint64_t>(words) * sizeof zero, &buffer));
  owner.reset(buffer);
  raise(kern_buffer_fill(buffer, 0, static_cast<std::uint64_t>(words), &zero, sizeof zero, stream, nullptr));
  kern_argument argument{};
  argument.kind = KERN_ARRAY;
  argument.type = KERN_U64;
  argument.rank = argument.writable = 1;
  argument.data = kern_buffer_data(buffer);
  argument.buffer = buffer;
  argument.extents[0] = words;
  argument.strides[0] = 1;
  return argument;
}

static void check_result(const Joining& joining, const kern_argument& result, const Shape& shape) {
  const bool is_scan = joining.join == Join::Scan;
  const std::string what = is_scan ? "the result of a scan" : "the result of a reduction";
  if (result.kind == KERN_SCALAR || result.kind == KERN_HOST_IN || !result.writable)
    runtime::fail(KERN_ARGUMENT_ERROR, what + ", its last argument, is an array that may be written");
  const std::int64_t there = count({result.extents, result.rank}), elements = count(shape.extents);
  if (there != (is_scan ? elements : 1))
    runtime::fail(KERN_ARGUMENT_ERROR,
                  what + " is an array of " +
                      (is_scan ? std::to_string(elements) + " elements" : "one element") +
                      ", and is given one of " + std::to_string(there));
  if (!is_flat({{result.extents, result.extents + result.rank}, {}}, std::span(&result, 1)))
    runtime::fail(KERN_ARGUMENT_ERROR, what + " is an array without gaps");
  if (elements == 0 && !is_scan && joining.start.empty())
    runtime::fail(KERN_ARGUMENT_ERROR, "a reduction of no elements has no result: give it a start, "
                                       "`kern::reduction(value, operation, start)`");
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

class JoinKernel : public LineKernel {
public:
  explicit JoinKernel(Joining joining)
      : joining_(std::move(joining)), named_(joining_.value), names_(with_result(named_)),
        instances_(title_of(joining_), names_) {}
  const std::vector<std::string>& arguments() const override { return names_; }
  void launch(kern_launch_options options, std::vector<kern_argument> arguments,
              kern_event** event) override {
    check_arguments(named_, arguments);
    const std::span<kern_argument> sources(arguments.data(), arguments.size() - 1);
    const Shape shape = common_shape(joining_.value, sources);
    if (shape.extents.empty())
      runtime::fail(KERN_ARGUMENT_ERROR, "there is no array to go over: this call is given numbers alone");
    check_result(joining_, arguments.back(), shape);
    if (joining_.join == Join::Scan) check_overlaps(named_, arguments);
    const bool flat = is_flat(shape, sources);
    if (flat) flatten(sources);
    flatten(std::span(&arguments.back(), 1));
    for (kern_argument& source : sources) source.writable = 0;

    DeviceOwner device = device_of(options, arguments);
    const StreamOwner stream = stream_of(options, device.get());
    BufferOwner state;
    std::vector<kern_argument> passed(sources.begin(), sources.end());
    if (!flat)
      for (std::int64_t extent : shape.extents) passed.push_back(scalar_of(extent));
    passed.push_back(arguments.back());
    const std::int64_t elements = count(shape.extents);
    passed.push_back(make_state(state, device.get(), stream.get(), state_words(joining_.join, elements)));
    kern_kernel* kernel = instances_.kernel(std::move(device), join_source(joining_, shape, arguments, flat),
                                            kernel_name(joining_.join), passed);
    set_grid(options, joining_.join, kernel, static_cast<std::uint64_t>(elements));
    raise(kern_launch(kernel, &options, passed.data(), passed.size(), event));
  }

private:
  Joining joining_;
  Formula named_; // with the result behind its names
  std::vector<std::string> names_;
  Instances instances_;
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
