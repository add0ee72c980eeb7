// One line each, as the compiler writes them.
#include "runtime/api/warnings.h"

#include "runtime/common/log.h"
#include "runtime/common/settings.h"

namespace kern::runtime {

static bool are_wanted() {
  const std::optional<settings::Switch> wanted = settings::warnings().value;
  return !wanted || wanted->on;
}

void warn(std::atomic<bool>& said, const std::function<std::string()>& text) {
  if (said.load(std::memory_order_relaxed) || said.exchange(true) || !are_wanted()) return;
  log(KERN_LOG_WARNING, text());
}

} // namespace kern::runtime
