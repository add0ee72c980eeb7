// Captured launches keep their records from one replay to the next, so a replay is one call of the driver. A
// record holds the first fault of its launch until somebody waits; it is cleared when no replay is under way.
#include "runtime/api/cuda/graph.h"

#include <algorithm>

#include "runtime/api/cuda/stream.h"

namespace kern::runtime {

static constexpr int capture_relaxed = 2; // other threads, and this one, go on allocating

// Copies of the legacy stream are not part of the capture.
static void clear_records(CudaDevice& device, Batch& batch, std::uint32_t begin, std::uint32_t count) {
  std::fill_n(batch.host + begin, count, kern_launch_record{});
  device.check("cuMemcpyHtoD", device.driver.copy_to_device(batch.record(begin), batch.host + begin,
                                                            count * sizeof(kern_launch_record)));
}

Batch& CudaGraph::open_batch() {
  if (batches.empty() || batches.back()->used == Batch::size) {
    batches.push_back(std::make_unique<Batch>(device));
    clear_records(device, *batches.back(), 0, Batch::size);
  }
  return *batches.back();
}

// Nothing can be marked while it is captured, and who keeps an event of before may wait for it.
void CudaStream::mark_before_capture() {
  mark_held();
  std::lock_guard lock(mutex_);
  bool is_marked = !marks_.empty() && marks_.back().number >= put_;
  if (timeline_->done < put_ && !is_marked) flush();
}

std::shared_ptr<Graph> CudaStream::start_capture() {
  device_.enter();
  mark_before_capture();
  auto graph = std::make_shared<CudaGraph>(device_);
  device_.check("cuStreamBeginCapture", driver_.capture_begin(stream_, capture_relaxed));
  return graph;
}

// The driver's event goes to the capture, not to the work that the stream had before.
std::shared_ptr<const void> CudaStream::mark_captured() {
  device_.enter();
  auto mark = std::make_shared<Mark>(device_);
  device_.check("cuEventRecord", driver_.event_record(mark->event, stream_));
  return mark;
}

void CudaStream::follow_mark(const void* mark, bool joins) {
  device_.enter();
  if (joins) mark_before_capture();
  device_.check("cuStreamWaitEvent",
                driver_.stream_wait_event(stream_, static_cast<const Mark*>(mark)->event, 0));
}

void CudaStream::stop_capture(Graph* graph) {
  device_.use();
  cuda::GraphHandle captured = nullptr;
  Result result = driver_.capture_end(stream_, &captured);
  if (!graph) {
    if (captured) driver_.graph_destroy(captured);
    return;
  }
  device_.check("cuStreamEndCapture", result);
  result = driver_.graph_instantiate(&static_cast<CudaGraph*>(graph)->exec, captured, 0);
  driver_.graph_destroy(captured);
  device_.enter();
  device_.check("cuGraphInstantiateWithFlags", result);
}

std::uint64_t CudaStream::replay(std::shared_ptr<Graph> graph) {
  auto replayed = std::static_pointer_cast<CudaGraph>(std::move(graph));
  device_.enter();
  mark_held();
  device_.check("cuGraphLaunch", driver_.graph_launch(replayed->exec, stream_));
  std::lock_guard lock(mutex_);
  ++put_;
  for (const auto& memory : replayed->memory) static_cast<CudaMemory&>(*memory).uses->note(timeline_, put_);
  std::uint64_t first = launches_ + 1;
  launches_ += replayed->launches;
  replays_.push_back({put_, first, std::move(replayed)});
  return put_;
}

// Looks at what a replay left behind, which is done; `is_last` says that no other one is under way.
void CudaStream::look(const Replay& replay, bool is_last) {
  std::uint64_t launch = replay.first_launch;
  for (const auto& batch : replay.graph->batches) {
    device_.check("cuMemcpyDtoH", driver_.copy_to_host(batch->host, batch->record(0),
                                                       batch->used * sizeof(kern_launch_record)));
    for (std::uint32_t index = 0; index < batch->used; ++index, ++launch) {
      Batch::Entry& entry = batch->entries[index];
      kern_launch_record record = batch->host[index];
      kern_fault_record& fault = record.fault;
      bool is_new = fault.state != 0 && entry.number == 0;
      entry.number = fault.state != 0 ? replay.number : 0;
      fault.launch = launch;
      if (is_new) keep_fault(replay.number, entry, record);
      if (fault.state == 0 || !is_last) continue;
      clear_records(device_, *batch, index, 1);
      entry.number = 0;
    }
  }
}

// Finishes the replays up to a number.
void CudaStream::finish_replays(std::uint64_t number) {
  while (!replays_.empty() && replays_.front().number <= number) {
    Replay replay = std::move(replays_.front());
    replays_.pop_front();
    bool is_last = std::none_of(replays_.begin(), replays_.end(),
                                [&](const Replay& other) { return other.graph == replay.graph; });
    look(replay, is_last);
  }
}

} // namespace kern::runtime
