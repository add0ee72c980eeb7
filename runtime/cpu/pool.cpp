// One job at a time: a launch publishes a Job on its own stack, wakes the workers, takes blocks itself and
// leaves only when every worker that saw the job has let go of it. Scratch stays with its thread and only
// grows, so a launch that fits allocates nothing.
#include "runtime/cpu/pool.h"

#include <sched.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime/cpu/record.h"

namespace kern::cpu {

static constexpr std::size_t scratch_alignment = 64;
static constexpr unsigned most_threads = 1024;

// The scratch area of one thread, 64-byte aligned.
struct Pool::Scratch {
  Scratch() = default;
  Scratch(Scratch&& other) noexcept
      : data(std::exchange(other.data, nullptr)), size(std::exchange(other.size, 0)) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() { std::free(data); }

  // Makes room for `bytes`; what was there before is lost.
  bool reserve(std::size_t bytes) {
    if (bytes <= size) return true;
    if (bytes > SIZE_MAX - scratch_alignment) return false;
    std::size_t rounded = (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
    void* larger = std::aligned_alloc(scratch_alignment, rounded);
    if (!larger) return false;
    std::free(data);
    data = larger;
    size = rounded;
    return true;
  }

  void* data = nullptr;
  std::size_t size = 0;
};

// What the threads share while one launch runs.
struct Pool::Job {
  const Launch& launch;
  std::uint64_t total;
  std::atomic<std::uint64_t> next{0};

  // Runs blocks until none is left.
  void run_blocks(void* scratch) {
    const auto& grid = launch.grid;
    for (std::uint64_t i = next.fetch_add(1, std::memory_order_relaxed); i < total;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      kern_where where{};
      where.block[0] = static_cast<std::uint32_t>(i % grid[0]);
      where.block[1] = static_cast<std::uint32_t>(i / grid[0] % grid[1]);
      where.block[2] = static_cast<std::uint32_t>(i / grid[0] / grid[1]);
      for (int axis = 0; axis < 3; ++axis) {
        where.grid[axis] = grid[axis];
        where.block_dim[axis] = launch.block[axis];
      }
      launch.entry(launch.params, &where, scratch);
      std::atomic_ref<std::uint64_t>(launch.record->reserved[progress_word])
          .fetch_add(1, std::memory_order_relaxed);
      if (launch.blocks_done) launch.blocks_done->fetch_add(1, std::memory_order_relaxed);
    }
  }
};

unsigned default_threads() {
  if (const char* text = std::getenv("KERN_CPU_THREADS")) {
    unsigned long count = std::strtoul(text, nullptr, 10);
    if (count >= 1 && count <= most_threads) return static_cast<unsigned>(count);
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

bool grid_fits(const std::uint64_t (&grid)[3]) {
  for (std::uint64_t extent : grid)
    if (extent == 0) return false;
  return grid[0] < (std::uint64_t(1) << 31) && grid[1] <= 65535 && grid[2] <= 65535;
}

Pool::Pool(unsigned threads) {
  if (threads < 1) threads = 1;
  scratch_.resize(threads);
  workers_.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i)
    workers_.emplace_back([this, i](std::stop_token stop) { work(stop, scratch_[i]); });
}

Pool::~Pool() {
  for (std::jthread& worker : workers_) worker.request_stop();
  workers_.clear();
}

bool Pool::run(const Launch& launch) {
  std::lock_guard one_launch(launch_mutex_);
  // No worker holds a job here, so their scratch may be touched.
  for (Scratch& scratch : scratch_)
    if (!scratch.reserve(launch.scratch_bytes)) return false;
  std::uint64_t total = std::uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  Job job{launch, total};
  bool alone = workers_.empty() || total == 1;
  if (!alone) {
    std::lock_guard lock(mutex_);
    job_ = &job;
    ++job_number_;
    job_there_.notify_all();
  }
  job.run_blocks(scratch_[0].data);
  if (alone) return true;
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  job_left_.wait(lock, [this] { return inside_ == 0; });
  return true;
}

void Pool::work(std::stop_token stop, Scratch& scratch) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (job_there_.wait(lock, stop, [&] { return job_ && job_number_ != seen; })) {
    seen = job_number_;
    Job& job = *job_;
    ++inside_;
    lock.unlock();
    job.run_blocks(scratch.data);
    lock.lock();
    if (--inside_ == 0) job_left_.notify_all();
  }
}

} // namespace kern::cpu
