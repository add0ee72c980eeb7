// Threads that run what is put on streams and nobody waits for: a few for all streams of a device, made when a stream
// has work and none of them is free. A stream that has work is here once, and has no thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace kern::runtime {

class CpuStream;

class Runners : public std::enable_shared_from_this<Runners> {
public:
  // So many streams are at work at once by themselves; whoever waits for another one does its work.
  static constexpr unsigned most_threads = 32;

  // Has the work of a stream, which keeps itself in `queued_self_`, run soon; takes no lock. False where there is no
  // thread and none can be made: then nobody will.
  bool add(CpuStream& stream);
  // Says whether a stream is here for which no thread is free.
  bool is_pressed() const {
    return waiting_.load(std::memory_order_relaxed) > 0 && idle_.load(std::memory_order_relaxed) == 0;
  }
  // Ends the threads when they have nothing left to do.
  void close();

private:
  bool start();
  void call_one();
  std::shared_ptr<CpuStream> take();
  void work();

  std::atomic<CpuStream*> pushed_{nullptr}; // newest first, linked by `next_queued_`
  std::atomic<std::uint32_t> calls_{0};     // counts what was pushed; idle threads wait for it to change
  std::atomic<unsigned> waiting_{0};        // streams that are here
  std::atomic<unsigned> idle_{0}, threads_{0};
  std::atomic<bool> is_closed_{false};
  std::mutex mutex_;
  CpuStream *first_ = nullptr, *last_ = nullptr; // that were pushed before, oldest first
};

} // namespace kern::runtime
