// One line each, as the compiler writes them.
#include "runtime/api/warnings.h"

#include <string_view>

#include "runtime/common/log.h"
#include "runtime/common/settings.h"

namespace kern::runtime {

static bool are_wanted() {
  const char* wanted = setting("KERN_WARNINGS");
  return !wanted || std::string_view(wanted) != "off";
}

void warn(std::atomic<bool>& said, const std::function<std::string()>& text) {
  if (said.load(std::memory_order_relaxed) || said.exchange(true) || !are_wanted()) return;
  log(KERN_LOG_WARNING, text());
}

} // namespace kern::runtime
