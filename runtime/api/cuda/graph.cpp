// Captured launches keep their records from one replay to the next, so a replay is one call of the driver. A
// record holds the first fault of its launch until somebody waits; it is cleared when no replay is under way.
//
// All launches of a replay are told to end by one word, whose address is in their records. Replays on one stream have the
// same one until it is used: those that come later get another, behind the earlier ones.
#include "runtime/api/cuda/graph.h"

#include <algorithm>
#include <cstddef>

#include "runtime/api/cuda/stream.h"
#include "runtime/common/fault.h"

namespace kern::runtime {

static constexpr int capture_relaxed = 2; // other threads, and this one, go on allocating

// Copies of the legacy stream are not part of the capture.
static void clear_records(CudaDevice& device, Batch& batch, std::uint32_t begin, std::uint32_t count,
                          const StopWord* word = nullptr) {
  kern_launch_record clear{};
  clear.launch = word ? word->address : 0;
  std::fill_n(batch.host + begin, count, clear);
  device.check("cuMemcpyHtoD", device.driver.copy_to_device(batch.record(begin), batch.host + begin,
                                                            count * sizeof(kern_launch_record)));
}

CudaGraph::~CudaGraph() {
  device.use();
  if (exec) device.driver.graph_exec_destroy(exec);
  for (std::uint64_t* page : pages) device.driver.host_release(page);
}

// The graph has a reference of each, and its current one another.
std::shared_ptr<const StopWord> CudaGraph::free_word() {
  constexpr std::size_t in_page = 64;
  for (const auto& known : words)
    if (known.use_count() == 1) {
      std::atomic_ref(*known->word).store(0, std::memory_order_relaxed);
      return known;
    }
  words.reserve(words.size() + in_page);
  pages.reserve(pages.size() + 1);
  void* pinned = nullptr;
  device.check("cuMemHostAlloc", device.driver.host_allocate(&pinned, in_page * sizeof(std::uint64_t),
                                                             host_portable | host_mapped));
  auto* page = static_cast<std::uint64_t*>(pinned);
  pages.push_back(page);
  std::fill_n(page, in_page, 0);
  Address address = 0;
  device.check("cuMemHostGetDevicePointer", device.driver.host_address(&address, page, 0));
  for (std::size_t i = 0; i < in_page; ++i)
    words.push_back(std::make_shared<StopWord>(StopWord{page + i, address + i * sizeof *page}));
  return words.back();
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

// ---- Replays ----

// Returns the word by which a replay is told to end: the last one's, or a new one where that was told already, or is
// of another stream. The records get its address in their turn on the stream.
std::shared_ptr<const StopWord> CudaStream::take_over(CudaGraph& graph) {
  const bool same_stream = graph.stream_id == id();
  if (graph.word && same_stream && stop_of(*graph.word->word) == Stop::None) return graph.word;
  if (std::shared_ptr<Stream> other = same_stream ? nullptr : graph.stream.lock())
    after(other, graph.number, true); // whose records they are until then
  std::shared_ptr<const StopWord> word = graph.free_word();
  auto set_words = [&](const Batch& batch, std::size_t offset, std::uint64_t value) {
    device_.check("cuMemsetD2D32Async",
                  driver_.fill32_rows(batch.record(0) + offset, sizeof(kern_launch_record),
                                      static_cast<std::uint32_t>(value), 1, batch.used, stream_));
  };
  constexpr std::size_t address = offsetof(kern_launch_record, launch),
                        tick = offsetof(kern_launch_record, reserved) + 2 * sizeof(std::uint64_t) + 4;
  auto keep = [&](std::shared_ptr<const StopWord> kept) {
    std::lock_guard lock(graph.mutex);
    graph.word = std::move(kept);
  };
  keep(nullptr); // until all records have the other
  for (const auto& batch : graph.batches) {
    set_words(*batch, address, word->address);
    set_words(*batch, address + 4, word->address >> 32);
    set_words(*batch, tick, 0); // what threads told each other
  }
  keep(word);
  return word;
}

// Gives a replay to the driver. It can be told to end from then on; the driver may wait for the device.
void CudaStream::start(CudaGraph& graph, Replay replay) {
  if (graph.is_cancellable) replay.word = take_over(graph);
  {
    std::lock_guard lock(mutex_);
    replay.number = put_ + 1;
    replays_.push_back(std::move(replay));
  }
  const Result result = driver_.graph_launch(graph.exec, stream_);
  std::lock_guard lock(mutex_);
  if (result != 0) replays_.pop_back();
  device_.check("cuGraphLaunch", result);
  ++put_;
  launches_ += graph.launches;
  for (const auto& memory : graph.memory) static_cast<CudaMemory&>(*memory).uses->note(timeline_, put_);
}

std::uint64_t CudaStream::replay(std::shared_ptr<Graph> graph) {
  auto replayed = std::static_pointer_cast<CudaGraph>(std::move(graph));
  device_.enter();
  mark_held();
  std::lock_guard launching(replayed->launching);
  auto count = [&](std::uint64_t change) {
    std::lock_guard lock(replayed->mutex);
    replayed->under_way += change;
  };
  count(1); // its records are not cleared from here on
  try {
    start(*replayed, {0, launches_ + 1, replayed, nullptr});
  } catch (...) {
    count(-std::uint64_t(1));
    throw;
  }
  replayed->stream_id = id();
  replayed->stream = weak_from_this();
  return replayed->number = last();
}

// Looks at what a replay left behind, which is done.
void CudaStream::look(const Replay& replay) {
  CudaGraph& graph = *replay.graph;
  std::lock_guard lock(graph.mutex);
  const bool is_last = --graph.under_way == 0;
  const Stop why = replay.word ? stop_of(*replay.word->word) : Stop::None;
  std::uint64_t launch = replay.first_launch;
  for (const auto& batch : graph.batches) {
    device_.check("cuMemcpyDtoH", driver_.copy_to_host(batch->host, batch->record(0),
                                                       batch->used * sizeof(kern_launch_record)));
    for (std::uint32_t index = 0; index < batch->used; ++index, ++launch) {
      Batch::Entry& entry = batch->entries[index];
      kern_launch_record record = batch->host[index];
      kern_fault_record& fault = record.fault;
      // A fault names the word of its replay; where it names none, the last one tells of it.
      if (replay.word && !is_last && fault.launch != replay.word->address) continue;
      bool is_new = fault.state != 0 && entry.number == 0;
      entry.number = fault.state != 0 ? replay.number : 0;
      fault.launch = launch;
      if (is_new && why != Stop::None && is_stop(fault))
        keep_stop(replay.number, entry, why, 0, &record, true);
      else if (is_new)
        keep_fault(replay.number, entry, record);
      if (fault.state == 0 || !is_last) continue;
      clear_records(device_, *batch, index, 1, graph.word.get());
      entry.number = 0;
    }
  }
}

// Finishes the replays up to a number.
void CudaStream::finish_replays(std::uint64_t number) {
  while (!replays_.empty() && replays_.front().number <= number) {
    Replay replay = std::move(replays_.front());
    replays_.pop_front();
    look(replay);
  }
}

} // namespace kern::runtime
