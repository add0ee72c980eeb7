// kernc doctor: what kernc finds on this machine, and what each thing is for.
#include "compiler/driver/commands.h"
#include "compiler/driver/host_cpu.h"
#include "compiler/emit/ptxas.h"
#include "compiler/support/utf8.h"
#include "runtime/cpu/pool.h"
#include "runtime/cuda/driver.h"

namespace kern {

ExitCode doctor_command(const std::vector<std::string>& words, Streams& streams) {
  if (!words.empty()) {
    streams.err << fmt::format("kernc: `kernc doctor` takes no `{}`\n", printable(words.front()));
    return ExitCode::WrongUse;
  }
  auto say = [&](std::string_view what, std::string_view text) {
    streams.out << fmt::format("{:<14} {}\n", what, text);
  };
  say("kernc", KERN_VERSION);
  say("LLVM", KERN_LLVM_VERSION);
  DeviceMathLibrary math = find_device_math();
  say("device math",
      math.name.empty()
          ? "none: sin, exp and kin do not compile for a GPU; install libclc-19 or a CUDA toolkit"
          : fmt::format("{} ({})", math.name, math.path));
  say("ptxas", find_ptxas().value_or("none: only needed for cubins"));
  std::string reason;
  bool driver = cuda::load_driver(reason) != nullptr;
  say("NVIDIA driver", driver ? "there" : fmt::format("none ({})", reason));
  say("CPU", fmt::format("{}, {} threads", host_cpu_name(), cpu::default_threads()));
  std::string level = host_cpu_level();
  say("CPU code", level.empty() ? "x86-64, below v3: kernc has no code for it but `native`"
                                : fmt::format("{} ({})", level, level == "x86-64-v4" ? "AVX-512" : "AVX2"));
  return ExitCode::Done;
}

} // namespace kern
