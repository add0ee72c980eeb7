// The C interface: memory.
#include <algorithm>
#include <bit>
#include <thread>

#include "runtime/api/capture.h"
#include "runtime/api/check.h"
#include "runtime/api/handles.h"
#include "runtime/api/order.h"

using namespace kern::runtime;

static kern_buffer* make_buffer(const kern_device* device, std::shared_ptr<Memory> memory) {
  auto* buffer = new kern_buffer;
  buffer->device = device->device;
  buffer->memory = std::move(memory);
  return buffer;
}

kern_error* kern_buffer_create(kern_device* device, std::uint64_t bytes, kern_buffer** buffer) {
  return guarded([&] {
    // The place is looked at first: what is made before would be lost.
    auto& place = place_of(buffer);
    place = make_buffer(device, full(device, "device").device->allocate(bytes));
  });
}

kern_error* kern_host_buffer_create(kern_device* device, std::uint64_t bytes, std::uint32_t flags,
                                    kern_buffer** buffer) {
  return guarded([&] {
    constexpr std::uint32_t known = KERN_HOST_PORTABLE | KERN_HOST_MAPPED | KERN_HOST_WRITE_COMBINED;
    if (flags & ~known) fail(KERN_ARGUMENT_ERROR, "there is no such kind of host memory");
    auto& place = place_of(buffer);
    place = make_buffer(device, full(device, "device").device->allocate_host(bytes, flags));
  });
}

kern_error* kern_buffer_wrap(kern_device* device, void* data, std::uint64_t bytes,
                             void (*release)(void* context), void* context, kern_buffer** buffer) {
  return guarded([&] {
    full(device, "device");
    kern_buffer*& result = place_of(buffer);
    if (!data && bytes > 0) fail(KERN_ARGUMENT_ERROR, "there is no memory to wrap: its address is null");
    result = make_buffer(device, device->device->wrap(data, bytes, [=] {
      if (release) release(context);
    }));
  });
}

// One thread alone is slower than the bus.
void kern_host_copy(void* to, const void* from, std::uint64_t bytes) {
  if (!to || !from) return;
  constexpr std::uint64_t least = 4 << 20;
  constexpr unsigned most_threads = 8;
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  auto parts = std::min<std::uint64_t>({bytes / least + 1, most_threads, cores});
  std::vector<std::jthread> others;
  std::uint64_t begin = 0;
  try {
    others.reserve(parts);
    for (; begin < bytes / parts * (parts - 1); begin += bytes / parts)
      others.emplace_back([=] {
        std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, bytes / parts);
      });
  } catch (...) {
    // There is no other thread: this one does what is left.
  }
  if (bytes > begin)
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, bytes - begin);
}

void* kern_buffer_host_data(const kern_buffer* buffer) {
  return is_there(buffer) ? buffer->memory->host : nullptr;
}

void* kern_buffer_data(const kern_buffer* buffer) {
  return is_there(buffer) ? buffer->memory->data : nullptr;
}
std::uint64_t kern_buffer_bytes(const kern_buffer* buffer) {
  return is_there(buffer) ? buffer->memory->bytes : 0;
}

kern_device* kern_buffer_device(const kern_buffer* buffer) {
  return is_there(buffer) ? make_device(buffer->device) : nullptr;
}

static void check_range(const kern_buffer* buffer, std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t size = full(buffer, "buffer").memory->bytes;
  if (offset > size || bytes > size - offset)
    fail(KERN_ARGUMENT_ERROR, "a copy of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                  " goes beyond the buffer's " + std::to_string(size));
}

// The driver copies a place onto itself in any order.
static void check_apart(const kern_buffer* to, std::uint64_t to_offset, const kern_buffer* from,
                        std::uint64_t from_offset, std::uint64_t bytes) {
  auto start_of = [](const Memory& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.data ? memory.data : memory.host);
  };
  const std::uintptr_t target = start_of(*to->memory) + to_offset;
  const std::uintptr_t source = start_of(*from->memory) + from_offset;
  if (target < source + bytes && source < target + bytes)
    fail(KERN_ARGUMENT_ERROR, "a copy of " + std::to_string(bytes) + " bytes from " +
                                  std::to_string(from_offset) + " to " + std::to_string(to_offset) +
                                  " is onto itself: the two places share memory");
}

// Plain copies and fills are of memory that the device sees.
static void check_device(const kern_buffer* buffer) {
  full(buffer, "buffer");
  if (!buffer->memory->data && buffer->memory->host)
    fail(KERN_ARGUMENT_ERROR, "this is memory of the host that is not mapped: use its own address, or copy "
                              "between buffers");
}

static Stream& stream_for(const kern_buffer* buffer, const kern_stream* stream) {
  if (full(stream, "stream").device != buffer->device)
    fail(KERN_ARGUMENT_ERROR, "the buffer lies on " + buffer->device->name() + ", and the stream is one of " +
                                  stream->device->name());
  check_beside_capture(*stream->stream);
  return *stream->stream;
}

static NewEvent event_on(const kern_stream* stream, kern_event** event) {
  return {event, stream->device, stream->stream};
}

kern_error* kern_stream_after_uses(kern_stream* stream, const kern_buffer* buffer) {
  return guarded([&] {
    const Memory& memory = *full(buffer, "buffer").memory;
    order_behind_uses(stream_for(buffer, stream), memory);
  });
}

