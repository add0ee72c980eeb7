// kernc devices: what kernels can run on here, and which of them a program that does not choose gets.
#include <thread>

#include "compiler/driver/run/runner.h"
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/host_cpu.h"
#include "compiler/support/utf8.h"
#include "runtime/common/settings.h"
#include "runtime/cuda/facts.h"

namespace kern {

static std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

static std::string cpu_text() {
  std::string failure, level = host_cpu_level();
  std::unique_ptr<Runner> cpu = Runner::open("cpu", 0, failure);
  if (!cpu) return failure;
  kern_device_info info = cpu->info();
  auto wanted = settings::cpu_level();
  return fmt::format("{}, {} cores, {} threads, {}, {}", host_cpu_name(), std::thread::hardware_concurrency(),
                     info.threads, gibibytes(info.memory_bytes),
                     level.empty()           ? "below x86-64-v3: objects have no code for it"
                     : wanted.value          ? fmt::format("code for {} (KERN_CPU)", wanted.value->name)
                     : !wanted.wrong.empty() ? wanted.wrong
                                             : "code for " + level);
}

static std::string cuda_text(const cuda::Driver& driver, int ordinal) {
  cuda::DeviceFacts facts;
  const char* failed = "";
  if (cuda::Result result = read_facts(driver, ordinal, facts, failed))
    return cuda::describe(driver, failed, result);
  return fmt::format("{}, compute capability {}.{}, {}, driver for CUDA {}.{}", facts.name, facts.major,
                     facts.minor, gibibytes(facts.memory_bytes), facts.driver_version / 1000,
                     facts.driver_version % 1000 / 10);
}

// One line a GPU, or one that says why there is none.
static void list_cuda(Streams& streams) {
  std::string reason;
  const cuda::Driver* driver = cuda::load_driver(reason);
  int count = 0;
  if (driver) {
    if (cuda::Result result = driver->device_count(&count))
      reason = cuda::describe(*driver, "cuDeviceGetCount", result);
    else if (count == 0)
      reason = "the driver has no device: see CUDA_VISIBLE_DEVICES";
  }
  for (int ordinal = 0; ordinal < count; ++ordinal)
    streams.out << fmt::format("cuda:{}  {}\n", ordinal, cuda_text(*driver, ordinal));
  if (count == 0) streams.out << fmt::format("cuda    none: {}\n", reason);
}

ExitCode devices_command(const std::vector<std::string>& words, Streams& streams) {
  if (!words.empty()) {
    streams.err << fmt::format("kernc: `kernc devices` takes no `{}`\n", printable(words.front()));
    return ExitCode::WrongUse;
  }
  streams.out << fmt::format("cpu     {}\n", cpu_text());
  list_cuda(streams);
  kern_device_options options{};
  options.struct_size = sizeof options;
  options.kind = KERN_DEVICE_BEST;
  kern_device* opened = nullptr;
  Held<kern_error> error(kern_device_open(&options, &opened));
  Held<kern_device> best(opened);
  if (error)
    streams.out << fmt::format("Device::best() fails: {}\n", kern_error_message(error.get()));
  else
    streams.out << fmt::format("Device::best() takes {}: {}\n", kern_device_name(best.get()),
                               kern_device_reason(best.get()));
  return ExitCode::Done;
}

} // namespace kern
