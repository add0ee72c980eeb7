// Puts work on a stream, says who runs it, and waits for it.
#include "runtime/api/cpu/stream.h"

#include <cstdio>
#include <mutex>

namespace kern::runtime {

// ---- Waits that would never end ----

// A thread at a task of a stream; it may be at several, each for the sake of the one before.
class CpuStream::Turn {
public:
  explicit Turn(CpuStream& stream) : stream(stream), outer(innermost) { innermost = this; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { innermost = outer; }
  CpuStream& stream;
  Turn* const outer;
  static inline constinit thread_local Turn* innermost = nullptr;
};

// That a thread which is at tasks of streams waits for another thread to do work of a stream. Throws where that work, by whatever
// way, waits for one of these tasks. Who is at none is waited for by nobody.
class CpuStream::Awaiting {
public:
  Awaiting(const CpuStream& stream, std::uint64_t number) {
    if (!Turn::innermost) return;
    std::lock_guard lock(mutex());
    for (const CpuStream* at = &stream; at; at = next(*at))
      for (const Turn* turn = Turn::innermost; turn; turn = turn->outer)
        if (&turn->stream == at) stream.refuse_endless_wait();
    set(&stream, number);
  }
  Awaiting(const Awaiting&) = delete;
  Awaiting& operator=(const Awaiting&) = delete;
  ~Awaiting() {
    if (!Turn::innermost) return;
    std::lock_guard lock(mutex());
    set(nullptr, 0);
  }

private:
  static std::mutex& mutex() {
    static constinit OfProcess<std::mutex> of_process;
    return of_process.get();
  }
  // Returns the stream that one waits for, or null. Work that is done is waited for no longer, though the
  // thread may not have woken up yet.
  static const CpuStream* next(const CpuStream& stream) {
    const CpuStream* awaited = stream.awaits_;
    return awaited && awaited->timeline_->done < stream.awaited_ ? awaited : nullptr;
  }
  static void set(const CpuStream* awaited, std::uint64_t number) {
    for (Turn* turn = Turn::innermost; turn; turn = turn->outer)
      turn->stream.awaits_ = awaited, turn->stream.awaited_ = number;
  }
};

// ---- Tasks ----

// Has a runner come; false where there is none. The lock is held.
bool CpuStream::queue() {
  queued_self_ = std::static_pointer_cast<CpuStream>(shared_from_this());
  is_queued_ = runners_->add(*this);
  if (!is_queued_) queued_self_.reset();
  return is_queued_;
}

void CpuStream::run_queued() {
  std::unique_lock lock(mutex_);
  is_queued_ = false;
  while (can_run()) {
    run_next(lock);
    // Not before one is done: where all streams wait for each other's turn, somebody has to begin.
    if (can_run() && runners_->is_pressed() && queue()) return;
  }
}

// Runs the next task; the lock is held at both ends.
void CpuStream::run_next(std::unique_lock<std::mutex>& lock) noexcept {
  running_ = true;
  Entry entry = std::move(tasks_.front());
  tasks_.pop_front();
  std::uint64_t number = done_ + 1;
  lock.unlock();
  {
    const Turn turn(*this);
    try {
      if (entry.state == Entry::TakenBackUnheard) refuse_taken_back();
      if (entry.state == Entry::Waits) entry.task(*this, number);
    } catch (...) {
      keep_caught(number, "work of a stream");
    }
    entry.task = nullptr; // what it held goes before anybody hears that it is done
  }
  lock.lock();
  running_ = false;
  timeline_->done = ++done_;
  changed_.notify_all();
  if (!closed_ || !tasks_.empty()) return;
  lock.unlock();
  report_faults();
  lock.lock();
}

void CpuStream::close() {
  if (process_.is_left()) return;
  abandon_capture();
  std::unique_lock lock(mutex_);
  closed_ = true;
  if (!tasks_.empty() || running_) {
    if (!running_ && !is_queued_ && !queue()) run_to(put_, lock);
    return;
  }
  lock.unlock();
  report_faults();
}

std::uint64_t CpuStream::put(const Work& what, Task task, std::span<Memory* const> uses, TaskTraits traits) {
  process_.check();
  if (std::shared_ptr<Capture> captured = capture()) {
    captured->keep(*this, what, uses, [&](Graph& graph) {
      auto& own = static_cast<CpuGraph&>(graph);
      own.tasks.push_back(std::move(task));
      own.runs_on |= traits.runs_on;
      own.borrows |= traits.borrows;
    });
    return last();
  }
  std::unique_lock lock(mutex_);
  tasks_.push_back({std::move(task), traits.borrows ? std::this_thread::get_id() : std::thread::id()});
  note(uses, put_ + 1);
  const std::uint64_t number = ++put_;
  if (traits.runs_on) runs_on_ = number;
  if (!traits.awaited && !is_queued_ && !running_ && !queue()) [[unlikely]]
    run_to(number, lock);
  return number;
}

// Waits for work of another stream, in its own work of the number `own`.
void CpuStream::wait_for(Stream& other, std::uint64_t number, std::uint64_t own) {
  try {
    other.wait(number, std::nullopt);
  } catch (...) {
    keep_caught(own, "work of a stream"); // the other one's device is lost
  }
}

bool CpuStream::wait(std::uint64_t number, Deadline deadline) {
  process_.check();
  std::unique_lock lock(mutex_);
  if (deadline) return changed_.wait_until(lock, *deadline, [&] { return done_ >= number; });
  run_to(number, lock);
  return true;
}

// Takes back what a refused wait was for: it has not begun, because it waits for this thread.
void CpuStream::take_back(std::uint64_t number) noexcept {
  if (process_.is_left()) return; // nobody does it here
  std::lock_guard lock(mutex_);
  std::uint64_t at = done_ + (running_ ? 1 : 0);
  for (Entry& entry : tasks_) {
    if (++at > number) return;
    if (entry.borrower != std::this_thread::get_id() || entry.state != Entry::Waits) continue;
    entry.state = at == number ? Entry::TakenBack : Entry::TakenBackUnheard;
  }
}

void CpuStream::refuse_taken_back() {
  fail(KERN_ARGUMENT_ERROR, "work with host memory was taken back, because the thread that put it on the "
                            "stream was refused to wait for it, "
                            "and may have freed the memory: wait where that can end");
}

// Does work up to a number, or waits for whoever does it, and leaves what is behind it to a runner; the lock is held at
// both ends.
void CpuStream::run_to(std::uint64_t number, std::unique_lock<std::mutex>& lock) {
  while (done_ < number) {
    if (can_run()) {
      run_next(lock);
    } else {
      const Awaiting awaiting(*this, number);
      changed_.wait(lock);
    }
  }
  if (!can_run() || is_queued_ || queue()) return;
  while (can_run()) run_next(lock);
}

namespace {

struct CpuTimestamp final : Timestamp {
  double since(const Timestamp& begin) const override {
    return std::chrono::duration<double, std::milli>(time - static_cast<const CpuTimestamp&>(begin).time)
        .count();
  }
  std::chrono::steady_clock::time_point time;
};

} // namespace

std::uint64_t CpuStream::record(std::shared_ptr<Timestamp>& time) {
  auto made = std::make_shared<CpuTimestamp>();
  time = made;
  return put({"a mark"}, [made](auto&, auto) { made->time = std::chrono::steady_clock::now(); });
}

std::uint64_t CpuStream::fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                              std::span<const char> pattern) {
  std::vector<char> bytes(pattern.begin(), pattern.end());
  Memory* used = to.get();
  auto run = [=](auto&, auto) {
    char* place = static_cast<char*>(to->data) + offset;
    for (std::uint64_t i = 0; i < count; ++i, place += bytes.size())
      std::memcpy(place, bytes.data(), bytes.size());
  };
  return put({"a fill"}, std::move(run), {&used, 1});
}

} // namespace kern::runtime
