// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays: buffers that own device memory, and host memory that a launch copies.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "kern/view.hpp"

namespace kern::inline v1 {

template <class T, std::size_t Rank = 1> class HostBuffer;

// Computes the bytes of an array; extents that no array can have are an error.
template <class T, std::size_t Rank>
inline bool count_bytes(Status& status, const Extents<Rank>& extents, std::uint64_t& bytes) {
  const bool is_possible = are_possible(extents, sizeof(T));
  if (!is_possible)
    status.refuse([&] {
      return "no array has the extents " + text_of(extents, " x ") + ", of elements of " +
             std::to_string(sizeof(T)) + " bytes: they are negative or too large";
    });
  bytes = is_possible ? static_cast<std::uint64_t>(count(extents)) * sizeof(T) : 0;
  return is_possible;
}

// Owns memory of a device for elements that lie side by side, the last axis fastest. A copy of a Buffer is
// the same memory; it goes back when nobody, and no work under way, holds it. Not cleared: see zeros().
template <class T, std::size_t Rank = 1> class Buffer {
public:
  Buffer() = default; // is empty
  Buffer(const Device& device, const Extents<Rank>& extents) {
    Status status;
    *this = Buffer(status, device, extents);
    status.raise();
  }
  Buffer(const Device& device, std::int64_t size)
    requires(Rank == 1)
      : Buffer(device, Extents<1>{size}) {}
  Buffer(Status& status, const Device& device, const Extents<Rank>& extents) noexcept {
    std::uint64_t bytes = 0;
    if (count_bytes<T>(status, extents, bytes) &&
        status.take(kern_buffer_create(device.get(), bytes, handle_.receive())))
      extents_ = extents;
  }

  // Returns a buffer of memory of the device that somebody else made; `release` is called once, on any
  // thread, when neither a copy of the buffer nor work under way holds it.
  static Buffer adopt(const Device& device, T* data, const Extents<Rank>& extents,
                      std::function<void()> release = {}) {
    return started_buffer([&](Status& status) { return adopt(status, device, data, extents, release); });
  }
  static Buffer adopt(Status& status, const Device& device, T* data, const Extents<Rank>& extents,
                      std::function<void()> release = {}) noexcept {
    std::uint64_t bytes = 0;
    BufferHandle handle;
    if (!count_bytes<T>(status, extents, bytes)) return {};
    std::function<void()>* context = nullptr;
    if (!Status::with_memory([&] { context = new std::function<void()>(std::move(release)); })) {
      status.refuse_memory();
      return {};
    }
    auto call = [](void* function) {
      auto* release_function = static_cast<std::function<void()>*>(function);
      if (*release_function) (*release_function)();
      delete release_function;
    };
    // After an error the memory stays with the caller.
    if (!status.take(kern_buffer_wrap(device.get(), data, bytes, call, context, handle.receive()))) {
      delete context;
      return {};
    }
    return {std::move(handle), extents};
  }

  const Extents<Rank>& extents() const { return extents_.value; }
  std::int64_t extent(std::size_t axis) const { return extents()[axis]; }
  std::int64_t size() const { return count(extents()); }
  // Returns the first element's address, on the device.
  T* data() const { return static_cast<T*>(kern_buffer_data(handle_.get())); }
  Device device() const { return Device(DeviceHandle(kern_buffer_device(handle_.get()))); }
  const BufferHandle& handle() const { return handle_; }

  View<T, Rank> view() {
    if (!handle_) return View<T, Rank>::none();
    return {handle_, data(), extents(), packed_strides(extents())};
  }
  View<const T, Rank> view() const { return Buffer(*this).view(); }
  // Returns a part with extents and strides of its own, in elements, from element `offset` of memory on; an
  // ArgumentError where it does not lie in the buffer.
  template <std::size_t Axes>
  View<T, Axes> view(std::int64_t offset, const Extents<Axes>& part, const Extents<Axes>& strides) {
    return throwing([&](Status& status) { return view(status, offset, part, strides); });
  }
  template <std::size_t Axes> View<T, Axes> view(Status& status, std::int64_t offset,
                                                 const Extents<Axes>& part, const Extents<Axes>& strides) {
    if (!check_made(status) || !check_part(status, size(), offset, part, strides, sizeof(T)))
      return View<T, Axes>::none();
    return {handle_, data() + offset, part, strides};
  }
  template <std::size_t Axes> View<const T, Axes> view(std::int64_t offset, const Extents<Axes>& part,
                                                       const Extents<Axes>& strides) const {
    return Buffer(*this).view(offset, part, strides);
  }
  template <std::size_t Axes> View<const T, Axes>
  view(Status& status, std::int64_t offset, const Extents<Axes>& part, const Extents<Axes>& strides) const {
    return Buffer(*this).view(status, offset, part, strides);
  }
  // Returns the same elements with other extents; an ArgumentError where these are more or fewer.
  template <std::size_t Axes> View<T, Axes> reshape(const Extents<Axes>& other) {
    return throwing([&](Status& status) { return reshape(status, other); });
  }
  template <std::size_t Axes> View<T, Axes> reshape(Status& status, const Extents<Axes>& other) {
    std::uint64_t bytes = 0;
    if (!check_made(status) || !count_bytes<T>(status, other, bytes)) return View<T, Axes>::none();
    if (count(other) == size()) return {handle_, data(), other, packed_strides(other)};
    status.refuse([&] {
      return "a buffer of " + std::to_string(size()) + " elements cannot have the extents " +
             text_of(other, " x ");
    });
    return View<T, Axes>::none();
  }
  template <std::size_t Axes> View<const T, Axes> reshape(const Extents<Axes>& other) const {
    return Buffer(*this).reshape(other);
  }
  operator View<T, Rank>() { return view(); }
  operator View<const T, Rank>() const { return view(); }

  // Copies from host memory with as many elements; returns when it may be changed again. Comes behind all work on
  // the buffer that any stream was given before; with a stream, behind that of the stream only.
  void copy_from(std::span<const T> host) {
    throwing([&](Status& status) { copy_from(status, host); });
  }
  void copy_from(Status& status, std::span<const T> host) noexcept {
    wait(status, [&](StreamHandle& stream) { return start_write(status, host, stream); });
  }
  void copy_from(std::span<const T> host, const Stream& stream) {
    throwing([&](Status& status) { copy_from(status, host, stream); });
  }
  void copy_from(Status& status, std::span<const T> host, const Stream& stream) noexcept {
    start_write(status, host, stream.get()).wait(status);
  }
  // Copies to host memory with as many elements; returns when they are there. In the same order.
  void copy_to(std::span<T> host) const {
    throwing([&](Status& status) { copy_to(status, host); });
  }
  void copy_to(Status& status, std::span<T> host) const noexcept {
    wait(status, [&](StreamHandle& stream) { return start_read(status, host, stream); });
  }
  void copy_to(std::span<T> host, const Stream& stream) const {
    throwing([&](Status& status) { copy_to(status, host, stream); });
  }
  void copy_to(Status& status, std::span<T> host, const Stream& stream) const noexcept {
    start_read(status, host, stream.get()).wait(status);
  }
  // The same on a stream without waiting; the host's memory must stay until the event.
  Event copy_from_async(std::span<const T> host, const Stream& stream) {
    return started([&](Status& status) { return copy_from_async(status, host, stream); });
  }
  Event copy_from_async(Status& status, std::span<const T> host, const Stream& stream) noexcept {
    return start_write(status, host, stream.get());
  }
  Event copy_to_async(std::span<T> host, const Stream& stream) const {
    return started([&](Status& status) { return copy_to_async(status, host, stream); });
  }
  Event copy_to_async(Status& status, std::span<T> host, const Stream& stream) const noexcept {
    return start_read(status, host, stream.get());
  }
  // Likewise from and to memory that the runtime made: it stays by itself until the copy is done.
  Event copy_from_async(const HostBuffer<T, Rank>& host, const Stream& stream) {
    return started([&](Status& status) { return copy_from_async(status, host, stream); });
  }
  Event copy_from_async(Status& status, const HostBuffer<T, Rank>& host, const Stream& stream) noexcept {
    return start_copy(status, handle_, host.handle(), static_cast<std::int64_t>(host.size()), stream.get());
  }
  Event copy_to_async(HostBuffer<T, Rank>& host, const Stream& stream) const {
    return started([&](Status& status) { return copy_to_async(status, host, stream); });
  }
  Event copy_to_async(Status& status, HostBuffer<T, Rank>& host, const Stream& stream) const noexcept {
    return start_copy(status, host.handle(), handle_, static_cast<std::int64_t>(host.size()), stream.get());
  }
  Event copy_from_async(const Buffer& other, const Stream& stream) {
    return started([&](Status& status) { return copy_from_async(status, other, stream); });
  }
  Event copy_from_async(Status& status, const Buffer& other, const Stream& stream) noexcept {
    return start_copy(status, handle_, other.handle_, other.size(), stream.get());
  }

  // Gives every element a value, behind all work on the buffer that any stream was given before; with a stream, on
  // that one. Whatever uses the buffer next, on any stream, comes behind it.
  Event fill(const T& value) {
    return started([&](Status& status) { return fill(status, value); });
  }
  Event fill(Status& status, const T& value) noexcept {
    StreamHandle stream;
    if (!own_stream(status, stream)) return {};
    return start_fill(status, value, stream.get());
  }
  Event fill(const T& value, const Stream& stream) {
    return started([&](Status& status) { return fill(status, value, stream); });
  }
  Event fill(Status& status, const T& value, const Stream& stream) noexcept {
    return start_fill(status, value, stream.get());
  }
  // Waits, and returns one element; of an error T().
  template <class... Indices>
    requires(std::is_convertible_v<Indices, std::int64_t> && ...)
  T read(Indices... indices) const {
    return throwing([&](Status& status) { return read(status, indices...); });
  }
  template <class... Indices> T read(Status& status, Indices... indices) const noexcept {
    static_assert(sizeof...(Indices) == Rank, "an index for each axis");
    const Extents<Rank> at = {static_cast<std::int64_t>(indices)...}, strides = packed_strides(extents());
    std::int64_t offset = 0;
    T value{};
    if (!check_made(status)) return value;
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      if (at[axis] >= 0 && at[axis] < extents()[axis]) {
        offset += at[axis] * strides[axis];
        continue;
      }
      status.refuse([&] {
        return "index " + std::to_string(at[axis]) + " along axis " + std::to_string(axis) +
               " is none of a buffer with the extents " + text_of(extents(), " x ");
      });
      return value;
    }
    wait(status, [&](StreamHandle& stream) {
      EventHandle event;
      status.take(kern_buffer_read(handle_.get(), static_cast<std::uint64_t>(offset) * sizeof(T), &value,
                                   sizeof(T), stream.get(), event.receive()));
      return Event(std::move(event));
    });
    return value;
  }

private:
  static auto throwing(auto&& function) {
    Status status;
    if constexpr (std::is_void_v<decltype(function(status))>) {
      function(status);
      status.raise();
    } else {
      auto result = function(status);
      status.raise();
      return result;
    }
  }
  static Buffer started_buffer(auto&& function) {
    Status status;
    Buffer buffer = function(status);
    status.raise();
    return buffer;
  }
  static Event started(auto&& function) {
    Status status;
    Event event = function(status);
    status.raise();
    return event;
  }
  static void refuse_empty(Status& status) {
    status.refuse([] {
      return std::string("the buffer is empty: it was never made, could not be made, or was moved from");
    });
  }
  bool check_made(Status& status) const {
    if (!handle_) refuse_empty(status);
    return bool(handle_);
  }
  // Gets the calling thread's own stream, and puts it behind all work on the buffer.
  bool own_stream(Status& status, StreamHandle& stream) const {
    return check_made(status) && status.take(kern_stream_of_buffer(handle_.get(), stream.receive())) &&
           status.take(kern_stream_after_uses(stream.get(), handle_.get()));
  }
  void wait(Status& status, auto&& start) const {
    StreamHandle stream;
    if (!own_stream(status, stream)) return;
    start(stream).wait(status); // of an error it is empty
  }
  Event start_write(Status& status, std::span<const T> host, const auto& stream) const {
    EventHandle event;
    if (check_made(status) && check_size(status, host.size()))
      status.take(
          kern_buffer_write(handle_.get(), 0, host.data(), host.size_bytes(), get(stream), event.receive()));
    return Event(std::move(event));
  }
  Event start_read(Status& status, std::span<T> host, const auto& stream) const {
    EventHandle event;
    if (check_made(status) && check_size(status, host.size()))
      status.take(
          kern_buffer_read(handle_.get(), 0, host.data(), host.size_bytes(), get(stream), event.receive()));
    return Event(std::move(event));
  }
  Event start_fill(Status& status, const T& value, kern_stream* stream) const {
    EventHandle event;
    status.take(kern_buffer_fill(handle_.get(), 0, static_cast<std::uint64_t>(size()), &value, sizeof(T),
                                 stream, event.receive()));
    return Event(std::move(event));
  }
  static kern_stream* get(const StreamHandle& stream) { return stream.get(); }
  static kern_stream* get(kern_stream* stream) { return stream; }
  bool check_size(Status& status, std::size_t elements) const {
    if (elements == static_cast<std::size_t>(size())) return true;
    status.refuse([&] {
      return "the host has " + std::to_string(elements) + " elements, and the buffer " +
             std::to_string(size());
    });
    return false;
  }
  Event start_copy(Status& status, const BufferHandle& to, const BufferHandle& from, std::int64_t elements,
                   kern_stream* stream) const {
    EventHandle event;
    if (!to || !from)
      refuse_empty(status);
    else if (check_size(status, static_cast<std::size_t>(elements)))
      status.take(kern_buffer_copy(to.get(), 0, from.get(), 0, static_cast<std::uint64_t>(size()) * sizeof(T),
                                   stream, event.receive()));
    return Event(std::move(event));
  }
  Buffer(BufferHandle handle, const Extents<Rank>& extents) : handle_(std::move(handle)), extents_(extents) {}

