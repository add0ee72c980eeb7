// Defines the handles of the C interface: counted boxes round what the runtime uses. Each holds its device,
// and lets go of it last. guarded() turns what is thrown into a value.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <optional>

#include "runtime/api/device.h"
#include "runtime/api/written.h"

enum class HandleKind : std::uint32_t {
  None,
  Device = 0x6b726e01, // nothing that memory has by chance
  Stream,
  Event,
  Buffer,
  Module,
  Kernel,
  Prepared,
  Graph,
  Compilation,
  Formula,
  Error
};

// A handle says of what kind it is, so that one of another kind is an error, and mostly one that was released, which is freed
// memory: as long as nothing else lies there.
template <HandleKind Kind> struct Counted {
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { kind.store(HandleKind::None, std::memory_order_relaxed); }
  bool is_whole() const { return kind.load(std::memory_order_relaxed) == Kind; }
  std::atomic<unsigned> count{1};
  std::atomic<HandleKind> kind{Kind};
};
struct kern_device : Counted<HandleKind::Device> {
  std::shared_ptr<kern::runtime::Device> device;
  std::string reason;
};
struct kern_stream : Counted<HandleKind::Stream> {
  ~kern_stream();
  std::shared_ptr<kern::runtime::Device> device;
  std::shared_ptr<kern::runtime::Stream> stream;
};
struct kern_event : Counted<HandleKind::Event> {
  ~kern_event() {
    if (number > 0 && !point) stream->let_go(number);
  }
  // Mostly a launch makes one and its caller drops it: each thread keeps the memory of one.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory);
  std::shared_ptr<kern::runtime::Device> device;
  std::shared_ptr<kern::runtime::Stream> stream;
  std::uint64_t number = 0;
  std::shared_ptr<const kern::runtime::CapturePoint> point; // of work that was captured: it never comes
  std::shared_ptr<const kern::runtime::Clock> checked;      // of check.h
  std::shared_ptr<const kern::runtime::Timestamp> time;     // null where nobody asked for it
};
struct kern_buffer : Counted<HandleKind::Buffer> {
  std::shared_ptr<kern::runtime::Device> device;
  std::shared_ptr<kern::runtime::Memory> memory;
};
struct kern_module : Counted<HandleKind::Module> {
  std::shared_ptr<kern::runtime::Device> device;
  std::shared_ptr<const kern::runtime::Module> module;
  std::shared_ptr<kern::runtime::Written> written; // null where it was linked into the program
};
struct kern_kernel : Counted<HandleKind::Kernel> {
  std::shared_ptr<kern::runtime::Device> device;
  std::shared_ptr<const kern::runtime::Module> module;
  const kern::runtime::Plan* plan = nullptr;
};

struct kern_graph : Counted<HandleKind::Graph> {
  std::shared_ptr<kern::runtime::Device> device;
  std::shared_ptr<kern::runtime::Graph> graph;
};

namespace kern::runtime {

// Says whether a handle is there and what it is said to be.
template <class Handle> bool is_there(const Handle* handle) { return handle && handle->is_whole(); }
// Says in the log that a handle is none.
[[gnu::cold]] void warn_of_handle() noexcept;

template <class Handle> Handle* retain(Handle* handle) {
  if (!handle) return nullptr;
  if (!handle->is_whole()) [[unlikely]] {
    warn_of_handle();
    return nullptr;
  }
  handle->count.fetch_add(1, std::memory_order_relaxed);
  return handle;
}
template <class Handle> void release(Handle* handle) {
  if (!handle) return;
  if (!handle->is_whole()) [[unlikely]]
    return warn_of_handle();
  // The only holder of a handle needs no locked instruction.
  bool is_last = handle->count.load(std::memory_order_acquire) == 1 ||
                 handle->count.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (is_last) delete handle;
}

// Throw what a caller of the C interface left out.
[[noreturn, gnu::cold]] void refuse_empty(const char* what);
[[noreturn, gnu::cold]] void refuse_handle(const char* what);
[[noreturn, gnu::cold]] void refuse_null(const char* what);
[[noreturn, gnu::cold]] void refuse_struct(const char* what, std::uint32_t given, std::size_t size);

// Runs what may throw.
template <class Function> kern_error* guarded(Function&& function) noexcept {
  try {
    function();
    return nullptr;
  } catch (...) {
    return caught_error();
  }
}

// Returns what a handle stands for, or refuses one that is null: of something that was never made, could not be
// made, or was moved from; and one that is none.
template <class Handle> Handle& full(Handle* handle, const char* what) {
  if (!handle) [[unlikely]]
    refuse_empty(what);
  if (!handle->is_whole()) [[unlikely]]
    refuse_handle(what);
  return *handle;
}
// Returns where a result goes.
template <class T> T& place_of(T* place) {
  if (!place) [[unlikely]]
    refuse_null("a place for the result");
  return *place;
}

// Refuses a struct of options that is null, or too short to say anything.
template <class T>
void check_struct(const T* from, const char* what, std::size_t least = 2 * sizeof(std::uint32_t)) {
  if (!from) [[unlikely]]
    refuse_null(what);
  if (from->struct_size < least) [[unlikely]]
    refuse_struct(what, from->struct_size, sizeof(T));
}

// Copies as much of a struct as its writer knows; the rest is 0.
template <class T> T known_part(const T& from) {
  T known{};
  std::memcpy(&known, &from, std::min<std::size_t>(from.struct_size, sizeof known));
  return known;
}

// A struct that its writer may know less of: itself where it is all there, which costs nothing, else a copy.
template <class T> class Known {
public:
  explicit Known(const T& from)
      : all_(from.struct_size >= sizeof(T) ? &from : &copy_.emplace(known_part(from))) {}
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
  const T& operator*() const { return *all_; }

private:
  std::optional<T> copy_;
  const T* all_;
};

// Copies as much of a struct as its reader knows.
template <class T> void hand_out(T* to, T from) {
  if (!to) return;
  from.struct_size = std::min<std::uint32_t>(to->struct_size, sizeof from);
  std::memcpy(to, &from, from.struct_size);
}

// Throws where there are no options, or so few that they do not say over what a kernel runs.
inline void check_options(const kern_launch_options* options) {
  check_struct(options, "kern_launch_options", offsetof(kern_launch_options, block));
}
// Throws where a launch names a stream of another device.
void check_stream(const kern_kernel& kernel, const kern_launch_options& options);
// Says whether faults of a launch on a stream are reported instead of thrown.
bool reports_faults(const kern_launch_options& options, const Stream& stream);
// Returns the stream of a launch: the one that it names, else the calling thread's own.
inline const std::shared_ptr<Stream>& launch_stream(const kern_kernel& kernel,
                                                    const kern_launch_options& options) {
  return options.stream ? options.stream->stream : kernel.device->stream_of_thread();
}

// Returns a handle of it; null where there is no memory for one.
kern_device* make_device(std::shared_ptr<Device> device) noexcept;

// An event that somebody may have asked for. It is made before the work: behind it, locked instructions wait
// until the device has heard of the work.
class NewEvent {
public:
  NewEvent(kern_event** wanted, const std::shared_ptr<Device>& device, const std::shared_ptr<Stream>& stream);
  // Hands it out, for the work of that number.
  void hand_out(std::uint64_t number, std::shared_ptr<const Timestamp> time = {});

private:
  kern_event** wanted_;
  std::unique_ptr<kern_event> event_;
};

} // namespace kern::runtime
