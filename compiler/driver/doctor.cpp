// kernc doctor: what kernc finds on this machine, and what each thing is for.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "compiler/driver/commands.h"
#include "runtime/cpu/pool.h"
#include "runtime/cuda/driver.h"

namespace kern {

static std::string find_tool(const std::string& name) {
  std::string folders = std::getenv("PATH") ? std::getenv("PATH") : "";
  folders += ":/usr/local/cuda/bin";
  std::size_t begin = 0;
  while (begin <= folders.size()) {
    std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::string path = folders.substr(begin, end - begin) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
    begin = end + 1;
  }
  return "";
}

static std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

static std::string cpu_arch() {
  __builtin_cpu_init();
  // The levels of the x86-64 ABI, by the features that tell them apart.
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4   ? "x86-64-v4 (AVX-512)"
         : v3 ? "x86-64-v3 (AVX2)"
              : "x86-64, below v3: kernc has no code for it but `native`";
}

ExitCode doctor_command(Streams& streams) {
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
  std::string ptxas = find_tool("ptxas");
  say("ptxas", ptxas.empty() ? "none: only needed for cubins" : ptxas);
  std::string reason;
  bool driver = cuda::load_driver(reason) != nullptr;
  say("NVIDIA driver", driver ? "there" : fmt::format("none ({})", reason));
  say("CPU", fmt::format("{}, {} threads", cpu_name(), cpu::default_threads()));
  say("CPU code", cpu_arch());
  return ExitCode::Done;
}

} // namespace kern