  BufferHandle handle_;
  Taken<Extents<Rank>> extents_;
};

// Makes a buffer of zeros: kern::zeros<float>(device, rows, columns).
template <class T, class... Sizes>
inline Buffer<T, sizeof...(Sizes)> zeros(const Device& device, Sizes... sizes) {
  Buffer<T, sizeof...(Sizes)> buffer(device, extents(sizes...));
  buffer.fill(T{});
  return buffer;
}
template <class T, class... Sizes>
Buffer<T, sizeof...(Sizes)> zeros(Status& status, const Device& device, Sizes... sizes) noexcept {
  Buffer<T, sizeof...(Sizes)> buffer(status, device, extents(sizes...));
  if (buffer.handle()) buffer.fill(status, T{});
  return buffer;
}

// Makes a buffer with a copy of host memory.
template <class T> inline Buffer<T> copy_of(const Device& device, std::span<const T> host) {
  Buffer<T> buffer(device, static_cast<std::int64_t>(host.size()));
  buffer.copy_from(host);
  return buffer;
}
template <class T> Buffer<T> copy_of(Status& status, const Device& device, std::span<const T> host) noexcept {
  Buffer<T> buffer(status, device, extents(host.size()));
  if (buffer.handle()) buffer.copy_from(status, host);
  return buffer;
}

