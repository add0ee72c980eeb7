// `exit` runs this before what was registered earlier, destructors of statics for the most part; so streams are
// looked after once more when all of these are through. A child has a list of its own: its parent's streams are none of it.
#include "runtime/api/at_exit.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "runtime/api/device.h"
#include "runtime/api/fork.h"

namespace kern::runtime {

namespace {

struct Streams {
  std::mutex mutex;
  std::vector<std::weak_ptr<Stream>> list;
  std::size_t swept_at = 64; // so long a list is swept
  bool is_registered = false;
};

constinit OfProcess<Streams> of_process;
Streams& streams() { return of_process.get(); }

// Both times together wait for so long.
std::chrono::steady_clock::time_point deadline_of_exit() {
  constexpr std::chrono::seconds patience{2};
  static const auto deadline = std::chrono::steady_clock::now() + patience;
  return deadline;
}

// Launches that can be cancelled are: nobody is left who wants what they make.
void cancel(Stream& stream) {
  try {
    stream.cancel();
  } catch (const Error&) {
    // Others are on the stream, too, which run to their end.
  }
}

void report(bool is_last) {
  const auto deadline = deadline_of_exit();
  Streams& all = streams();
  std::vector<std::weak_ptr<Stream>> list;
  {
    std::lock_guard lock(all.mutex);
    list = all.list;
  }
  for (const auto& weak : list) {
    std::shared_ptr<Stream> stream = weak.lock();
    if (!stream || (is_last && !stream->outlives_statics())) continue;
    try {
      if (!stream->is_captured()) {
        cancel(*stream);
        stream->wait(stream->last(), deadline);
      }
      stream->report_faults();
    } catch (...) {
      // Its device is lost, or there is no memory to say more.
    }
  }
}

// Behind the statics that are older than the first stream.
[[gnu::destructor]] void report_last() { report(true); }

} // namespace

void report_at_exit(const std::shared_ptr<Stream>& stream) {
  Streams& all = streams();
  std::lock_guard lock(all.mutex);
  if (all.list.size() >= all.swept_at) {
    std::erase_if(all.list, [](const auto& weak) { return weak.expired(); });
    all.swept_at = std::max<std::size_t>(64, 2 * all.list.size());
  }
  all.list.push_back(stream);
  if (!all.is_registered) all.is_registered = std::atexit([] { report(false); }) == 0;
}

} // namespace kern::runtime
