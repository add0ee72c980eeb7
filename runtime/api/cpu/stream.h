// A stream of the CPU: a list of tasks and a thread that runs them in order; kernels run on one pool of threads.
// Whoever waits for the stream runs tasks too, one thread at a time: small work then stays on the core whose
// cache has its arrays, and nobody waits for a thread to wake up. A launch that waits does not even wake it: it
// would take a core from the pool's threads, which came 6 us late. The thread shares the stream's state, so
// that whoever lets go of a stream never waits: the thread does what is left to do, reports what nobody
// collected, and ends.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>

#include "runtime/api/capture.h"
#include "runtime/api/cpu/device.h"
#include "runtime/api/cpu/graph.h"
#include "runtime/api/cpu/launch.h"

namespace kern::runtime {

// The list of tasks; shared by the stream and its thread.
class CpuStream final : public Stream {
public:
  explicit CpuStream(std::shared_ptr<cpu::Pool> pool) : pool_(std::move(pool)) {}
  std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                      std::uint64_t bytes) override {
    Memory* used = to.get();
    return put({"a copy"},
               [=](auto&, auto) { std::memcpy(static_cast<char*>(to->data) + offset, from, bytes); },
               {&used, 1});
  }
  std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                     std::uint64_t bytes) override {
    Memory* used = from.get();
    return put({"a copy"},
               [=](auto&, auto) { std::memcpy(to, static_cast<const char*>(from->data) + offset, bytes); },
               {&used, 1});
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
  std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number, bool) override {
    return put({""}, [=](CpuStream& stream, std::uint64_t own) { stream.wait_for(*other, number, own); });
  }
  std::uint64_t last() override {
    process_.check();
    std::lock_guard lock(mutex_);
    return put_;
  }
  bool wait(std::uint64_t number, Deadline deadline) override;
  std::uint64_t replay(std::shared_ptr<Graph> graph) override;

  // There is no thread for it: whoever puts work on the stream does it at once. Comes before its first work.
  void do_without_thread() { has_thread_ = false; }
  // Ends the thread once everything is done.
  void close();
  // Runs tasks until the stream is closed.
  void run();

private:
  // Work that its caller waits for at once need not wake the stream's thread.
  std::uint64_t put(const Work& what, Task task, std::span<Memory* const> uses = {}, bool awaited = false);
  std::shared_ptr<Graph> start_capture() override;
  void follow_mark(const void* mark, bool joins) override;
  void stop_capture(Graph* graph) override;
  void wait_for(Stream& other, std::uint64_t number, std::uint64_t own);
  bool can_run() const { return !running_ && !tasks_.empty(); }
  void run_next(std::unique_lock<std::mutex>& lock) noexcept;
  void run_to(std::uint64_t number, std::unique_lock<std::mutex>& lock);
  void keep_caught(std::uint64_t number) noexcept;
  void run_launch(const Queued& launch, std::uint64_t number);
  Error no_scratch(const Queued& launch, const cpu::Launch& job) const;

  Process process_;
  std::shared_ptr<cpu::Pool> pool_;
  std::mutex mutex_;
  std::condition_variable changed_, work_; // for those who wait, and for the stream's thread
  std::deque<Task> tasks_;
  std::uint64_t put_ = 0, done_ = 0;
  bool running_ = false;       // a thread is at a task
  std::uint64_t launches_ = 0; // that ran; its own
  bool closed_ = false, has_thread_ = true;
};

} // namespace kern::runtime