kern_error* kern_buffer_write(kern_buffer* to, std::uint64_t offset, const void* from, std::uint64_t bytes,
                              kern_stream* stream, kern_event** event) {
  return guarded([&] {
    check_device(to);
    check_range(to, offset, bytes);
    if (!from && bytes > 0) refuse_null("the host memory to copy from");
    Stream& on = stream_for(to, stream);
    NewEvent made = event_on(stream, event);
    order_behind_fill(on, *to->memory);
    if (checks_streams()) CheckedWork(on, "a copy from the host").use(*to->memory, offset, bytes, true);
    made.hand_out(bytes > 0 ? on.write(to->memory, offset, from, bytes) : on.last());
  });
}

kern_error* kern_buffer_read(const kern_buffer* from, std::uint64_t offset, void* to, std::uint64_t bytes,
                             kern_stream* stream, kern_event** event) {
  return guarded([&] {
    check_device(from);
    check_range(from, offset, bytes);
    if (!to && bytes > 0) refuse_null("the host memory to copy to");
    Stream& on = stream_for(from, stream);
    NewEvent made = event_on(stream, event);
    order_behind_fill(on, *from->memory);
    if (checks_streams()) CheckedWork(on, "a copy to the host").use(*from->memory, offset, bytes, false);
    made.hand_out(bytes > 0 ? on.read(from->memory, offset, to, bytes) : on.last());
  });
}

kern_error* kern_buffer_copy(kern_buffer* to, std::uint64_t to_offset, const kern_buffer* from,
                             std::uint64_t from_offset, std::uint64_t bytes, kern_stream* stream,
                             kern_event** event) {
  return guarded([&] {
    check_range(to, to_offset, bytes);
    check_range(from, from_offset, bytes);
    check_apart(to, to_offset, from, from_offset, bytes);
    stream_for(from, stream);
    Stream& on = stream_for(to, stream);
    NewEvent made = event_on(stream, event);
    order_behind_fill(on, *to->memory);
    order_behind_fill(on, *from->memory);
    if (checks_streams()) {
      CheckedWork work(on, "a copy");
      work.use(*from->memory, from_offset, bytes, false);
      work.use(*to->memory, to_offset, bytes, true);
    }
    std::uint64_t number =
        bytes > 0 ? on.copy(to->memory, to_offset, from->memory, from_offset, bytes) : on.last();
    made.hand_out(number);
  });
}

// Fills memory with a pattern that devices do not fill in: copies it from the host, many at once; returns the number of the work.
static std::uint64_t fill_by_copies(Stream& on, Device& device, const std::shared_ptr<Memory>& to,
                                    std::uint64_t offset, std::uint64_t count,
                                    std::span<const char> pattern) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  const std::uint64_t at_once = std::min(count, std::max<std::uint64_t>(most_bytes / pattern.size(), 1));
  std::shared_ptr<Memory> from = device.allocate_host(at_once * pattern.size(), 0);
  for (std::uint64_t i = 0; i < at_once; ++i)
    std::memcpy(static_cast<char*>(from->host) + i * pattern.size(), pattern.data(), pattern.size());
  std::uint64_t number = 0;
  for (std::uint64_t done = 0; done < count; done += at_once)
    number = on.copy(to, offset + done * pattern.size(), from, 0,
                     std::min(at_once, count - done) * pattern.size());
  return number;
}

static std::uint64_t put_fill(Stream& on, Device& device, const std::shared_ptr<Memory>& to,
                              std::uint64_t offset, std::uint64_t count, std::span<const char> pattern) {
  constexpr std::size_t widest = 16;
  if (std::has_single_bit(pattern.size()) && pattern.size() <= widest)
    return on.fill(to, offset, count, pattern);
  const bool is_even = std::ranges::all_of(pattern, [&](char each) { return each == pattern[0]; });
  if (is_even) return on.fill(to, offset, count * pattern.size(), pattern.first(1));
  return fill_by_copies(on, device, to, offset, count, pattern);
}

kern_error* kern_buffer_fill(kern_buffer* to, std::uint64_t offset, std::uint64_t count, const void* pattern,
                             std::uint32_t pattern_bytes, kern_stream* stream, kern_event** event) {
  return guarded([&] {
    if (pattern_bytes == 0) fail(KERN_ARGUMENT_ERROR, "a pattern has 1 byte or more, and this one has 0");
    if (!pattern) refuse_null("the pattern");
    if (count > UINT64_MAX / pattern_bytes)
      fail(KERN_ARGUMENT_ERROR, std::to_string(count) + " patterns of " + std::to_string(pattern_bytes) +
                                    " bytes are more than any buffer has");
    check_device(to);
    check_range(to, offset, count * pattern_bytes);
    Stream& on = stream_for(to, stream);
    NewEvent made = event_on(stream, event);
    order_behind_fill(on, *to->memory);
    std::span<const char> bytes(static_cast<const char*>(pattern), pattern_bytes);
    if (count > 0 && checks_streams()) {
      CheckedWork work(on, "a fill");
      work.use(*to->memory, offset, count * pattern_bytes, true);
      work.fills(*to->memory);
    }
    std::uint64_t number =
        count > 0 ? put_fill(on, *to->device, to->memory, offset, count, bytes) : on.last();
    if (count > 0) note_fill(on, *to->memory, number);
    made.hand_out(number);
  });
}
