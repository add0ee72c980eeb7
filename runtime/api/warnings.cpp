// One line each, as the compiler writes them.
#include "runtime/api/warnings.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kern::runtime {

static bool are_wanted() {
  const char* setting = std::getenv("KERN_WARNINGS");
  return !setting || std::string_view(setting) != "off";
}

void warn(std::atomic<bool>& said, const std::function<std::string()>& text) {
  if (said.load(std::memory_order_relaxed) || said.exchange(true) || !are_wanted()) return;
  std::fprintf(stderr, "kern: warning: %s\n", text().c_str());
}

} // namespace kern::runtime
