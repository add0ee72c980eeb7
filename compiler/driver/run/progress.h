// Says on a terminal how far a run is that takes longer than a second.
#pragma once

#include <cstdint>
#include <thread>

#include "compiler/driver/session/streams.h"

namespace kern {

class Progress {
public:
  // Watches `done`, which whoever runs blocks counts up atomically to `total`, until it is destroyed.
  Progress(Streams& streams, std::uint64_t total, std::uint64_t& done);

private:
  void watch(const std::stop_token& stop);
  Streams& streams_;
  std::uint64_t total_;
  std::uint64_t& done_;
  std::jthread watcher_;
};

} // namespace kern
