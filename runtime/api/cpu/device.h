// The CPU device behind runtime/api/device.h: a pool of threads, a budget of memory, and the code of modules.
#pragma once

#include <atomic>

#include "runtime/api/cpu/runners.h"
#include "runtime/api/device.h"
#include "runtime/api/fork.h"
#include "runtime/cpu/array_memory.h"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/pool.h"

namespace kern::runtime {

// The process in which something was made. Threads do not survive fork, and what they held stays locked: in a
// child the device of the parent only refuses.
class Process {
public:
  bool is_left() const { return fork_count() != forks_; }
  // Refuses what needs the threads of that process.
  void check() const {
    if (is_left())
      fail(KERN_DEVICE_ERROR,
           "the CPU's threads do not survive fork: open the device in the process that uses it");
  }

private:
  unsigned forks_ = fork_count();
};

// The bytes that the buffers of a device have, and may have.
struct Budget {
  std::uint64_t limit = 0;
  std::atomic<std::uint64_t> held{0};
};

struct CpuMemory final : Memory {
  ~CpuMemory() override {
    if (budget) budget->held -= bytes;
    if (release) release();
  }
  cpu::ArrayMemory own;
  std::function<void()> release;  // of memory that is somebody else's
  std::shared_ptr<Budget> budget; // that it counts against
};

// The entries of an object that this CPU can run, by variant.
struct CpuCode final : Code {
  void* entry(const ManifestVariant& variant) override { return &entries.find(variant.symbol)->second; }
  std::map<std::string, kern_object_entry, std::less<>> entries;
};

class CpuDevice final : public Device {
public:
  CpuDevice(unsigned threads, std::uint64_t memory_limit);
  ~CpuDevice() override;
  kern_device_kind kind() const override { return KERN_DEVICE_CPU; }
  std::shared_ptr<Memory> allocate(std::uint64_t bytes) override;
  std::shared_ptr<Memory> allocate_host(std::uint64_t bytes, std::uint32_t) override {
    return allocate(bytes);
  }
  std::shared_ptr<Memory> wrap(void* data, std::uint64_t bytes, std::function<void()> release) override;
  std::unique_ptr<Code> load(const Manifest& manifest, const kern_object& object) override;
  std::shared_ptr<Stream> make_stream() override;
  std::shared_ptr<Stream> wrap_stream(void*) override {
    fail(KERN_ARGUMENT_ERROR, "streams of a driver are of CUDA devices, and this is " + name_);
  }
  std::string_view target() const override { return "cpu"; }
  bool shares_host_memory() const override { return true; }
  // Blocks that do not wait for each other need not run at once.
  std::optional<std::uint64_t> most_cooperative_blocks(const Launch& launch) override {
    return launch.kernel->cooperative ? std::optional(cpu::most_cooperative_blocks) : std::nullopt;
  }
  kern_device_info info() const override;
  // Each thread of the pool runs a block at a time.
  std::uint64_t occupancy(const Plan&, std::uint64_t, std::uint64_t) override { return pool->threads(); }
  void take(std::uint64_t bytes);

  std::shared_ptr<Budget> budget = std::make_shared<Budget>();
  std::shared_ptr<cpu::Pool> pool; // streams that are still at work outlive the device
  std::shared_ptr<Runners> runners = std::make_shared<Runners>(); // likewise
  const Process process;
};

} // namespace kern::runtime
