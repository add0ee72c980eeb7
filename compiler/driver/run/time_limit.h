// --timeout: ends a launch that takes longer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>

#include "compiler/driver/result.h"

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
  // Begins to count. Once the limit has passed, `stop`, which the launch polls, is set; where `polls` is false,
  // or nobody listens to it for some seconds, `give_up` is called, in another thread.
  TimeLimit(const Timeout& timeout, bool polls, std::uint64_t& stop, std::function<void()> give_up);
  // Says whether the launch was told to end.
  bool has_passed() const;

private:
  void watch(const std::stop_token& ended);
  Duration limit_{};
  bool polls_;
  std::uint64_t& stop_;
  std::function<void()> give_up_;
  std::jthread watcher_;
};

} // namespace kern
