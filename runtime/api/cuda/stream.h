// A stream of a CUDA device: copies, launches, and what is known of them until somebody waits. A launch is
// one call of the driver: what is done is asked of events that stand behind every batch of launches, behind
// work whose Event somebody keeps, and where somebody waits.
#pragma once

#include <deque>

#include "runtime/api/capture.h"
#include "runtime/api/cuda/graph.h"

namespace kern::runtime {

class CudaStream final : public Stream {
public:
  explicit CudaStream(CudaDevice& device);
  // Around a stream that somebody else keeps.
  CudaStream(CudaDevice& device, cuda::StreamHandle native);
  ~CudaStream() override;
  std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                      std::uint64_t bytes) override;
  std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                     std::uint64_t bytes) override;
  std::uint64_t copy(std::shared_ptr<Memory> to, std::uint64_t to_offset, std::shared_ptr<Memory> from,
                     std::uint64_t from_offset, std::uint64_t bytes) override;
  std::uint64_t fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                     std::span<const char> pattern) override;
  std::uint64_t launch(const Launch& launch) override;
  std::uint64_t call(std::function<void()> function) override;
  std::uint64_t record(std::shared_ptr<Timestamp>& time) override;
  std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number, bool same_device) override;
  std::uint64_t replay(std::shared_ptr<Graph> graph) override;
  std::uint64_t last() override;
  void cancel() override;
  bool wait(std::uint64_t number, Deadline deadline) override;
  void* native() override { return stream_; }
  void hold(std::uint64_t number) override { held_.store(number, std::memory_order_relaxed); }
  void let_go(std::uint64_t number) override {
    if (held_.load(std::memory_order_relaxed) == number) // else no locked instruction is wanted
      held_.compare_exchange_strong(number, 0, std::memory_order_relaxed);
  }
  bool outlives_statics() const override { return false; } // nor does the driver
  void poll() override;
  // The same two where a device looks after its streams, perhaps in the middle of a launch: no function of the program's is called.
  bool wait_silently(std::uint64_t number, Deadline deadline);
  void poll_silently();
  // Finishes what is done, without waiting; says whether nothing is left but prints.
  bool is_idle();
  using Stream::has_prints, Stream::write_prints;
  // Waits for everything, and says nothing of what fails.
  void close();

private:
  struct Marked {
    std::uint64_t number; // of the last work before the mark
    std::shared_ptr<Mark> mark;
    bool copied; // the records of all launches up to it are on the host behind it
  };

  // A graph that was launched, and is not known to be done.
  struct Replay {
    std::uint64_t number;
    std::uint64_t first_launch; // the number of its first launch
    std::shared_ptr<CudaGraph> graph;
    std::shared_ptr<const StopWord>
        word; // by which it is told to end; null where none of its launches can be
  };

  std::uint64_t put(const Work& what, std::initializer_list<std::shared_ptr<Memory>> memory);
  void start(cuda::FunctionHandle function, const Launch& launch);
  void begin_stoppable(Batch& batch, std::uint32_t index, const Launch& launch);
  std::uint64_t put_launch(Batch& batch, std::uint32_t index, const Launch& launch);
  std::uint64_t launch_captured(const std::shared_ptr<Capture>& capture, cuda::FunctionHandle function,
                                const Launch& launch);
  void mark_held();
  void add_mark(bool copied);
  void flush();
  std::shared_ptr<Mark> mark_behind(std::uint64_t number);
  // In graph.cpp.
  std::shared_ptr<Graph> start_capture() override;
  void take_back(std::uint64_t number) noexcept override;
  std::shared_ptr<const void> mark_captured() override;
  void follow_mark(const void* mark, bool joins) override;
  void stop_capture(Graph* graph) override;
  void mark_before_capture();
  std::shared_ptr<const StopWord> take_over(CudaGraph& graph);
  void start(CudaGraph& graph, Replay replay);
  void look(const Replay& replay);
  void finish_replays(std::uint64_t number);
  // In records.cpp.
  Batch& open_batch();
  std::shared_ptr<Memory> make_ring();
  void finish_marked();
  void finish(std::uint64_t number);
  void read_records(Batch& batch, std::uint64_t number);
  void look(Batch& batch, std::uint32_t index);
  void print(std::uint64_t number, const Module& module, const Memory& ring);
  void set_word(Address address, std::uint64_t value);

  CudaDevice& device_;
  const Driver& driver_;
  cuda::StreamHandle stream_ = nullptr;
  bool is_own_ = true;
  std::uint64_t launches_ = 0;
  // The batch that has room, and its next record; a full one may be gone.
  Batch* open_ = nullptr;
  std::uint32_t open_used_ = Batch::size;
  // The number of the last work, if somebody keeps it.
  std::atomic<std::uint64_t> held_{0};
  std::mutex mutex_; // guards what follows; no call that may wait for the device is made under it
  std::uint64_t put_ = 0, copied_ = 0;
  bool starting_ =
      false; // the next record is that of a launch which is given to the driver, and may be told to end
  std::deque<Marked> marks_; // ascending
  std::vector<std::shared_ptr<Mark>> spare_marks_;
  std::deque<std::unique_ptr<Batch>> batches_; // the last one is open
  std::unique_ptr<Batch> spare_batch_;
  std::deque<Replay> replays_;
};

} // namespace kern::runtime
