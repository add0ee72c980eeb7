#include "runtime/algorithms/algorithm.h"

#include <algorithm>

#include "runtime/algorithms/compiled.h"
#include "runtime/api/error.h"
#include "runtime/api/handles.h"
#include "runtime/plans/arrays.h"

namespace kern::algorithms {

namespace {

void clear(const kern_argument& array, kern_stream* stream, kern_device* device) {
  constexpr std::uint64_t zero = 0;
  if (!is_dense(array)) runtime::fail(KERN_ARGUMENT_ERROR, "counts are an array without gaps");
  const auto elements = static_cast<std::uint64_t>(count({array.extents, array.rank}));
  const auto bytes = static_cast<std::uint32_t>(bytes_of(array.type));
  if (elements == 0) return;
  BufferOwner foreign;
  kern_buffer* buffer = array.buffer;
  if (!buffer) {
    raise(kern_buffer_wrap(device, array.data, elements * bytes, nullptr, nullptr, &buffer));
    foreign.reset(buffer);
  }
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(array.data) -
                                                 static_cast<const char*>(kern_buffer_data(buffer)));
  raise(kern_buffer_fill(buffer, offset, elements, &zero, bytes, stream, nullptr));
}

// The arguments in host memory of a call of several launches: they are on the device for all of them.
class Staged {
public:
  Staged(kern_device* device, kern_stream* stream, std::span<kern_argument> arguments) : stream_(stream) {
    for (kern_argument& each : arguments) {
      if (each.kind != KERN_HOST_IN && each.kind != KERN_HOST_OUT && each.kind != KERN_HOST_INOUT) continue;
      if (!is_dense(each))
        runtime::fail(
            KERN_ARGUMENT_ERROR,
            "an array in host memory has gaps between its elements: this algorithm takes one without");
      Copy copy{make_buffer(device, count({each.extents, each.rank}), each.type), each};
      if (each.kind != KERN_HOST_OUT)
        raise(kern_buffer_write(copy.buffer.get(), 0, each.data, bytes_of(copy), stream, nullptr));
      each = in_buffer(dense_array(each.type, {each.extents, each.rank}), copy.buffer.get());
      each.writable = copy.host.writable;
      if (copy.host.kind == KERN_HOST_OUT) clear(each, stream, device);
      copies_.push_back(std::move(copy));
    }
  }
  bool is_there() const { return !copies_.empty(); }
  // Copies the results back, and waits for them.
  void finish() const {
    for (const Copy& copy : copies_)
      if (copy.host.kind != KERN_HOST_IN)
        raise(kern_buffer_read(copy.buffer.get(), 0, copy.host.data, bytes_of(copy), stream_, nullptr));
    raise(kern_stream_wait(stream_));
  }

private:
  struct Copy {
    BufferOwner buffer;
    kern_argument host;
  };
  static std::uint64_t bytes_of(const Copy& copy) {
    return static_cast<std::uint64_t>(count({copy.host.extents, copy.host.rank}) *
                                      algorithms::bytes_of(copy.host.type));
  }
  kern_stream* stream_;
  std::vector<Copy> copies_;
};

// A plan with its arrays, on one stream.
class Launches {
public:
  Launches(const Plan& plan, std::span<const kern_argument> arguments, kern_device* device,
           kern_stream* stream)
      : plan_(plan), arguments_(arguments), device_(device), stream_(stream) {
    for (const MadeArray& each : plan.made)
      owners_.push_back(make_buffer(device, each.rows * (each.columns < 0 ? 1 : each.columns), each.type));
  }
  kern_argument argument(const Operand& operand) const {
    const kern_argument argument = argument_of(plan_, operand, arguments_);
    return operand.kind == Operand::Kind::Made ? in_buffer(argument, owners_[operand.index].get()) : argument;
  }
  std::vector<kern_argument> arguments_of(const Step& step) const {
    std::vector<kern_argument> list;
    for (const Operand& each : step.operands) list.push_back(argument(each));
    return list;
  }
  // `kernels` are those of the steps.
  void run(std::span<const Compiled* const> kernels, kern_launch_options options, kern_event** event) const {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      for (const Operand& each : step.cleared) clear(argument(each), stream_, device_);
      const std::vector<kern_argument> list = arguments_of(step);
      options.over = step.counts_threads;
      options.size[0] = static_cast<std::uint64_t>(step.size);
      options.size[1] = options.size[2] = 1;
      std::fill_n(options.block, 3, 0);
      const bool is_last = i + 1 == plan_.steps.size();
      raise(kern_launch(kernels[i]->kernel(step.kernel, list), &options, list.data(), list.size(),
                        is_last ? event : nullptr));
    }
  }

private:
  const Plan& plan_;
  std::span<const kern_argument> arguments_;
  kern_device* device_;
  kern_stream* stream_;
  std::vector<BufferOwner> owners_;
};

// One launch copies host memory itself; but what is cleared, or used by several launches, is on the device before.
bool needs_staging(const Plan& plan) {
  const auto clears_result = [](const Step& step) {
    return std::ranges::any_of(step.cleared,
                               [](const Operand& each) { return each.kind == Operand::Kind::Given; });
  };
  return plan.steps.size() > 1 || std::ranges::any_of(plan.steps, clears_result);
}

} // namespace

void call(const Algorithm& asked, CallSettings settings, kern_launch_options options,
          std::vector<kern_argument> arguments, kern_event** event) {
  const Algorithm& algorithm = chosen(asked, settings.settings);
  complete_arguments(algorithm, arguments, settings.settings);
  move_as_words(algorithm, arguments);
  const Plan plan = make_plan(algorithm, arguments, settings.settings);
  const DeviceOwner device = device_of(options, arguments);
  if (options.needs_stream && !options.stream) runtime::refuse_empty("stream");
  const StreamOwner stream = stream_of(options, device.get());
  options.stream = stream.get();
  const Launches launches(plan, arguments, device.get(), stream.get());
  CompileRequest request;
  request.module = plan.module;
  request.defines = plan.defines;
  request.files = std::move(settings.files);
  request.folders = std::move(settings.folders);
  for (std::string& each : defines_of(settings.settings, request.files))
    request.defines.push_back(std::move(each));
  const bool dense = compiles_now && std::ranges::all_of(arguments, [](const kern_argument& each) {
                       return each.kind == KERN_SCALAR || each.rank != 1 || each.strides[0] == 1;
                     });
  std::vector<CompileRequest> requests;
  for (const Step& step : plan.steps) {
    requests.push_back(request);
    requests.back().signature = signature_of(plan, step, arguments, dense);
  }
  const std::vector<const Compiled*> kernels = compiled(device.get(), requests);
  if (!needs_staging(plan)) return launches.run(kernels, options, event);
  try {
    const Staged staged(device.get(), stream.get(), arguments);
    launches.run(kernels, options, event);
    if (staged.is_there()) staged.finish();
  } catch (...) {
    // Copies of the caller's memory may be under way.
    kern_error_free(kern_stream_wait(stream.get()));
    throw;
  }
}

} // namespace kern::algorithms
