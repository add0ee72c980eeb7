// The C interface: errors, devices, streams, modules. Buffers are in c_memory.cpp, launches in c_launch.cpp.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "kern/abi_hash.h"
#include "runtime/api/capture.h"
#include "runtime/api/check.h"
#include "runtime/api/handles.h"
#include "runtime/api/launch.h"
#include "runtime/api/order.h"
#include "runtime/api/stay.h"
#include "runtime/common/log.h"
#include "runtime/common/settings.h"

using namespace kern::runtime;

struct kern_error : Counted<HandleKind::Error> {
  explicit kern_error(Error error) : error(std::move(error)) {}
  Error error;
  std::vector<kern_place> calls;
};

// ---- Handles ----

// A stream whose work is under way stays with its device.
kern_stream::~kern_stream() {
  stream.reset();
  if (device) device->sweep();
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

// The memory of an event that was dropped, one a thread. The key's value is that memory, so that it goes with the thread;
// what is dropped after that is not kept. (A thread_local with a destructor ends the process where there is no memory to
// note it.)
static thread_local void* spare_event = nullptr;
static thread_local bool thread_ends = false;

namespace {

struct SpareKey {
  SpareKey() {
    is_made = pthread_key_create(&key, [](void*) {
                thread_ends = true;
                ::operator delete(std::exchange(spare_event, nullptr));
              }) == 0;
  }
  // The key of a library that is unloaded must not be called any more.
  ~SpareKey() {
    if (std::exchange(is_made, false)) pthread_key_delete(key);
  }
  pthread_key_t key{};
  bool is_made = false;
};

} // namespace

static bool frees_with_thread() {
  static thread_local bool is_noted = false;
  static SpareKey key;
  if (!is_noted) is_noted = key.is_made && pthread_setspecific(key.key, &spare_event) == 0;
  return is_noted;
}

void* kern_event::operator new(std::size_t bytes) {
  void* memory = std::exchange(spare_event, nullptr);
  return memory ? memory : ::operator new(bytes);
}

void kern_event::operator delete(void* memory) {
  if (spare_event || thread_ends || !frees_with_thread()) return ::operator delete(memory);
  spare_event = memory;
}

// ---- Errors ----

void kern::runtime::refuse_empty(const char* what) {
  fail(KERN_ARGUMENT_ERROR,
       std::string("the ") + what + " is empty: it was never made, could not be made, or was moved from");
}

void kern::runtime::refuse_handle(const char* what) {
  fail(KERN_ARGUMENT_ERROR,
       std::string("the handle of the ") + what + " is none: it was released, or is one of another kind");
}

void kern::runtime::warn_of_handle() noexcept {
  try {
    kern::log(
        KERN_LOG_ERROR,
        "a handle is released or retained that is none: it was released before, or is one of another kind");
  } catch (...) {
    // There is no memory for the text.
  }
}

void kern::runtime::refuse_null(const char* what) {
  fail(KERN_ARGUMENT_ERROR, std::string(what) + " is a null pointer");
}

void kern::runtime::refuse_struct(const char* what, std::uint32_t given, std::size_t size) {
  fail(KERN_ARGUMENT_ERROR, "struct_size of " + std::string(what) + " is " + std::to_string(given) +
                                ": set it to sizeof(" + what + "), which is " + std::to_string(size));
}

// For when there is no memory to say so; freeing it does nothing. Its text is short enough to need none, nor does it itself.
static kern_error& no_memory() {
  alignas(kern_error) static std::byte place[sizeof(kern_error)];
  static kern_error* const error = new (place) kern_error({KERN_OUT_OF_MEMORY, "no host memory", {}, 0, 0});
  return *error;
}

kern_error* kern::runtime::caught_error() noexcept {
  try {
    return make_error(error_of_exception("a call"));
  } catch (...) {
    return &no_memory();
  }
}

kern_error* kern::runtime::make_error(Error error) {
  auto* result = new kern_error(std::move(error));
  if (result->error.fault)
    for (const Fault::Call& call : result->error.fault->calls)
      result->calls.push_back({call.file.c_str(), call.line, call.column});
  return result;
}

Error kern::runtime::take_error(kern_error* error) {
  Error taken = error != &no_memory() ? std::move(error->error) : error->error;
  kern_error_free(error);
  return taken;
}

kern_error_kind kern_error_get_kind(const kern_error* error) {
  return is_there(error) ? error->error.kind : KERN_NO_ERROR;
}
const char* kern_error_message(const kern_error* error) {
  return is_there(error) ? error->error.message.c_str() : "";
}
void kern_error_free(kern_error* error) {
  if (error != &no_memory()) release(error);
}

int kern_error_get_fault(const kern_error* error, kern_fault_info* info) {
  if (!is_there(error) || !error->error.fault) return 0;
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
  full.went_on = fault.went_on;
  full.bad_threads = fault.bad_threads;
  hand_out(info, full);
  return 1;
}

int kern_error_get_memory(const kern_error* error, kern_memory_info* info) {
  if (!is_there(error) || error->error.kind != KERN_OUT_OF_MEMORY) return 0;
  hand_out(info, kern_memory_info{0, error->error.bytes_asked, error->error.bytes_available,
                                  error->error.bytes_held});
  return 1;
}

std::uint64_t kern_error_diagnostic_count(const kern_error* error) {
  return is_there(error) ? error->error.diagnostics.size() : 0;
}

int kern_error_get_diagnostic(const kern_error* error, std::uint64_t index, kern_diagnostic* diagnostic) {
  if (index >= kern_error_diagnostic_count(error)) return 0;
  hand_out(diagnostic, error->error.diagnostics[index].view());
  return 1;
}

// ---- Devices ----

kern_error* kern_device_open(const kern_device_options* options, kern_device** device) {
  return guarded([&] {
    stay_loaded();
    kern_device*& result = place_of(device);
    kern::check_environment();
    choose_checks();
    check_struct(options, "kern_device_options");
    auto opened = std::make_unique<kern_device>();
    kern_device_options known = known_part(*options);
    switch (known.kind) {
    case KERN_DEVICE_BEST: opened->device = open_best(opened->reason); break;
    case KERN_DEVICE_CPU:
      opened->device = open_cpu(known.threads, known.memory_limit);
      opened->reason = "asked for";
      break;
    case KERN_DEVICE_CUDA:
      opened->device = open_cuda(known.ordinal, known.memory_limit);
      opened->reason = "asked for";
      break;
    default: fail(KERN_ARGUMENT_ERROR, "there is no such kind of device");
    }
    result = opened.release();
  });
}

int kern_host_is_pinned(kern_device* device, const void* data) {
  bool is_pinned = false;
  kern_error_free(guarded([&] { is_pinned = is_there(device) && device->device->is_pinned(data); }));
  return is_pinned;
}

// Returns BEST of a handle that is null, because it is the kind of no device.
kern_device_kind kern_device_get_kind(const kern_device* device) {
  return is_there(device) ? device->device->kind() : KERN_DEVICE_BEST;
}
const char* kern_device_name(const kern_device* device) {
  return is_there(device) ? device->device->name().c_str() : "";
}
void kern_device_get_info(const kern_device* device, kern_device_info* info) {
  hand_out(info, is_there(device) ? device->device->info() : kern_device_info{});
}
const char* kern_device_reason(const kern_device* device) {
  return is_there(device) ? device->reason.c_str() : "";
}
std::uint32_t kern_device_ordinal(const kern_device* device) {
  return is_there(device) ? device->device->ordinal() : 0;
}
int kern_device_same(const kern_device* left, const kern_device* right) {
  return is_there(left) && is_there(right) ? left->device == right->device : left == right;
}

// ---- Streams and events ----

kern_device* kern::runtime::make_device(std::shared_ptr<Device> device) noexcept {
  auto* handle = new (std::nothrow) kern_device;
  if (handle) handle->device = std::move(device);
  return handle;
}

NewEvent::NewEvent(kern_event** wanted, const std::shared_ptr<Device>& device,
                   const std::shared_ptr<Stream>& stream)
    : wanted_(wanted) {
  if (!wanted) return;
  event_ = std::make_unique<kern_event>();
  event_->device = device;
  event_->stream = stream;
}

void NewEvent::hand_out(std::uint64_t number, std::shared_ptr<const Timestamp> time) {
  if (!event_) return;
  event_->time = std::move(time);
  event_->number = number;
  event_->point = event_->stream->capture_point();
  if (!event_->point) event_->stream->hold(number);
  if (checks_streams()) [[unlikely]]
    event_->checked = checked_point(*event_->stream);
  *wanted_ = event_.release();
}

static kern_stream* make_stream(const std::shared_ptr<Device>& device, std::shared_ptr<Stream> stream) {
  auto* handle = new kern_stream;
  handle->device = device;
  handle->stream = std::move(stream);
  return handle;
}

kern_error* kern_stream_create(kern_device* device, kern_stream** stream) {
  return guarded([&] {
    const auto& on = full(device, "device").device;
    auto& place = place_of(stream);
    place = make_stream(on, on->make_stream());
  });
}

kern_error* kern_stream_of_thread(kern_device* device, kern_stream** stream) {
  return guarded([&] {
    const auto& on = full(device, "device").device;
    auto& place = place_of(stream);
    place = make_stream(on, on->stream_of_thread());
  });
}

kern_error* kern_stream_of_buffer(const kern_buffer* buffer, kern_stream** stream) {
  return guarded([&] {
    const auto& on = full(buffer, "buffer").device;
    auto& place = place_of(stream);
    place = make_stream(on, on->stream_of_thread());
  });
}

kern_error* kern_stream_wrap(kern_device* device, void* native, kern_stream** stream) {
  return guarded([&] {
    const auto& on = full(device, "device").device;
    auto& place = place_of(stream);
    place = make_stream(on, on->wrap_stream(native));
  });
}

std::uint64_t kern_stream_id(const kern_stream* stream) {
  return is_there(stream) ? stream->stream->id() : 0;
}

void* kern_stream_native(const kern_stream* stream) {
  return is_there(stream) ? stream->stream->native() : nullptr;
}

kern_device* kern_stream_device(kern_stream* stream) {
  return is_there(stream) ? make_device(stream->device) : nullptr;
}

kern_error* kern_stream_wait(kern_stream* stream) {
  return guarded([&] {
    Stream& on = *full(stream, "stream").stream;
    on.check_waitable();
    std::uint64_t number = on.last();
    on.wait_for_caller(number, std::nullopt);
    check_waited(on);
    on.collect(number);
  });
}

kern_error* kern_stream_check(kern_stream* stream) {
  return guarded([&] {
    Stream& on = *full(stream, "stream").stream;
    on.poll();
    on.collect(on.last());
  });
}

kern_error* kern_stream_cancel(kern_stream* stream) {
  return guarded([&] {
    Stream& on = *full(stream, "stream").stream;
    if (on.is_captured())
      fail(KERN_ARGUMENT_ERROR,
           "the stream is being captured: its work does not run, so it cannot be cancelled");
    on.cancel();
  });
}

void kern_stream_on_fault(kern_stream* stream, kern_fault_policy policy) {
  if (is_there(stream)) stream->stream->report_by_default(policy == KERN_FAULTS_REPORT);
}

kern_error* kern_stream_take_report(kern_stream* stream, kern_error** fault) {
  return guarded([&] {
    kern_error*& result = place_of(fault);
    result = nullptr;
    Stream& on = *full(stream, "stream").stream;
    on.poll();
    if (std::optional<Error> report = on.take_report()) result = make_error(std::move(*report));
  });
}

void kern_stream_on_print(kern_stream* stream, kern_print_function print, void* context) {
  if (is_there(stream)) stream->stream->on_print(print, context);
}

kern_error* kern_stream_after(kern_stream* stream, kern_event* event) {
  return guarded([&] {
    full(stream, "stream");
    full(event, "event");
    Stream& on = *stream->stream;
    if (event->point) {
      if (stream->device != event->device)
        fail(KERN_ARGUMENT_ERROR, "the event is of a capture on " + event->device->name() +
                                      ", and the stream is one of " + stream->device->name());
      on.follow(*event->point);
      return check_after(on, event->checked);
    }
    if (stream->stream == event->stream) return;
    if (on.is_captured())
      fail(KERN_ARGUMENT_ERROR,
           "the stream is being captured, and the event is of work outside of the capture: wait for "
           "it before the capture, or put the stream that launches the graph behind it");
    on.after(event->stream, event->number, stream->device == event->device);
    check_after(on, event->checked);
  });
}

kern_error* kern_stream_call(kern_stream* stream, void (*function)(void* context), void* context,
                             kern_event** event) {
  return guarded([&] {
    Stream& on = *full(stream, "stream").stream;
    if (!function) refuse_null("the function");
    if (on.is_captured()) fail(KERN_ARGUMENT_ERROR, "the stream is being captured: no graph holds a call");
    check_beside_capture(on);
    NewEvent made(event, stream->device, stream->stream);
    made.hand_out(on.call([=] { function(context); }));
  });
}

kern_error* kern_stream_record(kern_stream* stream, kern_event** event) {
  return guarded([&] {
    Stream& on = *full(stream, "stream").stream;
    place_of(event);
    if (on.is_captured()) fail(KERN_ARGUMENT_ERROR, "the stream is being captured: its work has no time");
    check_beside_capture(on);
    NewEvent made(event, stream->device, stream->stream);
    std::shared_ptr<Timestamp> time;
    const std::uint64_t number = on.record(time);
    made.hand_out(number, std::move(time));
  });
}

kern_error* kern_capture_begin(kern_stream* stream) {
  return guarded([&] { Stream::begin_capture(full(stream, "stream").stream); });
}

kern_error* kern_capture_end(kern_stream* stream, kern_graph** graph) {
  return guarded([&] {
    auto captured = full(stream, "stream").stream->end_capture();
    kern_graph*& result = place_of(graph);
    auto made = std::make_unique<kern_graph>();
    made->device = stream->device;
    made->graph = std::move(captured);
    result = made.release();
  });
}

kern_error* kern_graph_launch(kern_graph* graph, kern_stream* stream, kern_event** event) {
  return guarded([&] {
    full(graph, "graph");
    if (full(stream, "stream").device != graph->device)
      fail(KERN_ARGUMENT_ERROR, "the graph was captured on " + graph->device->name() +
                                    ", and the stream is one of " + stream->device->name());
    if (stream->stream->is_captured())
      fail(KERN_ARGUMENT_ERROR, "the stream is being captured: a graph cannot be launched in it");
    check_beside_capture(*stream->stream);
    NewEvent made(event, stream->device, stream->stream);
    for (const auto& memory : graph->graph->memory) order_behind_fill(*stream->stream, *memory);
    if (checks_streams()) CheckedWork(*stream->stream, "a graph").replays(*graph->graph);
    std::uint64_t number = stream->stream->replay(graph->graph);
    for (Memory* memory : graph->graph->filled) note_fill(*stream->stream, *memory, number);
    made.hand_out(number);
  });
}

kern_graph* kern_graph_retain(kern_graph* graph) { return retain(graph); }
void kern_graph_release(kern_graph* graph) { release(graph); }

kern_error* kern_event_wait(kern_event* event, double seconds, int* done) {
  return guarded([&] {
    using Clock = std::chrono::steady_clock;
    Stream::Deadline deadline;
    constexpr double most = 1e9;
    if (seconds >= 0)
      deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(std::min(seconds, most)));
    if (full(event, "event").point) {
      if (!deadline) event->point->capture->note_wait();
      fail(KERN_ARGUMENT_ERROR,
           "the event is of work that was captured, and so never comes: wait for an event of the "
           "graph's launch");
    }
    bool came = event->stream->wait_for_caller(event->number, deadline);
    if (done) *done = came;
    if (came) check_waited(event->checked);
    if (came) event->stream->collect(event->number);
  });
}

