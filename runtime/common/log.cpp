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
#include <set>
#include <thread>

namespace kern {

namespace {

struct Line {
  kern_log_level level;
  std::string text;
  bool is_of_source; // words of the compiler
};

void print(kern_log_level level, const std::string& text, bool is_of_source) noexcept {
  const bool is_warning = level == KERN_LOG_WARNING && !is_of_source;
  std::fprintf(stderr, "kern: %s%s\n", is_warning ? "warning: " : "", text.c_str());
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
  void hand_over(const Line& line, kern_log_function function, void* context) noexcept {
    try {
      if (function) return function(context, line.level, line.text.c_str(), line.text.size());
      if (line.is_of_source && was_printed(line.text)) return;
    } catch (...) {
      // The exception is dropped, and the line goes where it would go without the function.
    }
    print(line.level, line.text, line.is_of_source);
  }
  // Only the thread that hands lines over asks. A service may have any number of texts: some are said again.
  bool was_printed(const std::string& text) {
    constexpr std::size_t most = 1000;
    if (printed_.size() == most) printed_.clear();
    return !printed_.insert(text).second;
  }

  std::mutex mutex_;
  std::condition_variable ended_; // a call
  std::list<Line> lines_;
  std::set<std::string> printed_; // of sources
  std::thread::id caller_;        // of the function; no thread's: it is not called
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

static void say(kern_log_level level, const std::string& text, bool is_of_source) noexcept {
  try {
    return sink().take({level, text, is_of_source});
  } catch (...) {
    // There is no memory to keep the line in: stderr needs none.
  }
  print(level, text, is_of_source);
}

void log(kern_log_level level, const std::string& text) noexcept { say(level, text, false); }
void log_of_source(const std::string& text) noexcept { say(KERN_LOG_WARNING, text, true); }

} // namespace kern
