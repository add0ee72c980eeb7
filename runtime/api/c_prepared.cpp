// The C interface: launches that were checked once. What a launch borrows stands in the handle.
#include "runtime/api/capture.h"
#include "runtime/api/check.h"
#include "runtime/api/handles.h"
#include "runtime/api/launch.h"
#include "runtime/api/order.h"

using namespace kern::runtime;

struct kern_prepared : Counted<HandleKind::Prepared> {
  ~kern_prepared() {
    for (kern_argument& argument : arguments) kern_buffer_release(argument.buffer);
    kern_stream_release(options.stream);
    kern_kernel_release(kernel);
  }
  kern_kernel* kernel = nullptr;
  kern_launch_options options{};
  std::vector<kern_argument> arguments;
  std::vector<std::uint64_t> params;
  std::vector<Memory*> uses;
  Launch launch;
  bool any = false; // there is something to run
};

// Checks the arguments and makes the launch of them; a failure leaves the old one.
static void prepare_launch(kern_prepared& prepared, std::vector<kern_argument> arguments) {
  const kern_kernel& kernel = *prepared.kernel;
  for (kern_argument& argument : arguments)
    if (argument.rank == 0) argument.buffer = nullptr; // a scalar has none
  Call call{kernel.module, *kernel.plan, prepared.options, arguments};
  if (check_arguments(call))
    fail(KERN_ARGUMENT_ERROR,
         "kernel `" + kernel.plan->kernel->name +
             "`: a prepared launch takes arrays on the device, and in(), out() or inout() "
             "is given: copy it into a buffer first");
  std::vector<std::uint64_t> params(kernel.plan->kernel->slots);
  Launch launch;
  bool any = prepare(call, params, launch);
  std::vector<Memory*> uses;
  uses.reserve(arguments.size()); // nothing is thrown any more
  for (const kern_argument& argument : arguments) {
    kern_buffer_retain(argument.buffer);
    if (argument.buffer) uses.push_back(argument.buffer->memory.get());
  }
  for (const kern_argument& argument : prepared.arguments) kern_buffer_release(argument.buffer);
  prepared.arguments = std::move(arguments);
  prepared.params = std::move(params);
  prepared.uses = std::move(uses);
  prepared.launch = launch;
  prepared.launch.params = prepared.params;
  prepared.launch.uses = prepared.uses;
  prepared.any = any;
}

kern_prepared* kern_prepared_retain(kern_prepared* prepared) { return retain(prepared); }
void kern_prepared_release(kern_prepared* prepared) { release(prepared); }

kern_error* kern_prepare(kern_kernel* kernel, const kern_launch_options* options,
                         const kern_argument* arguments, std::uint64_t count, kern_prepared** prepared) {
  return guarded([&] {
    full(kernel, "kernel");
    check_options(options);
    if (!arguments && count > 0) refuse_null("the list of arguments");
    kern_prepared*& result = place_of(prepared);
    const kern_launch_options known = known_part(*options);
    check_stream(*kernel, known);
    auto made = std::make_unique<kern_prepared>();
    made->kernel = retain(kernel);
    made->options = known;
    retain(made->options.stream);
    prepare_launch(*made, {arguments, arguments + count});
    result = made.release();
  });
}

kern_error* kern_prepared_set(kern_prepared* prepared, std::uint64_t index, const kern_argument* argument) {
  return guarded([&] {
    full(prepared, "prepared launch");
    if (!argument) refuse_null("the argument");
    if (index >= prepared->arguments.size())
      fail(KERN_ARGUMENT_ERROR, "kernel `" + prepared->kernel->plan->kernel->name + "` has " +
                                    std::to_string(prepared->arguments.size()) + " arguments, and argument " +
                                    std::to_string(index) + " is set");
    std::vector<kern_argument> arguments = prepared->arguments;
    arguments[index] = *argument;
    prepare_launch(*prepared, std::move(arguments));
  });
}

kern_error* kern_prepared_launch(kern_prepared* prepared, kern_event** event) {
  return guarded([&] {
    full(prepared, "prepared launch");
    const std::shared_ptr<Stream>& stream = launch_stream(*prepared->kernel, prepared->options);
    check_beside_capture(*stream);
    NewEvent made(event, prepared->kernel->device, stream);
    for (Memory* memory : prepared->uses) order_behind_fill(*stream, *memory);
    prepared->launch.reports = reports_faults(prepared->options, *stream);
    if (prepared->any && checks_streams()) [[unlikely]]
      check_launch(*stream, *prepared->kernel->plan, prepared->options, prepared->arguments);
    made.hand_out(prepared->any ? stream->launch(prepared->launch) : stream->last());
  });
}
