// A launch as a stream of the CPU keeps it.
#pragma once

#include "runtime/api/device.h"

namespace kern::runtime {

// A launch with all that it needs until it has run.
struct Queued : Launched {
  explicit Queued(const Launch& launch)
      : Launched(launch), owner(*launch.owner), entry(static_cast<kern_object_entry*>(launch.variant->entry)),
        shared_bytes(launch.shared_bytes), params(launch.params.begin(), launch.params.end()),
        report(launch.report) {
    for (Memory* memory : launch.uses) uses.push_back(memory->shared_from_this());
  }
  std::shared_ptr<const Module> owner;
  const kern_object_entry* entry;
  std::uint64_t shared_bytes;
  std::vector<std::uint64_t> params;
  std::vector<std::shared_ptr<Memory>> uses;
  kern_launch_report* report;
};

} // namespace kern::runtime
