// The count is the process's own: each child has one more than its parent had.
#include "runtime/api/fork.h"

#include <pthread.h>

#include <atomic>

namespace kern::runtime {

static std::atomic<unsigned>& count() {
  static std::atomic<unsigned> forks{0};
  static const int watched = pthread_atfork(nullptr, nullptr, [] { ++count(); });
  static_cast<void>(watched);
  return forks;
}

unsigned fork_count() { return count().load(std::memory_order_relaxed); }

} // namespace kern::runtime