// Host memory that a launch copies to the device, back, or both; made by in(), out() and inout().
template <class T, std::size_t Rank, kern_argument_kind Kind> struct Staged {
  T* data;
  Extents<Rank> extents;
};

template <class Range> using Element = std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>;

// Copies host memory in: a contiguous range, or one with extents.
template <class Range> inline Staged<const Element<const Range>, 1, KERN_HOST_IN> in(const Range& host) {
  return {std::data(host), {static_cast<std::int64_t>(std::size(host))}};
}
template <class T, std::size_t Rank>
inline Staged<const T, Rank, KERN_HOST_IN> in(const T* host, const Extents<Rank>& extents) {
  return {host, extents};
}
// Copies it back after the launch; elements that the kernel does not write become 0.
template <class Range> inline Staged<Element<Range>, 1, KERN_HOST_OUT> out(Range&& host) {
  return {std::data(host), {static_cast<std::int64_t>(std::size(host))}};
}
template <class T, std::size_t Rank>
inline Staged<T, Rank, KERN_HOST_OUT> out(T* host, const Extents<Rank>& extents) {
  return {host, extents};
}
// Copies it in and back.
template <class Range> inline Staged<Element<Range>, 1, KERN_HOST_INOUT> inout(Range&& host) {
  return {std::data(host), {static_cast<std::int64_t>(std::size(host))}};
}
template <class T, std::size_t Rank>
inline Staged<T, Rank, KERN_HOST_INOUT> inout(T* host, const Extents<Rank>& extents) {
  return {host, extents};
}

