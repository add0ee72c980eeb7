// A launch is one call of the driver. It allocates nothing: its record lies in a batch that was cleared
// before, the driver copies the parameters, and memory remembers its last use by itself.
// (benchmarks/launch.cpp measures it.)
#include <cstddef>

#include "runtime/api/cuda/code.h"
#include "runtime/api/cuda/stream.h"
#include "runtime/api/inline_array.h"

namespace kern::runtime {

static constexpr int function_dynamic_shared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

static void opt_in(CudaDevice& device, CudaCode::Kernel& kernel, std::uint64_t shared_bytes) {
  if (shared_bytes <= kernel.opted_in.load(std::memory_order_relaxed)) return;
  device.check("cuFuncSetAttribute", device.driver.function_set(kernel.function, function_dynamic_shared,
                                                                static_cast<int>(shared_bytes)));
  kernel.opted_in = shared_bytes;
}

std::uint64_t CudaStream::launch(const Launch& launch) {
  device_.enter();
  auto& kernel = *static_cast<CudaCode::Kernel*>(launch.variant->entry);
  opt_in(device_, kernel, launch.shared_bytes);
  Batch& batch = open_batch();
  mark_held();
  std::uint32_t index = open_used_;
  Address record = batch.record(index);
  std::shared_ptr<Memory> ring;
  if (launch.kernel->prints) {
    ring = make_ring();
    set_word(record + offsetof(kern_launch_record, print_ring), address_of(*ring));
  }
  if (launch.shared_bytes > 0)
    set_word(record + offsetof(kern_launch_record, shared_bytes), launch.shared_bytes);
  launch.params.back() = record;
  std::unique_ptr<Mark> begin, end;
  if (launch.report) {
    begin = std::make_unique<Mark>(device_, true);
    end = std::make_unique<Mark>(device_, true);
    device_.check("cuEventRecord", driver_.event_record(begin->event, stream_));
  }
  InlineArray<void*, 96> params(launch.plan->entry_slots.size());
  void** next = params.data();
  for (std::uint32_t slot : launch.plan->entry_slots) *next++ = &launch.params[slot];
  device_.check("cuLaunchKernel",
                driver_.launch(kernel.function, launch.grid[0], launch.grid[1], launch.grid[2],
                               launch.block[0], launch.block[1], launch.block[2],
                               static_cast<unsigned>(launch.shared_bytes), stream_, params.data(), nullptr));
  if (end) device_.check("cuEventRecord", driver_.event_record(end->event, stream_));
  std::lock_guard lock(mutex_);
  ++put_;
  batch.entries[index] = {launch, put_, ++launches_};
  batch.hold(*launch.owner);
  if (ring) batch.rings.push_back({index, std::move(ring)});
  if (end) batch.timed.push_back({index, launch.report, std::move(begin), std::move(end)});
  batch.used = open_used_ = index + 1;
  for (Memory* memory : launch.uses) static_cast<CudaMemory*>(memory)->uses->note(timeline_, put_);
  return put_;
}

} // namespace kern::runtime
