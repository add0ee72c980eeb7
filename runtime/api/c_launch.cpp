// The C interface: launches. A launch of arrays that lie on the device allocates nothing: what it says is
// built on the stack, and streams keep only what they need for longer.
#include "runtime/api/capture.h"
#include "runtime/api/check.h"
#include "runtime/api/handles.h"
#include "runtime/api/inline_array.h"
#include "runtime/api/launch.h"
#include "runtime/api/order.h"
#include "runtime/api/warnings.h"

using namespace kern::runtime;

namespace {

using Params = InlineArray<std::uint64_t, 96>;
using UsedMemory = InlineArray<Memory*, 24>;

// Arrays in host memory: copies of them on the device, or the arrays themselves where it sees host memory.
struct Staging {
  struct Copy {
    std::shared_ptr<Memory> memory;
    void* host;
    std::uint64_t bytes;
    bool back;
  };
  std::vector<kern_argument> arguments;
  std::vector<Copy> copies;
};

} // namespace

// Says once of a parameter that the same host memory is copied again and again.
static void warn_of_copies(const kern::runtime::Plan& plan, std::size_t index, const void* data) {
  constexpr unsigned often = 16;
  Plan::Staged& staged = plan.staged[index];
  if (staged.data.exchange(data, std::memory_order_relaxed) != data) {
    staged.times.store(0, std::memory_order_relaxed);
  } else if (staged.times.fetch_add(1, std::memory_order_relaxed) + 1 == often) {
    const kern::ManifestKernel& kernel = *plan.kernel;
    std::atomic<bool> here{false};
    warn(here, [&] {
      return kernel.place.file + ":" + std::to_string(kernel.place.line) + ":" +
             std::to_string(kernel.place.column) + ": kernel `" + kernel.name + "`: the host memory of `" +
             kernel.params[index].name + "` is copied for every launch: keep it in a kern::Buffer";
    });
  }
}

// Puts staged arrays where the kernel can reach them. What an out() array has that is not written is zero; where
// faults are reported that may be anything, of an inout() array what was there.
static void stage(Staging& staging, const kern_kernel& kernel, Stream& stream, bool reports) {
  Device& device = *kernel.device;
  for (std::size_t i = 0; i < staging.arguments.size(); ++i) {
    kern_argument& argument = staging.arguments[i];
    if (argument.kind < KERN_HOST_IN) continue;
    const kern::ManifestParam& param = kernel.plan->kernel->params[i];
    std::uint64_t bytes = host_bytes(argument);
    const bool all_written = param.all_written && !reports;
    bool clear = argument.kind == KERN_HOST_OUT && !all_written;
    if (bytes == 0) continue;
    if (device.shares_host_memory()) {
      if (clear) std::memset(argument.data, 0, bytes);
      continue;
    }
    warn_of_copies(*kernel.plan, i, argument.data);
    std::shared_ptr<Memory> memory = device.allocate(bytes);
    constexpr char zero[] = {0};
    if (clear) stream.fill(memory, 0, bytes, zero);
    if (argument.kind != KERN_HOST_OUT && !(argument.kind == KERN_HOST_INOUT && all_written))
      stream.write(memory, 0, argument.data, bytes);
    bool back = argument.kind != KERN_HOST_IN && param.written;
    staging.copies.push_back({memory, argument.data, bytes, back});
    argument.data = memory->data;
  }
}

void kern::runtime::check_stream(const kern_kernel& kernel, const kern_launch_options& options) {
  if (!options.stream && options.needs_stream) refuse_empty("stream");
  if (options.stream && full(options.stream, "stream").device != kernel.device)
    fail(KERN_ARGUMENT_ERROR, "kernel `" + kernel.plan->kernel->name + "` is loaded for " +
                                  kernel.device->name() + ", and the stream is one of " +
                                  options.stream->device->name());
}

bool kern::runtime::reports_faults(const kern_launch_options& options, const Stream& stream) {
  return options.on_fault == KERN_FAULTS_OF_STREAM ? stream.reports_by_default()
                                                   : options.on_fault == KERN_FAULTS_REPORT;
}

// Fills in the memory of a launch's arrays, puts the stream behind what fills it, and returns how much there is.
static std::size_t collect_uses(Stream& stream, std::span<const kern_argument> arguments,
                                std::span<Memory*> uses) {
  std::size_t count = 0;
  for (const kern_argument& argument : arguments) {
    if (argument.rank == 0 || !argument.buffer) continue;
    uses[count] = argument.buffer->memory.get();
    order_behind_fill(stream, *uses[count++]);
  }
  return count;
}

static std::uint64_t launch_staged(const kern_kernel& kernel, const kern_launch_options& options,
                                   std::span<const kern_argument> arguments, Stream& stream) {
  if (stream.is_captured())
    fail(KERN_ARGUMENT_ERROR,
         "kernel `" + kernel.plan->kernel->name +
             "`: the stream is being captured, and arrays in host memory (in(), out(), inout()) cannot be: "
             "copy them into buffers first");
  Staging staging;
  staging.arguments.assign(arguments.begin(), arguments.end());
  Params params(kernel.plan->kernel->slots);
  Launch launch;
  Call call{kernel.module, *kernel.plan, options, staging.arguments};
  // Everything is checked with the host's addresses before anything moves; staged arrays have others.
  bool any = prepare(call, params, launch);
  launch.reports = reports_faults(options, stream);
  stage(staging, kernel, stream, launch.reports || kernel.plan->kernel->clamps.value_or(false));
  if (any && !staging.copies.empty()) prepare(call, params, launch);
  std::vector<Memory*> uses(arguments.size());
  uses.resize(collect_uses(stream, staging.arguments, uses));
  for (const Staging::Copy& copy : staging.copies) uses.push_back(copy.memory.get());
  launch.uses = uses;
  launch.awaited = true;
  if (any && checks_streams()) check_launch(stream, *kernel.plan, options, staging.arguments);
  std::uint64_t number = any ? stream.launch(launch) : stream.last();
  for (const Staging::Copy& copy : staging.copies)
    if (copy.back) number = stream.read(copy.memory, 0, copy.host, copy.bytes);
  stream.wait_for_caller(number, std::nullopt);
  check_waited(stream);
  stream.collect(number);
  return number;
}

kern_error* kern_launch(kern_kernel* kernel, const kern_launch_options* options,
                        const kern_argument* arguments, std::uint64_t count, kern_event** event) {
  return guarded([&] {
    full(kernel, "kernel");
    check_options(options);
    if (!arguments && count > 0) refuse_null("the list of arguments");
    Known known(*options);
    check_stream(*kernel, *known);
    const std::shared_ptr<Stream>& stream = launch_stream(*kernel, *known);
    check_beside_capture(*stream);
    Call call{kernel->module, *kernel->plan, *known, {arguments, count}};
    NewEvent made(event, kernel->device, stream);
    std::uint64_t number = 0;
    if (check_arguments(call)) {
      number = launch_staged(*kernel, *known, call.arguments, *stream);
    } else {
      Params params(kernel->plan->kernel->slots);
      UsedMemory uses(count);
      Launch launch;
      if (prepare(call, params, launch)) {
        launch.reports = reports_faults(*known, *stream);
        launch.uses = {uses.data(), collect_uses(*stream, call.arguments, uses)};
        if (checks_streams()) [[unlikely]]
          check_launch(*stream, call.plan, *known, call.arguments);
        number = stream->launch(launch);
      } else {
        number = stream->last();
      }
    }
    made.hand_out(number);
  });
}
