// The C interface of reductions in one line.
#include <algorithm>
#include <memory>

#include "kern/algorithms.h"
#include "runtime/algorithms/instances.h"
#include "runtime/algorithms/reduction.h"
#include "runtime/api/handles.h"

using namespace kern;
using algorithms::BufferOwner, algorithms::DeviceOwner, algorithms::Shape;
using runtime::fail, runtime::full, runtime::guarded, runtime::place_of;

// What blocks leave for the last one: words for as many parts as `reduce` makes of any array, which each kernel asserts.
static constexpr std::int64_t state_words = 8192;

struct kern_reduction : Counted<HandleKind::Reduction> {
  algorithms::Reduction reduction;
  algorithms::Instances instances;
};

static std::string text_of(const char* text, std::uint64_t bytes, const char* what) {
  if (!text) runtime::refuse_null(what);
  return {text, bytes};
}

kern_error* kern_reduction_create(const char* value, std::uint64_t value_bytes, const char* combine,
                                  std::uint64_t combine_bytes, const char* start, std::uint64_t start_bytes,
                                  kern_reduction** reduction) {
  return guarded([&] {
    kern_reduction*& place = place_of(reduction);
    auto made = std::make_unique<kern_reduction>();
    made->reduction.value = algorithms::parse_expression(text_of(value, value_bytes, "the text of a value"));
    made->reduction.combine =
        algorithms::parse_expression(text_of(combine, combine_bytes, "the text of an operation")).text;
    if (start) made->reduction.start = algorithms::parse_expression({start, start_bytes}).text;
    place = made.release();
  });
}

kern_reduction* kern_reduction_retain(kern_reduction* reduction) { return runtime::retain(reduction); }
void kern_reduction_release(kern_reduction* reduction) { runtime::release(reduction); }

std::uint64_t kern_reduction_argument_count(const kern_reduction* reduction) {
  return runtime::is_there(reduction) ? reduction->reduction.value.names.size() + 1 : 0;
}

const char* kern_reduction_argument_name(const kern_reduction* reduction, std::uint64_t index) {
  if (index >= kern_reduction_argument_count(reduction)) return "";
  const auto& names = reduction->reduction.value.names;
  return index < names.size() ? names[index].text.c_str() : "result";
}

static std::int64_t count(std::span<const std::int64_t> extents) {
  std::int64_t size = 1;
  for (std::int64_t extent : extents) size *= extent;
  return size;
}

static kern_argument scalar_of(std::int64_t value) {
  kern_argument argument{};
  argument.kind = KERN_SCALAR;
  argument.type = KERN_I64;
  std::memcpy(argument.scalar, &value, sizeof value);
  return argument;
}

// Zeros on the device, for the stream; the launch holds them.
static kern_argument make_state(BufferOwner& owner, kern_device* device, kern_stream* stream) {
  constexpr std::uint64_t bytes = state_words * sizeof(std::uint64_t), zero = 0;
  kern_buffer* buffer = nullptr;
  algorithms::raise(kern_buffer_create(device, bytes, &buffer));
  owner.reset(buffer);
  algorithms::raise(kern_buffer_fill(buffer, 0, state_words, &zero, sizeof zero, stream, nullptr));
  kern_argument argument{};
  argument.kind = KERN_ARRAY;
  argument.type = KERN_U64;
  argument.rank = argument.writable = 1;
  argument.data = kern_buffer_data(buffer);
  argument.buffer = buffer;
  argument.extents[0] = state_words;
  argument.strides[0] = 1;
  return argument;
}

static void check_result(const kern_argument& result, std::int64_t elements, bool has_start) {
  if (result.kind == KERN_SCALAR || result.kind == KERN_HOST_IN || !result.writable)
    fail(KERN_ARGUMENT_ERROR,
         "the result of a reduction, its last argument, is an array that may be written");
  if (count({result.extents, result.rank}) != 1)
    fail(KERN_ARGUMENT_ERROR, "the result of a reduction is an array of one element, and is given one of " +
                                  std::to_string(count({result.extents, result.rank})));
  if (elements == 0 && !has_start)
    fail(KERN_ARGUMENT_ERROR, "a reduction of no elements has no result: give it a start, "
                              "`kern::reduction(value, operation, start)`");
}

kern_error* kern_reduction_launch(kern_reduction* reduction, const kern_launch_options* options,
                                  const kern_argument* arguments, std::uint64_t given_count,
                                  kern_event** event) {
  return guarded([&] {
    const algorithms::Reduction& what = full(reduction, "reduction").reduction;
    if (given_count > 0 && !arguments) runtime::refuse_null("the arguments of a reduction");
    std::vector<kern_argument> given(arguments, arguments + given_count);
    algorithms::Formula named = what.value;
    named.names.push_back({"result", false, true});
    algorithms::check_arguments(named, given);
    const std::span<kern_argument> sources(given.data(), given.size() - 1);
    const Shape shape = algorithms::common_shape(what.value, sources);
    if (shape.extents.empty())
      fail(KERN_ARGUMENT_ERROR, "a reduction is of an array, and this one is given numbers alone");
    check_result(given.back(), count(shape.extents), !what.start.empty());
    const bool flat = algorithms::is_flat(shape, sources);
    if (flat) algorithms::flatten(sources);
    algorithms::flatten(std::span(&given.back(), 1));
    for (kern_argument& source : sources) source.writable = 0;

    kern_launch_options launch = algorithms::whole_options(options);
    DeviceOwner device = algorithms::device_of(launch, given);
    const algorithms::StreamOwner stream = algorithms::stream_of(launch, device.get());
    std::string source = algorithms::reduction_source(what, shape, given, flat);
    BufferOwner state;
    std::vector<kern_argument> passed(given.begin(), given.end() - 1);
    if (!flat)
      for (std::int64_t extent : shape.extents) passed.push_back(scalar_of(extent));
    passed.push_back(given.back());
    passed.push_back(make_state(state, device.get(), stream.get()));
    kern_kernel* kernel =
        reduction->instances.kernel(std::move(device), std::move(source), "reduction", passed);
    // Any grid gives the same bits; one that fills the device, and no more than there is work for.
    constexpr std::uint64_t least_work = 1024;
    std::uint64_t block[3], most = 1;
    algorithms::raise(kern_kernel_block(kernel, block));
    algorithms::raise(kern_kernel_occupancy(kernel, block[0], 0, &most));
    const auto elements = static_cast<std::uint64_t>(count(shape.extents));
    launch.over = 0;
    std::fill_n(launch.block, 3, 0);
    launch.size[0] = std::clamp<std::uint64_t>(elements / least_work, 1, std::max<std::uint64_t>(most, 1));
    launch.size[1] = launch.size[2] = 1;
    algorithms::raise(kern_launch(kernel, &launch, passed.data(), passed.size(), event));
  });
}
