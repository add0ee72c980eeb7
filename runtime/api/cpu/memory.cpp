// Memory of the CPU: arrays that count against the budget of their device, and what is somebody else's.
#include <algorithm>

#include "runtime/api/cpu/device.h"

namespace kern::runtime {

// Counts bytes, against the limit where there is one.
void CpuDevice::take(std::uint64_t bytes) {
  std::uint64_t held = budget->held.load();
  do {
    const bool is_beyond = held > budget->limit || bytes > budget->limit - held;
    if (budget->limit > 0 && is_beyond)
      fail(Error{KERN_OUT_OF_MEMORY,
                 "there is no memory for " + std::to_string(bytes) + " bytes: buffers have " +
                     std::to_string(held) + " of the limit of " + std::to_string(budget->limit),
                 {},
                 bytes,
                 budget->limit - std::min(held, budget->limit),
                 {},
                 held});
  } while (!budget->held.compare_exchange_weak(held, held + bytes));
}

std::shared_ptr<Memory> CpuDevice::allocate(std::uint64_t bytes) {
  auto memory = std::make_shared<CpuMemory>();
  take(bytes);
  memory->bytes = bytes;
  memory->budget = budget;
  memory->own = cpu::allocate_array(bytes);
  memory->data = memory->own.get();
  if (!memory->data) {
    const std::uint64_t held = budget->held.load() - bytes;
    fail(Error{KERN_OUT_OF_MEMORY,
               "there is no memory for " + std::to_string(bytes) + " bytes: buffers have " +
                   std::to_string(held),
               {},
               bytes,
               0,
               {},
               held});
  }
  memory->host = memory->data;
  return memory;
}

std::shared_ptr<Memory> CpuDevice::wrap(void* data, std::uint64_t bytes, std::function<void()> release) {
  auto memory = std::make_shared<CpuMemory>();
  memory->data = memory->host = data;
  memory->bytes = bytes;
  memory->release = std::move(release);
  return memory;
}

} // namespace kern::runtime
