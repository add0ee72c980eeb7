// Whoever adds a stream pushes it and then looks whether a thread is idle; a thread stops being idle before it looks
// for what was pushed. So either it is seen, or another thread is called: no stream is forgotten. A thread that
// leaves streams behind calls one more.
#include "runtime/api/cpu/runners.h"

#include <exception>
#include <thread>
#include <utility>

#include "runtime/api/cpu/stream.h"

namespace kern::runtime {

bool Runners::add(CpuStream& stream) {
  const bool is_first = threads_.load() == 0;
  if (is_first && !start()) return false;
  waiting_.fetch_add(1);
  CpuStream* newest = pushed_.load(std::memory_order_relaxed);
  do stream.next_queued_ = newest;
  while (!pushed_.compare_exchange_weak(newest, &stream));
  if (is_first) {
    calls_.fetch_add(1);
    calls_.notify_one();
  } else {
    call_one();
  }
  return true;
}

// Wakes a thread, or makes one where none is idle.
void Runners::call_one() {
  calls_.fetch_add(1);
  if (idle_.load() == 0)
    start();
  else
    calls_.notify_one();
}

// Makes a thread, unless there are enough; it keeps what it works for.
bool Runners::start() {
  unsigned count = threads_.load();
  do
    if (count >= most_threads) return true;
  while (!threads_.compare_exchange_weak(count, count + 1));
  try {
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    return true;
  } catch (const std::exception&) {
    --threads_;
    return false;
  }
}

// Returns the stream that has been here for longest; null where there is none.
std::shared_ptr<CpuStream> Runners::take() {
  std::lock_guard lock(mutex_);
  CpuStream *oldest = nullptr, *newest = pushed_.exchange(nullptr);
  CpuStream* const end = newest;
  while (newest) oldest = std::exchange(newest, std::exchange(newest->next_queued_, oldest));
  if (oldest) {
    (first_ ? last_->next_queued_ : first_) = oldest;
    last_ = end;
  }
  if (!first_) return nullptr;
  std::shared_ptr<CpuStream> taken = std::move(first_->queued_self_);
  first_ = first_->next_queued_;
  waiting_.fetch_sub(1);
  if (first_) call_one();
  return taken;
}

void Runners::work() {
  for (;;) {
    if (std::shared_ptr<CpuStream> stream = take()) {
      stream->run_queued();
      continue;
    }
    ++idle_;
    const std::uint32_t seen = calls_.load();
    const bool ends = is_closed_.load();
    if (waiting_.load() == 0 && !ends) calls_.wait(seen);
    --idle_;
    if (!ends || waiting_.load() > 0) continue;
    --threads_;
    return;
  }
}

void Runners::close() {
  is_closed_.store(true);
  calls_.fetch_add(1);
  calls_.notify_all();
}

} // namespace kern::runtime
