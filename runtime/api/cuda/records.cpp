// Reads what launches left behind, a batch at a time, when it is known that they are done.
#include <algorithm>
#include <cstddef>

#include "runtime/api/cuda/stream.h"
#include "runtime/common/fault.h"

namespace kern::runtime {

Batch::Batch(CudaDevice& device) : driver(device.driver) {
  memory = device.allocate(size * sizeof(kern_launch_record));
  void* pinned = nullptr;
  device.check("cuMemHostAlloc",
               driver.host_allocate(&pinned, size * sizeof(kern_launch_record), host_portable));
  host = static_cast<kern_launch_record*>(pinned);
}

void Batch::hold(const std::shared_ptr<const Module>& module) {
  if (!modules.empty() && modules.back() == module) return;
  if (std::find(modules.begin(), modules.end(), module) == modules.end()) modules.push_back(module);
}

void Batch::reset() {
  used = copied = seen = 0;
  modules.clear();
  rings.clear();
  timed.clear();
  limited.clear();
  if (has_words) std::fill_n(stops, size, 0);
  has_words = false;
}

// One copy for all launches of the batch that are to come; `host` is free behind the records in use, and gets their copy
// later on the same stream.
void Batch::make_stoppable(CudaDevice& device, cuda::StreamHandle stream, std::uint32_t begin) {
  if (!stops) {
    void* pinned = nullptr;
    device.check("cuMemHostAlloc",
                 driver.host_allocate(&pinned, size * sizeof *stops, host_portable | host_mapped));
    stops = static_cast<std::uint64_t*>(pinned);
    std::fill_n(stops, size, 0);
  }
  Address words = 0;
  device.check("cuMemHostGetDevicePointer", driver.host_address(&words, stops, 0));
  for (std::uint32_t index = begin; index < size; ++index) {
    host[index] = {};
    host[index].launch = words + index * sizeof *stops;
  }
  device.check("cuMemcpyHtoDAsync",
               driver.copy_to_device_async(record(begin), host + begin,
                                           (size - begin) * sizeof(kern_launch_record), stream));
}

// Returns a batch with room for a launch.
Batch& CudaStream::open_batch() {
  if (open_used_ < Batch::size) return *open_;
  std::unique_ptr<Batch> next;
  {
    std::lock_guard lock(mutex_);
    if (!batches_.empty()) {
      flush();
      finish_marked();
    }
    next = std::move(spare_batch_);
  }
  // Outside of the lock: a device without memory looks after all its streams.
  if (!next) next = std::make_unique<Batch>(device_);
  next->reset();
  device_.check("cuMemsetD32Async",
                driver_.fill32(next->record(0), 0, Batch::size * sizeof(kern_launch_record) / 4, stream_));
  std::lock_guard lock(mutex_);
  batches_.push_back(std::move(next));
  open_ = batches_.back().get();
  open_used_ = 0;
  return *open_;
}

// Finishes the work up to a number, which is done.
void CudaStream::finish(std::uint64_t number) {
  while (!batches_.empty()) {
    Batch& batch = *batches_.front();
    for (; batch.seen < batch.used && batch.entries[batch.seen].number <= number; ++batch.seen) {
      if (batch.entries[batch.seen].number > copied_) read_records(batch, number);
      __builtin_prefetch(&batch.host[std::min(batch.seen + 8, Batch::size - 1)]); // the device wrote it
      if (batch.has_news(batch.seen)) look(batch, batch.seen);
    }
    if (batch.seen == batch.used) batch.modules.clear();
    if (batch.seen < Batch::size) break;
    spare_batch_ = std::move(batches_.front());
    batches_.pop_front();
  }
  finish_replays(number);
  timeline_->done = std::max<std::uint64_t>(timeline_->done, number);
}

// Reads the records up to a number; the copy is one of the legacy stream, which does not wait for others.
void CudaStream::read_records(Batch& batch, std::uint64_t number) {
  std::uint32_t end = batch.seen;
  while (end < batch.used && batch.entries[end].number <= number) ++end;
  device_.check("cuMemcpyDtoH", driver_.copy_to_host(batch.host + batch.seen, batch.record(batch.seen),
                                                     (end - batch.seen) * sizeof(kern_launch_record)));
  copied_ = batch.entries[end - 1].number;
}

// Looks at what a launch left behind.
void CudaStream::look(Batch& batch, std::uint32_t index) {
  const Batch::Entry& entry = batch.entries[index];
  for (const Batch::Ring& ring : batch.rings)
    if (ring.record == index) print(entry.number, *entry.module, *ring.memory);
  for (const Batch::Timed& timed : batch.timed) {
    if (timed.record != index) continue;
    float milliseconds = 0;
    device_.check("cuEventElapsedTime",
                  driver_.event_elapsed(&milliseconds, timed.begin->event, timed.end->event));
    timed.report->milliseconds = static_cast<double>(milliseconds);
  }
  const auto limit = std::ranges::find(batch.limited, index, &Batch::Limited::record);
  const double seconds = limit == batch.limited.end() ? 0 : limit->seconds;
  if (limit != batch.limited.end()) batch.limited.erase(limit);
  kern_launch_record record = batch.host[index];
  record.fault.launch = entry.launch;
  if (record.fault.state == 0) return;
  const Stop why = batch.has_words ? stop_of(batch.stops[index]) : Stop::None;
  if (why != Stop::None && is_stop(record.fault))
    keep_stop(entry.number, entry, why, seconds, &record, true);
  else
    keep_fault(entry.number, entry, record);
}

void CudaStream::cancel() {
  poll(); // what is done is not told to end
  std::lock_guard lock(mutex_);
  for (const auto& batch : batches_) batch->stop(batch->seen, batch->used);
  if (starting_) batches_.back()->stop(open_used_, open_used_ + 1);
  bool runs_on = false;
  for (const Replay& replay : replays_) {
    if (replay.word) tell_to_stop(*replay.word->word, Stop::Cancelled);
    runs_on |= replay.graph->runs_on;
  }
  for (const auto& batch : batches_)
    for (std::uint32_t index = batch->seen; index < batch->used; ++index)
      runs_on |= !batch->entries[index].is_cancellable();
  if (runs_on) refuse_cancel();
}

void CudaStream::print(std::uint64_t number, const Module& module, const Memory& ring) {
  std::vector<std::uint64_t> words(print_ring_words + 2);
  Address address = address_of(ring);
  device_.check("cuMemcpyDtoH", driver_.copy_to_host(words.data(), address, 16));
  words[0] = print_ring_words;
  std::uint64_t used = std::min(words[1], print_ring_words) * 8;
  if (used > 0) device_.check("cuMemcpyDtoH", driver_.copy_to_host(words.data() + 2, address + 16, used));
  keep_prints(number, module.manifest, *reinterpret_cast<kern_print_ring*>(words.data()));
}

// Sets 8 bytes without host memory: copies from it would wait for the stream.
void CudaStream::set_word(Address address, std::uint64_t value) {
  auto low = static_cast<std::uint32_t>(value), high = static_cast<std::uint32_t>(value >> 32);
  device_.check("cuMemsetD32Async", driver_.fill32(address, low, 1, stream_));
  device_.check("cuMemsetD32Async", driver_.fill32(address + 4, high, 1, stream_));
}

std::shared_ptr<Memory> CudaStream::make_ring() {
  std::shared_ptr<Memory> ring = device_.allocate(sizeof(kern_print_ring) + print_ring_words * 8);
  set_word(address_of(*ring) + offsetof(kern_print_ring, capacity), print_ring_words);
  set_word(address_of(*ring) + offsetof(kern_print_ring, used), 0);
  return ring;
}

} // namespace kern::runtime
