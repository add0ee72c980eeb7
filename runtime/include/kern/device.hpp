// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices, streams and events.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "kern/error.hpp"

namespace kern::inline v1 {

// A counted handle of the C interface.
template <class T, T* (*Retain)(T*), void (*Release)(T*)> class Handle {
public:
  Handle() = default;
  explicit Handle(T* owned) : handle_(owned) {}
  Handle(const Handle& other) : handle_(Retain(other.handle_)) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() { Release(handle_); }
  T* get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  // Returns where a C function stores a new handle.
  T** receive() {
    *this = Handle();
    return &handle_;
  }

private:
  T* handle_ = nullptr;
};

// Returns what a handle is asked for; of an empty one an ArgumentError.
template <class Owner> inline auto ask(const Owner& handle, const char* what, auto&& answer) {
  Status status;
  if (!handle)
    status.refuse([&] {
      return "the " + std::string(what) +
             " is empty: it was never made, could not be made, or was moved from";
    });
  status.raise();
  return answer();
}

using DeviceHandle = Handle<kern_device, kern_device_retain, kern_device_release>;
using StreamHandle = Handle<kern_stream, kern_stream_retain, kern_stream_release>;
using EventHandle = Handle<kern_event, kern_event_retain, kern_event_release>;
using BufferHandle = Handle<kern_buffer, kern_buffer_retain, kern_buffer_release>;
using ModuleHandle = Handle<kern_module, kern_module_retain, kern_module_release>;
using KernelHandle = Handle<kern_kernel, kern_kernel_retain, kern_kernel_release>;
using GraphHandle = Handle<kern_graph, kern_graph_retain, kern_graph_release>;
using PreparedHandle = Handle<kern_prepared, kern_prepared_retain, kern_prepared_release>;

struct CpuOptions {
  unsigned threads = 0;           // a pool of its own with so many; 0: the pool that the process shares
  std::uint64_t memory_limit = 0; // bytes that its buffers may have; 0: what there is
};

struct CudaOptions {
  std::uint64_t memory_limit = 0; // bytes that its buffers may have; 0: what there is
};

// A GPU, or the CPU. To ask an empty one is an ArgumentError.
class Device {
public:
  Device() = default;
  explicit Device(DeviceHandle handle) : handle_(std::move(handle)) {}
  // Returns what KERN_DEVICE names (cpu, cuda, cuda:1), else the first CUDA device, else the CPU.
  static Device best() {
    return checked([](Status& status) { return best(status); });
  }
  static Device best(Status& status) noexcept { return open(status, KERN_DEVICE_BEST, 0, 0, 0); }
  // Returns the CPU.
  static Device cpu(CpuOptions options = {}) {
    return checked([&](Status& status) { return cpu(status, options); });
  }
  static Device cpu(Status& status, CpuOptions options = {}) noexcept {
    return open(status, KERN_DEVICE_CPU, 0, options.threads, options.memory_limit);
  }
  // Returns a CUDA device, by its number among CUDA_VISIBLE_DEVICES; the error says why it cannot.
  static Device cuda(unsigned ordinal = 0, CudaOptions options = {}) {
    return checked([&](Status& status) { return cuda(status, ordinal, options); });
  }
  static Device cuda(Status& status, unsigned ordinal = 0, CudaOptions options = {}) noexcept {
    return open(status, KERN_DEVICE_CUDA, ordinal, 0, options.memory_limit);
  }

  // Returns all there are, the CPU first; those that cannot be opened are left out.
  static std::vector<Device> all() {
    Status status;
    std::vector<Device> devices = all(status);
    status.raise();
    return devices;
  }
  static std::vector<Device> all(Status& status) noexcept {
    std::vector<Device> devices;
    Status own;
    const bool is_enough = Status::with_memory([&] {
      devices.push_back(cpu(own));
      for (unsigned i = 0; i < kern_device_count(KERN_DEVICE_CUDA); ++i) {
        Status refused;
        if (Device device = cuda(refused, i); refused.ok()) devices.push_back(std::move(device));
      }
    });
    if (!is_enough) status.refuse_memory();
    status.take(own);
    return devices;
  }

