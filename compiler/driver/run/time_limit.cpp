// A thread that sleeps until the limit: launches are not slower for it. A CPU's code polls; a GPU's cannot, and
// a driver that waits for an endless kernel waits for ever, so that only the end of the process is left.
#include "compiler/driver/run/time_limit.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "compiler/driver/run/array.h"

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

TimeLimit::TimeLimit(const Timeout& timeout, bool polls, std::uint64_t& stop, std::function<void()> give_up)
    : polls_(polls), stop_(stop), give_up_(std::move(give_up)) {
  if (!timeout.limit) return;
  limit_ = *timeout.limit;
  watcher_ = std::jthread([this](const std::stop_token& ended) { watch(ended); });
}

bool TimeLimit::has_passed() const { return std::atomic_ref(stop_).load(std::memory_order_relaxed) != 0; }

void TimeLimit::watch(const std::stop_token& ended) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  auto begin = std::chrono::steady_clock::now();
  auto sleep_until = [&](Duration time) {
    auto until = begin + std::chrono::duration_cast<std::chrono::nanoseconds>(time);
    changed.wait_until(lock, ended, until, [] { return false; });
    return !ended.stop_requested();
  };
  if (!sleep_until(limit_)) return;
  std::atomic_ref(stop_).store(1, std::memory_order_relaxed);
  if (!polls_ || sleep_until(limit_ + patience)) give_up_();
}

} // namespace kern