kern_error* kern_event_elapsed(kern_event* begin, kern_event* end, double* milliseconds) {
  return guarded([&] {
    double& result = place_of(milliseconds);
    for (kern_event* event : {begin, end})
      if (!full(event, "event").time)
        fail(KERN_ARGUMENT_ERROR, "the event has no time: make it with stream.record() (kern_stream_record)");
    if (begin->device != end->device)
      fail(KERN_ARGUMENT_ERROR, "the events are of " + begin->device->name() + " and of " +
                                    end->device->name() + ", whose clocks are not the same");
    for (kern_event* event : {begin, end}) {
      event->stream->wait_for_caller(event->number, std::nullopt);
      check_waited(event->checked);
    }
    result = end->time->since(*begin->time);
  });
}

// ---- Modules and kernels ----

// The message has the hashes where the versions are equal: the calling convention changes before a release,
// and its version does not.
[[noreturn, gnu::cold]] static void refuse_object(const kern_object& object) {
  std::string made = std::to_string(object.abi_version), loads = std::to_string(KERN_ABI_VERSION);
  if (object.abi_version == KERN_ABI_VERSION) {
    made += " (hash " + std::to_string(object.abi_hash) + ")";
    loads += " (hash " + std::to_string(kern::abi_hash) + ")";
  }
  fail(KERN_DEVICE_ERROR, "the object was made for ABI version " + made +
                              ", and this runtime loads version " + loads + ": compile it again");
}