  bool is_cpu() const { return kern_device_get_kind(get()) == KERN_DEVICE_CPU; }
  bool is_cuda() const { return kern_device_get_kind(get()) == KERN_DEVICE_CUDA; }
  std::string name() const {
    return ask(handle_, "device", [&] { return std::string(kern_device_name(get())); });
  }
  // Returns its number among CUDA_VISIBLE_DEVICES; 0 for the CPU.
  unsigned ordinal() const {
    return ask(handle_, "device", [&] { return kern_device_ordinal(get()); });
  }
  // Returns why best() chose it.
  std::string reason() const {
    return ask(handle_, "device", [&] { return std::string(kern_device_reason(get())); });
  }
  // Returns its numbers: memory, compute capability, threads.
  kern_device_info info() const {
    return ask(handle_, "device", [&] {
      kern_device_info info{};
      info.struct_size = sizeof info;
      kern_device_get_info(get(), &info);
      return info;
    });
  }
  bool operator==(const Device& other) const { return kern_device_same(get(), other.get()) != 0; }
  kern_device* get() const { return handle_.get(); }

private:
  template <class Function> static Device checked(Function&& function) {
    Status status;
    Device device = function(status);
    status.raise();
    return device;
  }
  static Device open(Status& status, kern_device_kind kind, unsigned ordinal, unsigned threads,
                     std::uint64_t memory_limit) {
    kern_device_options options{sizeof options, static_cast<std::uint32_t>(kind), ordinal, threads,
                                memory_limit};
    Device device;
    status.take(kern_device_open(&options, device.handle_.receive()));
    return device;
  }
  DeviceHandle handle_;
};

// A point in a stream's work. It may be dropped: nothing waits for it then.
class Event {
public:
  Event() = default;
  explicit Event(EventHandle handle) : handle_(std::move(handle)) {}
  // Waits for it; throws the first fault up to it that nobody has collected.
  void wait() const {
    Status status;
    wait(status);
    status.raise();
  }
  void wait(Status& status) const noexcept {
    if (handle_) status.take(kern_event_wait(handle_.get(), -1, nullptr));
  }
  // Waits at most so long; says whether it came.
  template <class Rep, class Period> bool wait_for(std::chrono::duration<Rep, Period> time) const {
    Status status;
    bool came = wait_for(status, time);
    status.raise();
    return came;
  }
  template <class Rep, class Period>
  bool wait_for(Status& status, std::chrono::duration<Rep, Period> time) const noexcept {
    int done = 1;
    double seconds = std::chrono::duration<double>(time).count();
    if (handle_) status.take(kern_event_wait(handle_.get(), seconds > 0 ? seconds : 0, &done));
    return done != 0;
  }
  // Returns the milliseconds from this event to another one, both of Stream::record on one device; waits for both, and
  // throws no faults of their work.
  double elapsed(const Event& end) const {
    Status status;
    const double milliseconds = elapsed(status, end);
    status.raise();
    return milliseconds;
  }
  double elapsed(Status& status, const Event& end) const noexcept {
    double milliseconds = 0;
    status.take(kern_event_elapsed(get(), end.get(), &milliseconds));
    return milliseconds;
  }
  kern_event* get() const { return handle_.get(); }

private:
  EventHandle handle_;
};

// Work in order. One thread at a time puts work on a stream.
class Stream {
public:
  Stream() = default; // is empty
  explicit Stream(const Device& device) {
    Status status;
    *this = Stream(status, device);
    status.raise();
  }
  Stream(Status& status, const Device& device) noexcept {
    status.take(kern_stream_create(device.get(), handle_.receive()));
  }
  // Returns the calling thread's own stream of the device.
  static Stream of_thread(const Device& device) {
    Status status;
    Stream stream = of_thread(status, device);
    status.raise();
    return stream;
  }
  static Stream of_thread(Status& status, const Device& device) noexcept {
    Stream stream;
    status.take(kern_stream_of_thread(device.get(), stream.handle_.receive()));
    return stream;
  }
  // Returns a stream around a CUstream (or cudaStream_t) of the device, which must stay until its work is
  // done.
  static Stream from_native(const Device& device, void* native) {
    Status status;
    Stream stream = from_native(status, device, native);
    status.raise();
    return stream;
  }
  static Stream from_native(Status& status, const Device& device, void* native) noexcept {
    Stream stream;
    status.take(kern_stream_wrap(device.get(), native, stream.handle_.receive()));
    return stream;
  }
  // Returns its number in the process, from 1: what errors call it by.
  std::uint64_t id() const {
    return ask(handle_, "stream", [&] { return kern_stream_id(get()); });
  }
  // Returns its CUstream; null on the CPU.
  void* native() const {
    return ask(handle_, "stream", [&] { return kern_stream_native(get()); });
  }
  // Waits for all that was put on it; throws the first fault that nobody has collected.
  void wait() const {
    Status status;
    wait(status);
    status.raise();
  }
  void wait(Status& status) const noexcept { status.take(kern_stream_wait(get())); }
  // Throws such a fault if it is there already; does not wait.
  void check() const {
    Status status;
    check(status);
    status.raise();
  }
  void check(Status& status) const noexcept { status.take(kern_stream_check(get())); }
  // Says what becomes of faults of launches that do not say it themselves.
  void on_fault(OnFault policy) const {
    Status status;
    on_fault(status, policy);
    status.raise();
  }
  void on_fault(Status& status, OnFault policy) const noexcept {
    if (check_made(status)) kern_stream_on_fault(get(), static_cast<kern_fault_policy>(policy));
  }
  // Hands over the reported faults of work that is done, oldest first, and forgets them; does not wait. Bad indices
  // of kernels that were compiled to go on are among them.
  std::vector<FaultReport> take_reports() const {
    Status status;
    std::vector<FaultReport> reports = take_reports(status);
    status.raise();
    return reports;
  }
  std::vector<FaultReport> take_reports(Status& status) const noexcept {
    std::vector<FaultReport> reports;
    kern_error* fault = nullptr;
    while (status.take(kern_stream_take_report(get(), &fault)) && fault) {
      Status told;
      told.take(fault);
      if (!Status::with_memory([&] { reports.push_back({told.fault(), told.message()}); })) {
        status.refuse_memory();
        break;
      }
    }
    return reports;
  }
  // Puts all that the stream is given from now on behind the event.
  void after(const Event& event) const {
    Status status;
    after(status, event);
    status.raise();
  }
  void after(Status& status, const Event& event) const noexcept {
    if (event.get()) status.take(kern_stream_after(get(), event.get()));
  }
  // Returns an event of all work so far that notes when it is done, for Event::elapsed.
  Event record() const {
    Status status;
    Event event = record(status);
    status.raise();
    return event;
  }
  Event record(Status& status) const noexcept {
    EventHandle event;
    status.take(kern_stream_record(get(), event.receive()));
    return Event(std::move(event));
  }
  // Ends the launches that it was given so far, of kernels that were compiled for it (`kernc --cancellable`): whoever waits
  // gets Cancelled. Any thread may call it; it does not wait. An ArgumentError where launches of other kernels run on.
  void cancel() const {
    Status status;
    cancel(status);
    status.raise();
  }
  void cancel(Status& status) const noexcept { status.take(kern_stream_cancel(get())); }
  // Calls a function on some thread when the work before it is done; what comes next waits for it. It uses no device; to
  // wait for what is on the stream is an error. What it throws is a DeviceError for whoever waits.
  Event call(std::function<void()> function) const {
    Status status;
    Event event = call(status, std::move(function));
    status.raise();
    return event;
  }
  Event call(Status& status, std::function<void()> function) const noexcept {
    EventHandle event;
    std::function<void()>* kept = nullptr;
    if (!Status::with_memory([&] { kept = new std::function<void()>(std::move(function)); })) {
      status.refuse_memory();
      return {};
    }
    auto run = [](void* context) {
      std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(context));
      (*own)();
    };
    if (!status.take(kern_stream_call(get(), run, kept, event.receive()))) delete kept;
    return Event(std::move(event));
  }
  Device device() const { return Device(DeviceHandle(kern_stream_device(get()))); }
  // Says where its kernels' prints go, instead of the standard output; null: there. The function waits for no work of the stream.
  void on_print(kern_print_function print, void* context) const {
    Status status;
    on_print(status, print, context);
    status.raise();
  }
  void on_print(Status& status, kern_print_function print, void* context) const noexcept {
    if (check_made(status)) kern_stream_on_print(get(), print, context);
  }
  kern_stream* get() const { return handle_.get(); }

private:
  bool check_made(Status& status) const noexcept {
    if (!get())
      status.refuse([&] {
        return std::string("the stream is empty: it was never made, could not be made, or was moved from");
      });
    return get() != nullptr;
  }
  StreamHandle handle_;
};

