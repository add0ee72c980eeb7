// The C interface. A handle is a counted box round what the runtime uses; guarded() turns what is thrown into
// a value.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>

#include "kern/abi_hash.h"
#include "runtime/api/device.h"
#include "runtime/api/launch.h"

using namespace kern::runtime;

struct Counted {
  std::atomic<unsigned> count{1};
};
struct kern_device : Counted {
  std::shared_ptr<Device> device;
  std::string reason;
};
struct kern_stream : Counted {
  std::shared_ptr<Stream> stream;
};
struct kern_event : Counted {
  std::shared_ptr<Stream> stream;
  std::uint64_t number = 0;
};
struct kern_buffer : Counted {
  std::shared_ptr<Device> device;
  std::shared_ptr<Memory> memory;
};
struct kern_module : Counted {
  std::shared_ptr<const Module> module;
};
struct kern_kernel : Counted {
  std::shared_ptr<const Module> module;
  const kern::ManifestKernel* kernel = nullptr;
};
struct kern_error {
  Error error;
  std::vector<kern_place> calls;
};

// ---- Handles ----

template <class Handle> static Handle* retain(Handle* handle) {
  if (handle) handle->count.fetch_add(1, std::memory_order_relaxed);
  return handle;
}
template <class Handle> static void release(Handle* handle) {
  if (handle && handle->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete handle;
}

kern_device* kern_device_retain(kern_device* device) { return retain(device); }
void kern_device_release(kern_device* device) { release(device); }
kern_stream* kern_stream_retain(kern_stream* stream) { return retain(stream); }
void kern_stream_release(kern_stream* stream) { release(stream); }
kern_event* kern_event_retain(kern_event* event) { return retain(event); }
void kern_event_release(kern_event* event) { release(event); }
kern_buffer* kern_buffer_retain(kern_buffer* buffer) { return retain(buffer); }
void kern_buffer_release(kern_buffer* buffer) { release(buffer); }
kern_module* kern_module_retain(kern_module* module) { return retain(module); }
void kern_module_release(kern_module* module) { release(module); }
kern_kernel* kern_kernel_retain(kern_kernel* kernel) { return retain(kernel); }
void kern_kernel_release(kern_kernel* kernel) { release(kernel); }

// ---- Errors ----

kern_error* kern::runtime::make_error(Error error) {
  auto* result = new kern_error{std::move(error), {}};
  if (result->error.fault)
    for (const Fault::Call& call : result->error.fault->calls)
      result->calls.push_back({call.file.c_str(), call.line, call.column});
  return result;
}

// Runs what may throw.
template <class Function> static kern_error* guarded(Function&& function) noexcept {
  try {
    function();
    return nullptr;
  } catch (Error& error) {
    return make_error(std::move(error));
  } catch (const std::bad_alloc&) {
    return new kern_error{{KERN_OUT_OF_MEMORY, "there is no host memory left", {}, 0, 0}, {}};
  }
}

kern_error_kind kern_error_get_kind(const kern_error* error) {
  return error ? error->error.kind : KERN_NO_ERROR;
}
const char* kern_error_message(const kern_error* error) { return error ? error->error.message.c_str() : ""; }
void kern_error_free(kern_error* error) { delete error; }

// Copies as much of a struct as its reader knows.
template <class T> static void hand_out(T* to, T from) {
  from.struct_size = std::min<std::uint32_t>(to->struct_size, sizeof from);
  std::memcpy(to, &from, from.struct_size);
}

int kern_error_get_fault(const kern_error* error, kern_fault_info* info) {
  if (!error || !error->error.fault) return 0;
  const Fault& fault = *error->error.fault;
  kern_fault_info full{};
  full.kernel = fault.kernel.c_str();
  full.code = fault.code.c_str();
  full.place = {fault.file.c_str(), fault.line, fault.column};
  full.array = fault.array.c_str();
  full.axis = fault.record.axis;
  full.index = fault.record.index;
  full.extent = fault.record.extent;
  std::copy_n(fault.record.thread, 3, full.thread);
  std::copy_n(fault.record.block, 3, full.block);
  full.launch = fault.record.launch;
  full.calls = error->calls.data();
  full.call_count = error->calls.size();
  full.kind = fault.record.kind;
  full.site = fault.record.site;
  hand_out(info, full);
  return 1;
}

int kern_error_get_memory(const kern_error* error, kern_memory_info* info) {
  if (!error || error->error.kind != KERN_OUT_OF_MEMORY) return 0;
  hand_out(info, kern_memory_info{0, error->error.bytes_asked, error->error.bytes_available});
  return 1;
}

std::uint64_t kern_error_diagnostic_count(const kern_error* error) {
  return error ? error->error.diagnostics.size() : 0;
}

int kern_error_get_diagnostic(const kern_error* error, std::uint64_t index, kern_diagnostic* diagnostic) {
  if (index >= kern_error_diagnostic_count(error)) return 0;
  hand_out(diagnostic, error->error.diagnostics[index].view());
  return 1;
}

// ---- Devices ----

kern_error* kern_device_open(const kern_device_options* options, kern_device** device) {
  return guarded([&] {
    auto opened = std::make_unique<kern_device>();
    switch (options->kind) {
    case KERN_DEVICE_BEST: opened->device = open_best(opened->reason); break;
    case KERN_DEVICE_CPU:
      opened->device = open_cpu(options->threads);
      opened->reason = "asked for";
      break;
    case KERN_DEVICE_CUDA:
      opened->device = open_cuda(options->ordinal);
      opened->reason = "asked for";
      break;
    default: fail(KERN_ARGUMENT_ERROR, "there is no such kind of device");
    }
    *device = opened.release();
  });
}

kern_device_kind kern_device_get_kind(const kern_device* device) { return device->device->kind(); }
const char* kern_device_name(const kern_device* device) { return device->device->name().c_str(); }
void kern_device_get_info(const kern_device* device, kern_device_info* info) {
  hand_out(info, device->device->info());
}
const char* kern_device_reason(const kern_device* device) { return device->reason.c_str(); }
int kern_device_same(const kern_device* left, const kern_device* right) {
  return left->device == right->device;
}

// ---- Streams and events ----

template <class Handle> static Handle* make_handle() { return new Handle; }

static kern_event* make_event(const std::shared_ptr<Stream>& stream, std::uint64_t number) {
  auto* event = make_handle<kern_event>();
  event->stream = stream;
  event->number = number;
  return event;
}

kern_error* kern_stream_create(kern_device* device, kern_stream** stream) {
  return guarded([&] {
    auto made = device->device->make_stream();
    *stream = make_handle<kern_stream>();
    (*stream)->stream = std::move(made);
  });
}

kern_error* kern_stream_of_thread(kern_device* device, kern_stream** stream) {
  return guarded([&] {
    auto own = device->device->stream_of_thread();
    *stream = make_handle<kern_stream>();
    (*stream)->stream = std::move(own);
  });
}

kern_device* kern_stream_device(kern_stream* stream) {
  auto* device = make_handle<kern_device>();
  device->device = stream->stream->device().shared_from_this();
  return device;
}

kern_error* kern_stream_wait(kern_stream* stream) {
  return guarded([&] {
    std::uint64_t number = stream->stream->last();
    stream->stream->wait(number, std::nullopt);
    stream->stream->collect(number);
  });
}

kern_error* kern_stream_check(kern_stream* stream) {
  return guarded([&] { stream->stream->collect(stream->stream->last()); });
}

void kern_stream_on_print(kern_stream* stream, kern_print_function print, void* context) {
  stream->stream->on_print(print, context);
}

kern_error* kern_stream_after(kern_stream* stream, kern_event* event) {
  return guarded([&] {
    if (stream->stream != event->stream) stream->stream->after(event->stream, event->number);
  });
}

kern_error* kern_event_wait(kern_event* event, double seconds, int* done) {
  return guarded([&] {
    using Clock = std::chrono::steady_clock;
    Stream::Deadline deadline;
    constexpr double most = 1e9;
    if (seconds >= 0)
      deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(std::min(seconds, most)));
    bool came = event->stream->wait(event->number, deadline);
    if (done) *done = came;
    if (came) event->stream->collect(event->number);
  });
}

