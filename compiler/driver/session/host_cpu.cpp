// Finds what `kernc doctor` and `kernc devices` say about the CPU: its features tell the level of x86-64,
// because the objects carry code for levels, not for names of CPUs.
#include "compiler/driver/session/host_cpu.h"

#include <fstream>

namespace kern {

std::string host_cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string host_cpu_level() {
  __builtin_cpu_init();
  // The levels of the x86-64 ABI, by the features that tell them apart.
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : "";
}

bool host_cpu_lacks(std::string_view arch) {
  return (arch == "x86-64-v3" || arch == "x86-64-v4") && arch > host_cpu_level();
}

} // namespace kern
