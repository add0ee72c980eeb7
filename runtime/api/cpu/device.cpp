// The pool, modules and streams of the CPU device, and the device that all share.
#include "runtime/api/cpu/device.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "runtime/api/cpu/stream.h"
#include "runtime/common/settings.h"

namespace kern::runtime {

CpuDevice::CpuDevice(unsigned threads, std::uint64_t memory_limit)
    : pool(std::make_shared<cpu::Pool>(threads)) {
  budget->limit = memory_limit;
  name_ = "CPU (" + std::to_string(pool->threads()) + " threads)";
}

// A pool waits for its threads: in a child it is left alone, where leak checkers see it.
static void leave(std::shared_ptr<cpu::Pool> pool) {
  struct Left {
    std::shared_ptr<cpu::Pool> pool;
    Left* next;
  };
  static constinit std::atomic<Left*> all{nullptr};
  auto* left = new Left{std::move(pool), all.load()};
  while (!all.compare_exchange_weak(left->next, left)) {}
}

CpuDevice::~CpuDevice() {
  if (process.is_left())
    leave(std::move(pool));
  else
    runners->close();
}

kern_device_info CpuDevice::info() const {
  kern_device_info info{};
  info.threads = pool->threads();
  info.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  info.available_bytes = budget->limit > 0 ? budget->limit - std::min(budget->limit, budget->held.load())
                                           : static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                                                 static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return info;
}

// Code that was compiled into this process is "native": whoever made it knew the CPU.
static bool can_run(std::string_view cpu) {
  if (cpu == "native") return true;
  if (cpu == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4");
  if (cpu == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3");
  return false;
}

std::unique_ptr<Code> CpuDevice::load(const Manifest& manifest, const kern_object& object) {
  auto code = std::make_unique<CpuCode>();
  auto chosen = settings::cpu_level();
  if (!chosen.wrong.empty()) fail(KERN_ARGUMENT_ERROR, chosen.wrong);
  const std::optional<settings::Level>& wanted = chosen.value;
  for (std::uint64_t i = 0; i < object.entry_count; ++i) {
    const kern_object_entry& entry = object.entries[i];
    std::string_view cpu = entry.cpu;
    if (!can_run(cpu) || (wanted && cpu != wanted->name && cpu != "native")) continue;
    auto [known, is_new] = code->entries.try_emplace(entry.symbol, entry);
    // The names of levels ascend.
    if (!is_new && known->second.cpu < cpu) known->second = entry;
  }
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestVariant& variant : kernel.variants)
      if (variant.target == "cpu" && !code->entries.contains(variant.symbol))
        fail(KERN_DEVICE_ERROR, "the object has no code of `" + variant.symbol +
                                    "` for this CPU: it is made for x86-64-v3 and x86-64-v4" +
                                    (wanted ? ", and KERN_CPU is " + wanted->name : ""));
  return code;
}

std::shared_ptr<Stream> CpuDevice::make_stream() {
  process.check();
  auto stream = std::make_shared<CpuStream>(pool, runners);
  stream->make_findable();
  // Callers hold a pointer that closes the stream; runners hold the stream itself. (A weak pointer keeps the
  // function, so that must let go of the stream too.)
  return {stream.get(), [stream](Stream*) mutable {
            stream->close();
            stream.reset();
          }};
}

std::shared_ptr<Device> open_cpu(unsigned threads, std::uint64_t memory_limit) {
  if (threads > 0 || memory_limit > 0)
    return std::make_shared<CpuDevice>(threads > 0 ? threads : cpu::default_threads(), memory_limit);
  // Streams may outlive main: the shared pool is never taken down.
  static constinit OfProcess<std::shared_ptr<CpuDevice>> shared;
  return shared.get([] { return std::make_shared<CpuDevice>(cpu::default_threads(), 0); });
}

} // namespace kern::runtime
