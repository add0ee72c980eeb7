// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory that a device copies from and to at full speed and without a stop: pinned. On the CPU it is
// plain memory, so that a program means the same there.
#pragma once

#include "kern/array.hpp"

namespace kern::inline v1 {

struct HostOptions {
  bool portable = false;       // pinned for every CUDA device of the process, not only for this one
  bool mapped = false;         // kernels can use it where it is: view()
  bool write_combined = false; // copied to the device faster; slow for the host to read
};

// Owns host memory for elements that lie side by side, the last axis fastest. A copy of a HostBuffer is the
// same memory; it goes when nobody, and no work under way, holds it. Not cleared.
template <class T, std::size_t Rank> class HostBuffer {
public:
  HostBuffer() = default; // is empty
  HostBuffer(const Device& device, const Extents<Rank>& extents, HostOptions options = {}) {
    Status status;
    *this = HostBuffer(status, device, extents, options);
    status.raise();
  }
  HostBuffer(const Device& device, std::int64_t size, HostOptions options = {})
    requires(Rank == 1)
      : HostBuffer(device, Extents<1>{size}, options) {}
  HostBuffer(Status& status, const Device& device, const Extents<Rank>& extents,
             HostOptions options = {}) noexcept {
    std::uint64_t bytes = 0;
    std::uint32_t flags = 0;
    if (options.portable) flags |= KERN_HOST_PORTABLE;
    if (options.mapped) flags |= KERN_HOST_MAPPED;
    if (options.write_combined) flags |= KERN_HOST_WRITE_COMBINED;
    if (count_bytes<T>(status, extents, bytes) &&
        status.take(kern_host_buffer_create(device.get(), bytes, flags, handle_.receive()))) {
      data_ = static_cast<T*>(kern_buffer_host_data(handle_.get()));
      extents_ = extents;
    }
  }

  // Returns the first element, for the host. Work on it that is under way must be waited for.
  T* data() const { return data_.value; }
  std::size_t size() const { return static_cast<std::size_t>(count(extents())); }
  const Extents<Rank>& extents() const { return extents_.value; }
  std::int64_t extent(std::size_t axis) const { return extents()[axis]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }
  T& operator[](std::size_t index) const { return data()[index]; }
  std::span<T> span() const { return {data(), size()}; }
  operator std::span<T>() const { return span(); }
  const BufferHandle& handle() const { return handle_; }

  // Returns it as the device sees it; an ArgumentError where it is not mapped.
  View<T, Rank> view() const {
    Status status;
    View<T, Rank> mapped = view(status);
    status.raise();
    return mapped;
  }
  View<T, Rank> view(Status& status) const noexcept {
    auto* mapped = static_cast<T*>(kern_buffer_data(handle_.get()));
    if (!handle_)
      status.refuse([&] {
        return std::string(
            "the host buffer is empty: it was never made, could not be made, or was moved from");
      });
    else if (!mapped && size() > 0)
      status.refuse([&] {
        return std::string("the device does not see this host memory: make it with {.mapped = true}");
      });
    if (!handle_ || (!mapped && size() > 0)) return View<T, Rank>::none();
    return {handle_, mapped, extents(), packed_strides(extents())};
  }

private:
  BufferHandle handle_;
  Taken<T*> data_;
  Taken<Extents<Rank>> extents_;
};

} // namespace kern::inline v1
