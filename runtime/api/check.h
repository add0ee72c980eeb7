// KERN_CHECK=streams: two uses of the same memory on two streams, one of which writes, are told with both places where
// nothing puts one behind the other. Each stream has a clock of what its next work comes behind: its own earlier work, events
// and fills that it was put behind, and all that any thread of the host waited for before. What is told does not depend on who
// was faster. Where nobody asks, it is a look at one word.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/api/clock.h"
#include "runtime/api/device.h"

namespace kern::runtime {

extern std::atomic<bool> is_checking_streams;
inline bool checks_streams() { return is_checking_streams.load(std::memory_order_relaxed); }

// Reads the setting KERN_CHECK.
void choose_checks();

// A piece of work for the check; it begins with it.
class CheckedWork {
public:
  // `what` is what uses memory: "kernel `scale`"; the place is the program's, null where it is not known.
  CheckedWork(Stream& stream, std::string what, const kern_place& place = {});
  // The work uses an array, which the program knows by that name.
  void use(Memory& memory, const kern_argument& array, bool writes, std::string_view name);
  // It uses bytes.
  void use(Memory& memory, std::uint64_t offset, std::uint64_t bytes, bool writes);
  // It fills all that it writes: what comes next comes behind.
  void fills(Memory& memory);
  // It does all that was captured.
  void replays(const Graph& graph);

private:
  Stream& stream_;
  std::shared_ptr<Capture> capture_;
  std::string what_, place_;
  std::shared_ptr<const Clock> clock_;
  std::uint64_t number_ = 0;
};

// Checks the arrays of a launch.
void check_launch(Stream& stream, const Plan& plan, const kern_launch_options& options,
                  std::span<const kern_argument> arguments);

// Returns what an event of the stream's last work stands for; null where nothing is checked.
std::shared_ptr<const Clock> checked_point(Stream& stream);
// The stream is put behind that,
void check_after(Stream& stream, const std::shared_ptr<const Clock>& point);
// behind all uses of some memory,
void check_behind_uses(Stream& stream, const Memory& memory);
// and the host has waited for it, or for all of a stream.
void check_waited(const std::shared_ptr<const Clock>& point);
void check_waited(Stream& stream);

} // namespace kern::runtime