// An argument for an array of a kernel: T is const where the kernel only reads. Made for a call, it lives no
// longer than what it is made of.
template <class T, std::size_t Rank> class Argument {
public:
  using Value = std::remove_const_t<T>;
  Argument(const View<T, Rank>& view) { set(view); }
  Argument(const View<Value, Rank>& view)
    requires(std::is_const_v<T>)
  {
    set(view);
  }
  Argument(const Buffer<Value, Rank>& buffer)
    requires(std::is_const_v<T>)
  {
    set(buffer);
  }
  Argument(Buffer<Value, Rank>& buffer) { set(buffer); }
  template <kern_argument_kind Kind>
    requires(Kind != KERN_HOST_IN)
  Argument(const Staged<Value, Rank, Kind>& staged) {
    set(Kind, staged.data, staged.extents, packed_strides(staged.extents), nullptr);
  }
  Argument(const Staged<const Value, Rank, KERN_HOST_IN>& staged)
    requires(std::is_const_v<T>)
  {
    set(KERN_HOST_IN, staged.data, staged.extents, packed_strides(staged.extents), nullptr);
  }
  // Host memory is given with what becomes of it: in(x), out(x) or inout(x).
  template <class Range>
    requires requires(const Range& range) {
      std::data(range);
      requires !requires { range.extents(); };
    }
  Argument(const Range& write_in_or_out_or_inout_around_host_memory) = delete;
  Argument(const Buffer<Value, Rank>& what_the_kernel_writes_cannot_be_const)
    requires(!std::is_const_v<T>)
  = delete;
  Argument(Buffer<Value, Rank>&& what_the_kernel_writes_would_be_lost_with_a_temporary)
    requires(!std::is_const_v<T>)
  = delete;
  const kern_argument& get() const { return argument_; }
  // Copies it, less the axes that it does not have.
  void put(kern_argument& to) const {
    to.kind = argument_.kind;
    to.type = argument_.type;
    to.rank = argument_.rank;
    to.writable = argument_.writable;
    to.scalar[0] = to.scalar[1] = 0;
    to.data = argument_.data;
    to.buffer = argument_.buffer;
    for (std::size_t axis = 0; axis < Rank + is_record<Value>; ++axis) {
      to.extents[axis] = argument_.extents[axis];
      to.strides[axis] = argument_.strides[axis];
    }
  }

private:
  void set(const auto& view)
    requires requires { view.is_empty(); }
  {
    set(view.is_empty() ? KERN_EMPTY : KERN_ARRAY, view.data(), view.extents(), view.strides(),
        view.buffer().get());
  }
  void set(const Buffer<Value, Rank>& buffer) {
    set(buffer.handle() ? KERN_ARRAY : KERN_EMPTY, buffer.data(), buffer.extents(),
        packed_strides(buffer.extents()), buffer.handle().get());
  }
  void set(kern_argument_kind kind, const Value* data, const Extents<Rank>& extents,
           const Extents<Rank>& strides, kern_buffer* buffer) {
    argument_.kind = kind;
    argument_.type = element_of<Value>;
    argument_.rank = Rank + is_record<Value>;
    argument_.writable = !std::is_const_v<T>;
    argument_.scalar[0] = argument_.scalar[1] = 0;
    argument_.data = const_cast<Value*>(data);
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      argument_.extents[axis] = extents[axis];
      argument_.strides[axis] = strides[axis];
      if constexpr (is_record<Value>) argument_.strides[axis] *= RecordOf<Value>::words;
    }
    if constexpr (is_record<Value>) {
      static_assert(Rank < 8, "an array of records has at most 7 axes");
      argument_.extents[Rank] = RecordOf<Value>::words;
      argument_.strides[Rank] = 1;
    }
    argument_.buffer = buffer;
  }
  kern_argument argument_; // extents and strides beyond the rank mean nothing
};

} // namespace kern::inline v1
