// A breakpoint that is written in a kernel. Without a debugger the signal would end the process.
#include <csignal>
#include <cstdio>
#include <cstring>

#include "kern/abi.h"

static bool is_traced() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  if (!status) return false;
  constexpr char field[] = "TracerPid:";
  char line[256];
  bool traced = false;
  while (std::fgets(line, sizeof line, status))
    if (std::strncmp(line, field, sizeof field - 1) == 0)
      traced = std::strpbrk(line + sizeof field - 1, "123456789") != nullptr;
  std::fclose(status);
  return traced;
}

void kern_cpu_breakpoint() {
  if (is_traced()) std::raise(SIGTRAP);
}
