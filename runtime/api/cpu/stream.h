// A stream of the CPU: a list of tasks, run in order by whoever waits for the stream, and else by one of the threads
// that a device has for all its streams (runners.h); kernels run on one pool of threads. One thread at a time runs
// tasks. Small work that is waited for stays on the core whose cache has its arrays, and nobody waits for a thread to
// wake up. A launch that waits does not even wake one: it would take a core from the pool's threads, which came
// 6 us late. Whoever lets go of a stream never waits: what is left is done, and what nobody collected is reported
// behind it.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <thread>

#include "runtime/api/capture.h"
#include "runtime/api/cpu/device.h"
#include "runtime/api/cpu/graph.h"
#include "runtime/api/cpu/launch.h"
#include "runtime/api/cpu/runners.h"

namespace kern::runtime {

struct TaskTraits {
  bool awaited = false; // its caller waits for it at once, so that no thread need wake up
  bool runs_on = false; // it cannot be cancelled
  bool borrows = false; // it uses host memory of its caller's
};

// The list of tasks; shared by the stream and its thread.
class CpuStream final : public Stream {
public:
  CpuStream(std::shared_ptr<cpu::Pool> pool, std::shared_ptr<Runners> runners)
      : pool_(std::move(pool)), runners_(std::move(runners)) {}
  std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                      std::uint64_t bytes) override {
    Memory* used = to.get();
    return put({"a copy"},
               [=](auto&, auto) { std::memcpy(static_cast<char*>(to->data) + offset, from, bytes); },
               {&used, 1}, {.borrows = true});
  }
  std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                     std::uint64_t bytes) override {
    Memory* used = from.get();
    return put({"a copy"},
               [=](auto&, auto) { std::memcpy(to, static_cast<const char*>(from->data) + offset, bytes); },
               {&used, 1}, {.borrows = true});
  }
  std::uint64_t copy(std::shared_ptr<Memory> to, std::uint64_t to_offset, std::shared_ptr<Memory> from,
                     std::uint64_t from_offset, std::uint64_t bytes) override {
    Memory* used[] = {to.get(), from.get()};
    return put(
        {"a copy"},
        [=](auto&, auto) {
          std::memmove(static_cast<char*>(to->data) + to_offset,
                       static_cast<const char*>(from->data) + from_offset, bytes);
        },
        used);
  }
  std::uint64_t fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                     std::span<const char> pattern) override;
  std::uint64_t launch(const Launch& launch) override;
  std::uint64_t call(std::function<void()> function) override {
    return put({"a call"}, [function = std::move(function)](CpuStream& stream, auto) {
      const Called called(stream);
      function();
    });
  }
  std::uint64_t record(std::shared_ptr<Timestamp>& time) override;
  std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number, bool) override {
    return put({""}, [=](CpuStream& stream, std::uint64_t own) { stream.wait_for(*other, number, own); });
  }
  std::uint64_t last() override {
    process_.check();
    std::lock_guard lock(mutex_);
    return put_;
  }
  void cancel() override;
  bool wait(std::uint64_t number, Deadline deadline) override;
  std::uint64_t replay(std::shared_ptr<Graph> graph) override;

  // Says that nobody holds the stream any more: what is left to do is done, and then its faults are reported.
  void close();
  // Runs tasks, for one of the runners, until none is left or other streams want it more.
  void run_queued();

private:
  friend class Runners;
  class Stoppable;
  class Turn;
  class Awaiting;
  std::uint64_t put(const Work& what, Task task, std::span<Memory* const> uses = {}, TaskTraits traits = {});
  void take_back(std::uint64_t number) noexcept override;
  std::shared_ptr<Graph> start_capture() override;
  void follow_mark(const void* mark, bool joins) override;
  void stop_capture(Graph* graph) override;
  void wait_for(Stream& other, std::uint64_t number, std::uint64_t own);
  bool can_run() const { return !running_ && !tasks_.empty(); }
  void run_next(std::unique_lock<std::mutex>& lock) noexcept;
  void run_to(std::uint64_t number, std::unique_lock<std::mutex>& lock);
  bool queue();
  [[noreturn, gnu::cold]] static void refuse_taken_back();
  void run_launch(const Queued& launch, std::uint64_t number);
  Error no_scratch(const Queued& launch, const cpu::Launch& job) const;

  Process process_;
  std::shared_ptr<cpu::Pool> pool_;
  std::shared_ptr<Runners> runners_;
  std::mutex mutex_;
  std::condition_variable changed_; // for those who wait
  struct Entry {
    Task task;
    std::thread::id borrower; // whose host memory it uses; no thread's: of nobody
    // Its memory may be gone, so it does nothing; its caller heard so when he waited for it, or is still to hear it.
    enum { Waits, TakenBack, TakenBackUnheard } state = Waits;
  };
  std::deque<Entry> tasks_;
  std::uint64_t put_ = 0, done_ = 0;
  std::uint64_t cancelled_ = 0;   // launches up to that number are
  std::uint64_t runs_on_ = 0;     // the number of the last work that cannot be cancelled
  std::uint64_t* stop_ = nullptr; // of the launch that runs, if it can be told to end
  bool running_ = false;          // a thread is at a task
  std::uint64_t launches_ = 0;    // that ran; its own
  // The stream and the work on it that the running task waits for; guarded by the mutex of all such waits.
  const CpuStream* awaits_ = nullptr;
  std::uint64_t awaited_ = 0;
  bool closed_ = false;
  bool is_queued_ = false;                 // it is with the runners
  CpuStream* next_queued_ = nullptr;       // theirs, while it is there
  std::shared_ptr<CpuStream> queued_self_; // likewise
};

} // namespace kern::runtime
