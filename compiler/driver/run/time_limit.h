// --timeout: ends a launch that takes longer.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>

#include "compiler/driver/data/result.h"

namespace kern {

using Duration = std::chrono::duration<double>;

// Reads a time: 10s, 1.5s, 500ms, 2m, 1h; a number alone counts seconds.
Result<Duration> parse_duration(std::string_view text);

// How long one launch may take, and what stands for that on the command line.
struct Timeout {
  std::optional<Duration> limit;
  std::string_view text;
};

class TimeLimit {
public:
  // Begins to count. Where the launch, which the runtime tells to end, is not over some seconds behind its limit,
  // `give_up` is called, in another thread.
  TimeLimit(const Timeout& timeout, std::function<void()> give_up);

private:
  void watch(const std::stop_token& ended);
  Duration limit_{};
  std::function<void()> give_up_;
  std::jthread watcher_;
};

} // namespace kern
