#include "runtime/algorithms/handles.h"

#include <algorithm>
#include <cstring>

#include "runtime/api/error.h"
#include "runtime/plans/arrays.h"

namespace kern::algorithms {

void raise(kern_error* error) {
  if (error) runtime::fail(runtime::take_error(error));
}

static DeviceOwner owned(kern_device* device) {
  if (!device) runtime::fail(KERN_OUT_OF_MEMORY, "there is no memory for a handle of the device");
  return DeviceOwner(device);
}

DeviceOwner device_of(const kern_launch_options& options, std::span<const kern_argument> arguments) {
  if (options.stream) return owned(kern_stream_device(options.stream));
  const auto first =
      std::ranges::find_if(arguments, [](const kern_argument& each) { return each.buffer != nullptr; });
  if (first != arguments.end()) return owned(kern_buffer_device(first->buffer));
  const kern_device_options best{sizeof best, KERN_DEVICE_BEST, 0, 0, 0};
  kern_device* device = nullptr;
  raise(kern_device_open(&best, &device));
  return owned(device);
}

StreamOwner stream_of(const kern_launch_options& options, kern_device* device) {
  if (options.stream) return StreamOwner(kern_stream_retain(options.stream));
  kern_stream* stream = nullptr;
  raise(kern_stream_of_thread(device, &stream));
  return StreamOwner(stream);
}

BufferOwner make_buffer(kern_device* device, std::int64_t elements, std::uint32_t type) {
  kern_buffer* buffer = nullptr;
  raise(kern_buffer_create(device, static_cast<std::uint64_t>(elements * bytes_of(type)), &buffer));
  return BufferOwner(buffer);
}

kern_argument in_buffer(kern_argument array, kern_buffer* buffer) {
  array.data = kern_buffer_data(buffer);
  array.buffer = buffer;
  return array;
}

kern_launch_options whole_options(const kern_launch_options* options) {
  kern_launch_options whole{};
  if (options) std::memcpy(&whole, options, std::min<std::size_t>(options->struct_size, sizeof whole));
  whole.struct_size = sizeof whole;
  return whole;
}

} // namespace kern::algorithms
