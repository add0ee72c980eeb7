// What launches left behind: read a batch at a time, when somebody waits.
#include <algorithm>

#include "runtime/api/cuda/stream.h"

namespace kern::runtime {

// Looks at what a launch left behind; its batch was read.
void CudaStream::finish(Work& work) {
  if (!work.launch) return;
  kern_fault_record fault = work.batch->records[work.record].fault;
  fault.launch = work.launch_number;
  if (work.ring) {
    std::vector<std::uint64_t> words(print_ring_words + 2);
    Address ring = address_of(*work.ring);
    device_->check("cuMemcpyDtoH", driver_.copy_to_host(words.data(), ring, 16));
    words[0] = print_ring_words;
    std::uint64_t used = std::min(words[1], print_ring_words) * 8;
    if (used > 0) device_->check("cuMemcpyDtoH", driver_.copy_to_host(words.data() + 2, ring + 16, used));
    write_prints(work.launch->module->manifest, *reinterpret_cast<kern_print_ring*>(words.data()));
  }
  if (work.launch->report) {
    float milliseconds = 0;
    device_->check("cuEventElapsedTime",
                   driver_.event_elapsed(&milliseconds, work.begin->event, work.mark->event));
    work.launch->report->milliseconds = static_cast<double>(milliseconds);
  }
  if (fault.state != 0) keep_fault(work.number, *work.launch, fault);
}

bool CudaStream::finish_done() {
  std::lock_guard lock(mutex_);
  // The last one first: mostly all or nothing is done.
  std::size_t done = works_.size();
  for (; done > 0; --done) {
    Result result = driver_.event_query(works_[done - 1].mark->event);
    if (result == 0) break;
    if (result != cuda_not_ready) device_->check("cuEventQuery", result);
  }
  // The copy is one of the legacy stream, which does not wait for others.
  const Batch* read = nullptr;
  for (std::size_t i = 0; i < done; ++i) {
    Batch* batch = works_[i].batch.get();
    if (!batch || batch == read) continue;
    device_->check("cuMemcpyDtoH", driver_.copy_to_host(batch->records.data(), address_of(*batch->memory),
                                                        sizeof batch->records));
    read = batch;
  }
  for (; done > 0; --done) {
    finish(works_.front());
    works_.pop_front();
  }
  return works_.empty();
}
} // namespace kern::runtime
