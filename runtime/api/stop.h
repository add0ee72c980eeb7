// Launches that are told to end: the words that their threads ask for, and what sets them when a time has come.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

namespace kern::runtime {

// The values of such a word.
enum class Stop : std::uint64_t {
  None,
  ByReport, // the program has set the word of its kern_launch_report
  DeadlinePassed,
  Cancelled
};

inline Stop stop_of(std::uint64_t& word) {
  const std::uint64_t value = std::atomic_ref(word).load(std::memory_order_relaxed);
  return value <= static_cast<std::uint64_t>(Stop::Cancelled) ? static_cast<Stop>(value) : Stop::ByReport;
}
// Tells a launch to end, unless it was told before.
inline void tell_to_stop(std::uint64_t& word, Stop why) {
  std::uint64_t none = 0;
  std::atomic_ref(word).compare_exchange_strong(none, static_cast<std::uint64_t>(why),
                                                std::memory_order_relaxed);
}

// Tells a launch to end once its time has passed, from a thread that the process has for all of them. Once the alarm is
// gone the word is left alone.
class Alarm {
public:
  // Throws where there is no such thread and none can be made.
  Alarm(std::chrono::steady_clock::time_point time, std::uint64_t& word);
  Alarm(Alarm&& other) noexcept
      : timer_(std::exchange(other.timer_, nullptr)), time_(other.time_), id_(other.id_) {}
  Alarm& operator=(Alarm&& other) noexcept {
    std::swap(timer_, other.timer_);
    std::swap(time_, other.time_);
    std::swap(id_, other.id_);
    return *this;
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm();

private:
  class Timer;
  static Timer& timer();
  Timer* timer_;
  std::chrono::steady_clock::time_point time_;
  std::uint64_t id_ = 0;
};

// How long a launch may take, from the call on.
struct TimeLimit {
  static std::chrono::steady_clock::time_point end(double seconds) {
    using Time = std::chrono::steady_clock;
    return Time::now() + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
  }
  // The word is that of somebody else, who keeps it as long, or its own.
  TimeLimit(double limit, std::uint64_t* given)
      : seconds(limit), word(given ? given : &own), alarm(end(limit), *word) {}
  double seconds;
  std::uint64_t own = 0;
  std::uint64_t* word;
  Alarm alarm;
};

} // namespace kern::runtime
