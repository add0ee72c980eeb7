// A launch. Launch records lie in batches on the device and are cleared once a batch, so that a launch is one
// call of the driver and an event.
#include <cstddef>

#include "runtime/api/cuda/code.h"
#include "runtime/api/cuda/stream.h"

namespace kern::runtime {

static constexpr int function_dynamic_shared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

// Sets 8 bytes without host memory: copies from it would wait for the stream.
void CudaStream::set_word(Address address, std::uint64_t value) {
  auto low = static_cast<std::uint32_t>(value), high = static_cast<std::uint32_t>(value >> 32);
  device_->check("cuMemsetD32Async", driver_.fill32(address, low, 1, stream_));
  device_->check("cuMemsetD32Async", driver_.fill32(address + 4, high, 1, stream_));
}

// Gives a launch its record, which is all zeros but for what it needs.
void CudaStream::take_record(Work& work, std::uint64_t shared_bytes) {
  if (!batch_ || batch_->used == Batch::size) {
    auto batch = std::make_shared<Batch>();
    batch->memory = device_->allocate(sizeof batch->records);
    device_->check("cuMemsetD32Async",
                   driver_.fill32(address_of(*batch->memory), 0, sizeof batch->records / 4, stream_));
    batch_ = std::move(batch);
  }
  work.batch = batch_;
  work.record = batch_->used++;
  Address record = address_of(*batch_->memory) + work.record * sizeof(kern_launch_record);
  if (work.ring) set_word(record + offsetof(kern_launch_record, print_ring), address_of(*work.ring));
  if (shared_bytes > 0) set_word(record + offsetof(kern_launch_record, shared_bytes), shared_bytes);
}

// One pointer a parameter of the entry: a c128 is one of 16 bytes, though it has two slots.
static std::vector<void*> entry_params(const Launch& launch, std::vector<std::uint64_t>& slots) {
  std::vector<void*> pointers;
  for (const ManifestParam& param : launch.kernel->params)
    for (std::uint32_t part = 0; part < 1 + 2 * param.rank; ++part)
      pointers.push_back(&slots[param.slot + part]);
  pointers.push_back(&slots.back());
  return pointers;
}

std::uint64_t CudaStream::launch(Launch launch) {
  device_->enter();
  auto& code = static_cast<CudaCode&>(*launch.module->code);
  CudaCode::Kernel& kernel = code.kernels.find(launch.variant->symbol)->second;
  if (launch.shared_bytes > kernel.opted_in) {
    device_->check("cuFuncSetAttribute", driver_.function_set(kernel.function, function_dynamic_shared,
                                                              static_cast<int>(launch.shared_bytes)));
    kernel.opted_in = launch.shared_bytes;
  }
  Work work;
  work.holds = std::move(launch.uses);
  work.launch_number = ++launches_;
  if (launch.kernel->prints) {
    work.ring = device_->allocate(sizeof(kern_print_ring) + print_ring_words * 8);
    set_word(address_of(*work.ring) + offsetof(kern_print_ring, capacity), print_ring_words);
    set_word(address_of(*work.ring) + offsetof(kern_print_ring, used), 0);
  }
  take_record(work, launch.shared_bytes);
  launch.params.back() = address_of(*batch_->memory) + work.record * sizeof(kern_launch_record);
  if (launch.report) {
    work.begin = std::make_shared<Mark>(*device_, true);
    device_->check("cuEventRecord", driver_.event_record(work.begin->event, stream_));
  }
  std::vector<void*> params = entry_params(launch, launch.params);
  device_->check("cuLaunchKernel",
                 driver_.launch(kernel.function, launch.grid[0], launch.grid[1], launch.grid[2],
                                launch.block[0], launch.block[1], launch.block[2],
                                static_cast<unsigned>(launch.shared_bytes), stream_, params.data(), nullptr));
  work.launch = std::move(launch);
  return put(std::move(work));
}
} // namespace kern::runtime
