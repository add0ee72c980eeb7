// A launch as a stream of the CPU keeps it.
#pragma once

#include <cstddef>

#include "runtime/api/device.h"

namespace kern::runtime {

// Returns the word of a report by which the program may end the launch; null where there is none. A report of a host that
// was compiled before there was the word has none.
inline std::uint64_t* stop_of(kern_launch_report* report) {
  constexpr std::size_t end = offsetof(kern_launch_report, stop) + sizeof(kern_launch_report::stop);
  return report && report->struct_size >= end ? &report->stop : nullptr;
}

// A launch with all that it needs until it has run.
struct Queued : Launched {
  explicit Queued(const Launch& launch)
      : Launched(launch), owner(*launch.owner), plan(launch.plan),
        entry(static_cast<kern_object_entry*>(launch.variant->entry)), shared_bytes(launch.shared_bytes),
        params(launch.params.begin(), launch.params.end()), report(launch.report) {
    if (launch.time_limit > 0) limit = std::make_shared<TimeLimit>(launch.time_limit, stop_of(report));
    for (Memory* memory : launch.uses) uses.push_back(memory->shared_from_this());
  }
  std::shared_ptr<const Module> owner;
  const Plan* plan; // the module's
  const kern_object_entry* entry;
  std::uint64_t shared_bytes;
  std::vector<std::uint64_t> params;
  std::vector<std::shared_ptr<Memory>> uses;
  kern_launch_report* report;
  std::shared_ptr<TimeLimit> limit; // tasks are copied
};

} // namespace kern::runtime