static void check_pointers(const kern_object& object) {
  if (!object.manifest) refuse_null("kern_object::manifest");
  if (!object.ptx && object.ptx_bytes > 0) refuse_null("kern_object::ptx");
  if (!object.entries && object.entry_count > 0) refuse_null("kern_object::entries");
  for (std::uint64_t i = 0; i < object.entry_count; ++i)
    if (!object.entries[i].symbol || !object.entries[i].cpu || !object.entries[i].entry)
      refuse_null("a field of kern_object_entry");
}

kern_error* kern_module_load_owned(kern_device* device, const kern_object* object, void* owner,
                                   void (*release)(void* owner), kern_module** module) {
  return guarded([&] {
    // It takes over what it is given before anything can go wrong.
    std::shared_ptr<const void> owned;
    if (release) owned = std::shared_ptr<void>(owner, release);
    full(device, "device");
    kern_module*& result = place_of(module);
    if (!object) refuse_null("kern_object");
    check_struct(object, "kern_object", offsetof(kern_object, cubins));
    if (object->abi_version != KERN_ABI_VERSION || object->abi_hash != kern::abi_hash) refuse_object(*object);
    check_pointers(*object);
    auto loaded = device->device->module(*object, std::move(owned));
    result = new kern_module;
    result->device = device->device;
    result->module = std::move(loaded);
  });
}

kern_error* kern_module_load(kern_device* device, const kern_object* object, kern_module** module) {
  return kern_module_load_owned(device, object, nullptr, nullptr, module);
}

std::uint64_t kern_module_kernel_count(const kern_module* module) {
  return is_there(module) ? module->module->manifest.kernels.size() : 0;
}

const char* kern_module_kernel_symbol(const kern_module* module, std::uint64_t index) {
  if (!is_there(module)) return nullptr;
  const auto& kernels = module->module->manifest.kernels;
  return index < kernels.size() ? kernels[index].symbol.c_str() : nullptr;
}

kern_error* kern_module_kernel(kern_module* module, const char* name, const kern_parameter* parameters,
                               std::uint64_t count, kern_kernel** kernel) {
  return guarded([&] {
    full(module, "module");
    kern_kernel*& result = place_of(kernel);
    if (!name) refuse_null("the name of the kernel");
    if (!parameters && count > 0) refuse_null("the list of parameters");
    const Plan& found = find_kernel(*module->module, name, {parameters, count});
    result = new kern_kernel;
    result->device = module->device;
    result->module = module->module;
    result->plan = &found;
  });
}
