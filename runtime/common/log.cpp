#include "runtime/common/log.h"

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <new>

namespace kern {

namespace {

struct Sink {
  std::recursive_mutex mutex; // the program's function may use the runtime
  kern_log_function function = nullptr;
  void* context = nullptr;
};

// Never taken down: what runs at the end of a program says things, too. It takes no memory: kern_set_log has no way to say that
// there is none.
Sink& sink() {
  alignas(Sink) static std::byte place[sizeof(Sink)];
  static Sink* const all = new (place) Sink;
  return *all;
}

} // namespace

void set_log(kern_log_function function, void* context) {
  Sink& to = sink();
  std::lock_guard lock(to.mutex);
  to.function = function;
  to.context = context;
}

void log(kern_log_level level, const std::string& text) noexcept {
  try {
    Sink& to = sink();
    std::lock_guard lock(to.mutex);
    if (to.function) return to.function(to.context, level, text.c_str(), text.size());
  } catch (...) {
    // There is no memory to keep a function in, or it threw: stderr needs neither.
  }
  std::fprintf(stderr, "kern: %s%s\n", level == KERN_LOG_WARNING ? "warning: " : "", text.c_str());
}

} // namespace kern