// Work that was captured once, and is launched as one piece. It holds the buffers of its work.
class Graph {
public:
  Graph() = default;
  explicit Graph(GraphHandle handle) : handle_(std::move(handle)) {}
  // Puts all of it on a stream of its device. Faults are collected as of any launch.
  Event launch(const Stream& stream) const {
    EventHandle event;
    raise(kern_graph_launch(handle_.get(), stream.get(), event.receive()));
    return Event(std::move(event));
  }
  Event launch(Status& status, const Stream& stream) const noexcept {
    EventHandle event;
    status.take(kern_graph_launch(handle_.get(), stream.get(), event.receive()));
    return Event(std::move(event));
  }

private:
  GraphHandle handle_;
};

// Ends a capture whatever happens.
class Capture {
public:
  explicit Capture(const Stream& stream) : stream_(stream) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    Status status;
    if (began_) end(status);
  }
  bool begin(Status& status) { return began_ = status.take(kern_capture_begin(stream_.get())); }
  Graph end(Status& status) {
    began_ = false;
    GraphHandle graph;
    status.take(kern_capture_end(stream_.get(), graph.receive()));
    return Graph(std::move(graph));
  }

private:
  const Stream& stream_;
  bool began_ = false;
};

// Keeps what `function` puts on the stream, which does not run: launches with .on(stream), asynchronous copies; and
// likewise on streams that join by stream.after(event), until the first stream waits for them.
template <class Function> inline Graph capture(const Stream& stream, Function&& function) {
  Status status;
  Capture running(stream);
  running.begin(status);
  status.raise();
  function();
  Graph graph = running.end(status);
  status.raise();
  return graph;
}
// Throws only what `function` throws; the capture ends then, too.
template <class Function> inline Graph capture(Status& status, const Stream& stream, Function&& function) {
  Capture running(stream);
  if (!running.begin(status)) return {};
  function();
  return running.end(status);
}

} // namespace kern::inline v1
