// A line that is written over: nothing of it stays when the run is done.
#include "compiler/driver/run/progress.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>

namespace kern {

Progress::Progress(Streams& streams, std::uint64_t total, std::uint64_t& done)
    : streams_(streams), total_(total), done_(done) {
  if (!streams.err_is_terminal || total <= 1) return;
  try {
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  } catch (const std::system_error&) {
    // The kernel runs without the line if there is no thread to be had.
  }
}

void Progress::watch(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  auto wait = [&](std::chrono::milliseconds time) {
    return changed.wait_for(lock, stop, time, [] { return false; });
  };
  wait(std::chrono::seconds(1));
  bool shown = false;
  while (!stop.stop_requested()) {
    std::uint64_t done = std::atomic_ref(done_).load(std::memory_order_relaxed);
    streams_.err << fmt::format("\rkernc: {} of {} blocks ({}%)", done, total_, 100 * done / total_)
                 << std::flush;
    shown = true;
    wait(std::chrono::milliseconds(200));
  }
  if (shown) streams_.err << "\r\x1b[K" << std::flush;
}

} // namespace kern
