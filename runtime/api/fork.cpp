// The count is the process's own: each child has one more than its parent had.
#include "runtime/api/fork.h"

#include <pthread.h>

#include <atomic>

namespace kern::runtime {

static std::atomic<unsigned> forks{0};

static std::atomic<unsigned>& count() {
  // Without memory it fails, and the next call tries again; who is counted twice has still another number.
  static std::atomic<bool> is_watched{false};
  if (!is_watched) is_watched = pthread_atfork(nullptr, nullptr, [] { ++forks; }) == 0;
  return forks;
}

unsigned fork_count() { return count().load(std::memory_order_relaxed); }

} // namespace kern::runtime
