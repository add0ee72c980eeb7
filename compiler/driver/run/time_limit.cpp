// The runtime tells a launch to end. What does not listen is waited for in vain, so that only the end of the process is
// left: a thread sleeps until then.
#include "compiler/driver/run/time_limit.h"

#include <condition_variable>
#include <mutex>

#include "compiler/driver/data/array.h"

namespace kern {

static constexpr Duration longest = std::chrono::hours(10'000);
// Between two polls there may be a large copy, or a long row of calls.
static constexpr Duration patience = std::chrono::seconds(10);

Result<Duration> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr Unit units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  std::string_view digits = text.substr(0, text.find_first_not_of("0123456789_."));
  std::string_view name = text.substr(digits.size());
  double seconds = name.empty() ? 1 : 0;
  for (const Unit& unit : units)
    if (unit.name == name) seconds = unit.seconds;
  Result<Number> number = parse_number(digits);
  if (digits.empty() || seconds == 0 || !number)
    return failure("--timeout takes a time, as in 10s, 500ms or 2m, and not `{}`", text);
  Duration time(as_real(*number) * seconds);
  if (time.count() <= 0) return failure("--timeout {}: a launch needs more time than none", text);
  if (time > longest) return failure("--timeout {}: the most is 10000h", text);
  return time;
}

TimeLimit::TimeLimit(const Timeout& timeout, std::function<void()> give_up) : give_up_(std::move(give_up)) {
  if (!timeout.limit) return;
  limit_ = *timeout.limit;
  watcher_ = std::jthread([this](const std::stop_token& ended) { watch(ended); });
}

void TimeLimit::watch(const std::stop_token& ended) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(limit_ + patience);
  changed.wait_until(lock, ended, until, [] { return false; });
  if (!ended.stop_requested()) give_up_();
}

} // namespace kern
