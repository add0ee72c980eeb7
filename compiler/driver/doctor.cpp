// kernc doctor: what kernc finds on this machine, and what each thing is for.
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/host_cpu.h"
#include "compiler/emit/ptxas.h"
#include "compiler/emit/ptxas_defects.h"
#include "compiler/support/utf8.h"
#include "kern/version.h"
#include "runtime/cpu/pool.h"
#include "runtime/cuda/compute_cache.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/load.h"

namespace kern {

namespace {

// Runs the programs of ptxas_defects() on the first GPU, by the driver's own PTX compiler.
class DriverProbe {
public:
  explicit DriverProbe(const cuda::Driver& driver) : driver_(driver) {
    int count = 0;
    if (driver_.device_count(&count) || count == 0 || driver_.device_get(&device_, 0) ||
        driver_.primary_retain(&context_, device_))
      return;
    retained_ = true;
    if (driver_.set_context(context_) || cuda::load_ptx(driver_, ptxas_probes(), module_).result)
      module_ = nullptr;
    else if (driver_.stream_create(&stream_, 1) || driver_.allocate(&memory_, sizeof(int)))
      memory_ = 0;
  }
  DriverProbe(const DriverProbe&) = delete;
  DriverProbe& operator=(const DriverProbe&) = delete;
  ~DriverProbe() {
    if (memory_) driver_.release(memory_);
    if (stream_) driver_.stream_destroy(stream_);
    if (module_) driver_.module_unload(module_);
    if (retained_) driver_.primary_release(device_);
  }

  bool is_ready() const { return module_ && memory_; }

  // Returns what the program gives; nothing where it does not run.
  std::optional<int> run(const PtxasDefect& defect) const {
    cuda::FunctionHandle function = nullptr;
    // No program gives this result, so one that writes nothing is not taken to be right.
    int result = ~defect.right, x = defect.x, y = defect.y, z = defect.z;
    cuda::Address memory = memory_;
    void* arguments[] = {&memory, &x, &y, &z};
    if (driver_.module_function(&function, module_, std::string(defect.name).c_str()) ||
        driver_.copy_to_device(memory, &result, sizeof result) ||
        driver_.launch(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr) || driver_.synchronize() ||
        driver_.copy_to_host(&result, memory, sizeof result))
      return std::nullopt;
    return result;
  }

private:
  const cuda::Driver& driver_;
  cuda::DeviceHandle device_ = 0;
  cuda::ContextHandle context_ = nullptr;
  cuda::ModuleHandle module_ = nullptr;
  cuda::StreamHandle stream_ = nullptr;
  cuda::Address memory_ = 0;
  bool retained_ = false;
};

// One line that says how it went, and one for each defect that the driver has.
std::vector<std::string> probe_compiler(const DriverProbe& probe) {
  if (!probe.is_ready()) return {"not tested: no GPU takes the test's PTX"};
  std::vector<std::string> wrong;
  std::size_t failed = 0;
  for (const PtxasDefect& defect : ptxas_defects()) {
    std::optional<int> result = probe.run(defect);
    if (!result)
      ++failed;
    else if (*result != defect.right)
      wrong.push_back(fmt::format("  {} is {} for x = {}, y = {}, z = {}: {} is right", defect.what, *result,
                                  defect.x, defect.y, defect.z, defect.right));
  }
  std::size_t all = ptxas_defects().size();
  std::string head = failed ? fmt::format("{} of {} tests of known defects do not run", failed, all)
                     : wrong.empty()
                         ? fmt::format("none of {} known defects", all)
                         : fmt::format("{} of {} known defects; kernc's PTX avoids them", wrong.size(), all);
  wrong.insert(wrong.begin(), std::move(head));
  return wrong;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t gib = 1 << 30, mib = 1 << 20, kib = 1 << 10;
  auto [unit, name] = bytes >= gib   ? std::pair(gib, "GiB")
                      : bytes >= mib ? std::pair(mib, "MiB")
                                     : std::pair(kib, "KiB");
  return fmt::format("{:.1f} {}", static_cast<double>(bytes) / static_cast<double>(unit), name);
}

// Says whether the driver keeps what it compiles; `has_compiled`: it has just compiled PTX, or had it there.
std::vector<std::string> describe_cache(cuda::ComputeCache cache, bool has_compiled) {
  if (cache.problem.empty() && has_compiled && cache.files == 0)
    cache.problem = cache.folder + " holds nothing, and the driver has just compiled PTX: is the disk full?";
  if (!cache.problem.empty())
    return {"of no use: " + printable(cache.problem),
            "  each process compiles PTX anew, 30 to 40 ms a kernel; cubins in an object (--arch) need no "
            "compiler"};
  std::string limit = cache.limit ? size_text(*cache.limit) : "the driver's default limit";
  bool is_full = cache.limit && cache.bytes >= *cache.limit - *cache.limit / 10;
  return {fmt::format("{} {}, {} of {}{}", has_compiled ? "works:" : "would be", printable(cache.folder),
                      size_text(cache.bytes), limit,
                      is_full ? ": full, so that older code goes; raise CUDA_CACHE_MAXSIZE" : "")};
}

} // namespace

ExitCode doctor_command(const std::vector<std::string>& words, Streams& streams) {
  if (!words.empty()) {
    streams.err << fmt::format("kernc: `kernc doctor` takes no `{}`\n", printable(words.front()));
    return ExitCode::WrongUse;
  }
  auto say = [&](std::string_view what, std::string_view text) {
    streams.out << fmt::format("{:<14} {}\n", what, text);
  };
  auto say_lines = [&](std::string_view what, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) say(&line == &lines.front() ? what : "", line);
  };
  say("kernc", KERN_VERSION_STRING);
  say("LLVM", KERN_LLVM_VERSION);
  DeviceMathLibrary math = find_device_math();
  say("device math",
      math.name.empty()
          ? "none: sin, exp and kin do not compile for a GPU; install libclc-19 or a CUDA toolkit"
          : fmt::format("{} ({})", math.name, math.path));
  say("ptxas", find_ptxas().value_or("none: only needed for cubins"));
  std::string reason;
  const cuda::Driver* driver = cuda::load_driver(reason);
  say("NVIDIA driver", driver ? "there" : fmt::format("none ({})", reason));
  bool has_compiled = false;
  if (driver) {
    DriverProbe probe(*driver);
    has_compiled = probe.is_ready();
    say_lines("PTX compiler", probe_compiler(probe));
  }
  say_lines("PTX cache", describe_cache(cuda::inspect_compute_cache(), has_compiled));
  say("CPU", fmt::format("{}, {} threads", host_cpu_name(), cpu::default_threads()));
  std::string level = host_cpu_level();
  say("CPU code", level.empty() ? "x86-64, below v3: kernc has no code for it but `native`"
                                : fmt::format("{} ({})", level, level == "x86-64-v4" ? "AVX-512" : "AVX2"));
  return ExitCode::Done;
}

} // namespace kern