// ---- Memory ----

kern_error* kern_buffer_create(kern_device* device, std::uint64_t bytes, kern_buffer** buffer) {
  return guarded([&] {
    auto memory = device->device->allocate(bytes);
    *buffer = make_handle<kern_buffer>();
    (*buffer)->device = device->device;
    (*buffer)->memory = std::move(memory);
  });
}

void* kern_buffer_data(const kern_buffer* buffer) { return buffer->memory->data; }
std::uint64_t kern_buffer_bytes(const kern_buffer* buffer) { return buffer->memory->bytes; }

kern_device* kern_buffer_device(const kern_buffer* buffer) {
  auto* device = make_handle<kern_device>();
  device->device = buffer->device;
  return device;
}

static void check_range(const kern_buffer* buffer, std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t size = buffer->memory->bytes;
  if (offset > size || bytes > size - offset)
    fail(KERN_ARGUMENT_ERROR, "a copy of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                  " goes beyond the buffer's " + std::to_string(size));
}

static const std::shared_ptr<Stream>& stream_for(const kern_buffer* buffer, const kern_stream* stream) {
  if (&stream->stream->device() != buffer->device.get())
    fail(KERN_ARGUMENT_ERROR, "the buffer lies on " + buffer->device->name() + ", and the stream is one of " +
                                  stream->stream->device().name());
  return stream->stream;
}

static void hand_out_event(const std::shared_ptr<Stream>& stream, std::uint64_t number, kern_event** event) {
  if (event) *event = make_event(stream, number);
}

kern_error* kern_buffer_write(kern_buffer* to, std::uint64_t offset, const void* from, std::uint64_t bytes,
                              kern_stream* stream, kern_event** event) {
  return guarded([&] {
    check_range(to, offset, bytes);
    const auto& on = stream_for(to, stream);
    hand_out_event(on, bytes > 0 ? on->write(to->memory, offset, from, bytes) : on->last(), event);
  });
}

kern_error* kern_buffer_read(const kern_buffer* from, std::uint64_t offset, void* to, std::uint64_t bytes,
                             kern_stream* stream, kern_event** event) {
  return guarded([&] {
    check_range(from, offset, bytes);
    const auto& on = stream_for(from, stream);
    hand_out_event(on, bytes > 0 ? on->read(from->memory, offset, to, bytes) : on->last(), event);
  });
}

kern_error* kern_buffer_fill(kern_buffer* to, std::uint64_t offset, std::uint64_t count, const void* pattern,
                             std::uint32_t pattern_bytes, kern_stream* stream, kern_event** event) {
  return guarded([&] {
    bool known = pattern_bytes == 1 || pattern_bytes == 2 || pattern_bytes == 4 || pattern_bytes == 8 ||
                 pattern_bytes == 16;
    if (!known || count > UINT64_MAX / pattern_bytes)
      fail(KERN_ARGUMENT_ERROR, "a pattern has 1, 2, 4, 8 or 16 bytes");
    check_range(to, offset, count * pattern_bytes);
    const auto& on = stream_for(to, stream);
    std::span<const char> bytes(static_cast<const char*>(pattern), pattern_bytes);
    hand_out_event(on, count > 0 ? on->fill(to->memory, offset, count, bytes) : on->last(), event);
  });
}

// ---- Modules and kernels ----

static kern_error* load_module(kern_device* device, const kern_object* object,
                               std::shared_ptr<const void> owner, kern_module** module) {
  return guarded([&] {
    if (object->struct_size < offsetof(kern_object, cubins) || object->abi_version != KERN_ABI_VERSION ||
        object->abi_hash != kern::abi_hash)
      fail(KERN_DEVICE_ERROR, "the object was made for ABI version " + std::to_string(object->abi_version) +
                                  ", and this runtime loads version " + std::to_string(KERN_ABI_VERSION) +
                                  ": compile it again");
    auto loaded = device->device->module(*object, std::move(owner));
    *module = make_handle<kern_module>();
    (*module)->module = std::move(loaded);
  });
}

kern_error* kern_module_load(kern_device* device, const kern_object* object, kern_module** module) {
  return load_module(device, object, {}, module);
}

kern_error* kern_module_load_owned(kern_device* device, const kern_object* object, void* owner,
                                   void (*release)(void* owner), kern_module** module) {
  return load_module(device, object, std::shared_ptr<void>(owner, release), module);
}

std::uint64_t kern_module_kernel_count(const kern_module* module) {
  return module->module->manifest.kernels.size();
}

const char* kern_module_kernel_symbol(const kern_module* module, std::uint64_t index) {
  const auto& kernels = module->module->manifest.kernels;
  return index < kernels.size() ? kernels[index].symbol.c_str() : nullptr;
}

kern_error* kern_module_kernel(kern_module* module, const char* name, const kern_parameter* parameters,
                               std::uint64_t count, kern_kernel** kernel) {
  return guarded([&] {
    const kern::ManifestKernel& found = find_kernel(*module->module, name, {parameters, count});
    *kernel = make_handle<kern_kernel>();
    (*kernel)->module = module->module;
    (*kernel)->kernel = &found;
  });
}

// ---- Launches ----

namespace {

// Arrays in host memory: copies of them on the device, or the arrays themselves where it sees host memory.
struct Staging {
  struct Copy {
    std::shared_ptr<Memory> memory;
    void* host;
    std::uint64_t bytes;
    bool back;
  };
  std::vector<kern_argument> arguments;
  std::vector<std::shared_ptr<Memory>> memory;
  std::vector<Copy> copies;
  bool any = false;
};

} // namespace

// Puts staged arrays where the kernel can reach them. What an out() array has that is not written is zero.
static void stage(Staging& staging, const kern_kernel& kernel, Stream& stream) {
  Device& device = stream.device();
  for (std::size_t i = 0; i < staging.arguments.size(); ++i) {
    kern_argument& argument = staging.arguments[i];
    if (argument.kind < KERN_HOST_IN) continue;
    staging.any = true;
    const kern::ManifestParam& param = kernel.kernel->params[i];
    std::uint64_t bytes = host_bytes(argument);
    bool clear = argument.kind == KERN_HOST_OUT && !param.all_written;
    if (bytes == 0) continue;
    if (device.shares_host_memory()) {
      if (clear) std::memset(argument.data, 0, bytes);
      continue;
    }
    std::shared_ptr<Memory> memory = device.allocate(bytes);
    constexpr char zero[] = {0};
    if (clear) stream.fill(memory, 0, bytes, zero);
    if (argument.kind != KERN_HOST_OUT && !(argument.kind == KERN_HOST_INOUT && param.all_written))
      stream.write(memory, 0, argument.data, bytes);
    bool back = argument.kind != KERN_HOST_IN && param.written;
    staging.copies.push_back({memory, argument.data, bytes, back});
    staging.memory[i] = memory;
    argument.data = memory->data;
  }
}

static kern_launch_options known_options(const kern_launch_options& options) {
  kern_launch_options known{};
  std::memcpy(&known, &options, std::min<std::size_t>(options.struct_size, sizeof known));
  return known;
}

static std::shared_ptr<Stream> launch_stream(const kern_kernel& kernel, const kern_launch_options& options) {
  if (!options.stream) return kernel.module->device->stream_of_thread();
  Device& device = options.stream->stream->device();
  if (&device != kernel.module->device.get())
    fail(KERN_ARGUMENT_ERROR, "kernel `" + kernel.kernel->name + "` is loaded for " +
                                  kernel.module->device->name() + ", and the stream is one of " +
                                  device.name());
  return options.stream->stream;
}

kern_error* kern_launch(kern_kernel* kernel, const kern_launch_options* options,
                        const kern_argument* arguments, std::uint64_t count, kern_event** event) {
  return guarded([&] {
    kern_launch_options known = known_options(*options);
    std::shared_ptr<Stream> stream = launch_stream(*kernel, known);
    Staging staging;
    staging.arguments.assign(arguments, arguments + count);
    std::vector<std::shared_ptr<Device>> devices;
    for (const kern_argument& argument : staging.arguments) {
      staging.memory.push_back(argument.buffer ? argument.buffer->memory : nullptr);
      devices.push_back(argument.buffer ? argument.buffer->device : nullptr);
    }
    Call call{kernel->module, kernel->kernel, &known, staging.arguments, staging.memory, devices};
    check_arguments(call);
    // Everything is checked with the host's addresses before anything moves; staged arrays have others.
    std::optional<Launch> launch = prepare(call);
    stage(staging, *kernel, *stream);
    if (launch && !staging.copies.empty()) launch = prepare(call);
    std::uint64_t number = launch ? stream->launch(std::move(*launch)) : stream->last();
    for (const Staging::Copy& copy : staging.copies)
      if (copy.back) number = stream->read(copy.memory, 0, copy.host, copy.bytes);
    if (staging.any) {
      stream->wait(number, std::nullopt);
      stream->collect(number);
    }
    if (event) *event = make_event(stream, number);
  });
}
