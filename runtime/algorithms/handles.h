// Handles of the C interface that the library's host side holds, and what a launch of it runs on.
#pragma once

#include <memory>
#include <span>

#include "kern/runtime.h"

namespace kern::algorithms {

template <class T, void (*Release)(T*)> struct Releaser {
  void operator()(T* handle) const { Release(handle); }
};
using DeviceOwner = std::unique_ptr<kern_device, Releaser<kern_device, kern_device_release>>;
using StreamOwner = std::unique_ptr<kern_stream, Releaser<kern_stream, kern_stream_release>>;
using BufferOwner = std::unique_ptr<kern_buffer, Releaser<kern_buffer, kern_buffer_release>>;
using KernelOwner = std::unique_ptr<kern_kernel, Releaser<kern_kernel, kern_kernel_release>>;
using ModuleOwner = std::unique_ptr<kern_module, Releaser<kern_module, kern_module_release>>;

// Throws what an error of the C interface says.
void raise(kern_error* error);

// Returns the device of a launch: that of its stream, else that of the first array that lies on one, else the best one.
DeviceOwner device_of(const kern_launch_options& options, std::span<const kern_argument> arguments);
// Returns the stream of a launch, by default the calling thread's own.
StreamOwner stream_of(const kern_launch_options& options, kern_device* device);
// Makes a buffer of so many elements of a type.
BufferOwner make_buffer(kern_device* device, std::int64_t elements, std::uint32_t type);
// Returns an array as one that begins where the buffer does.
kern_argument in_buffer(kern_argument array, kern_buffer* buffer);
// Copies options as far as their struct goes; null: none.
kern_launch_options whole_options(const kern_launch_options* options);

} // namespace kern::algorithms
