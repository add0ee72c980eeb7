// Queues lines for the program's function, because that may wait for threads that say things; stderr is
// written to directly, which needs no memory.
#include "runtime/common/log.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <list>
#include <mutex>
#include <new>
#include <thread>

namespace kern {

namespace {

struct Line {
  kern_log_level level;
  std::string text;
};

void print(kern_log_level level, const std::string& text) noexcept {
  std::fprintf(stderr, "kern: %s%s\n", level == KERN_LOG_WARNING ? "warning: " : "", text.c_str());
}

// Lines go to the program's function one at a time and with no lock held, by one thread for all: whoever comes meanwhile, the
// function itself too, leaves its line there and goes on. So the function may wait for threads that say things.
class Sink {
public:
  void set(kern_log_function function, void* context) {
    std::unique_lock lock(mutex_);
    function_ = function;
    context_ = context;
    const std::uint64_t seen = calls_ended_;
    if (caller_ != std::this_thread::get_id())
      ended_.wait(lock, [&] { return caller_ == std::thread::id() || calls_ended_ != seen; });
  }
  void take(Line line) {
    std::unique_lock lock(mutex_);
    lines_.push_back(std::move(line));
    if (caller_ != std::thread::id()) return;
    caller_ = std::this_thread::get_id();
    while (!lines_.empty()) {
      const Line next = std::move(lines_.front());
      lines_.pop_front();
      const auto function = function_;
      void* const context = context_;
      lock.unlock();
      hand_over(next, function, context);
      lock.lock();
      ++calls_ended_;
      ended_.notify_all();
    }
    caller_ = std::thread::id();
    ended_.notify_all();
  }

private:
  static void hand_over(const Line& line, kern_log_function function, void* context) noexcept {
    try {
      if (function) return function(context, line.level, line.text.c_str(), line.text.size());
    } catch (...) {
      // The exception is dropped, and the line goes where it would go without the function.
    }
    print(line.level, line.text);
  }

  std::mutex mutex_;
  std::condition_variable ended_; // a call
  std::list<Line> lines_;
  std::thread::id caller_; // of the function; no thread's: it is not called
  std::uint64_t calls_ended_ = 0;
  kern_log_function function_ = nullptr;
  void* context_ = nullptr;
};

// Never taken down: what runs at the end of a program says things, too. It takes no memory: kern_set_log has no way to say that
// there is none.
Sink& sink() {
  alignas(Sink) static std::byte place[sizeof(Sink)];
  static Sink* const all = new (place) Sink;
  return *all;
}

} // namespace

void set_log(kern_log_function function, void* context) { sink().set(function, context); }

void log(kern_log_level level, const std::string& text) noexcept {
  try {
    return sink().take({level, text});
  } catch (...) {
    // There is no memory to keep the line in: stderr needs none.
  }
  print(level, text);
}

} // namespace kern
