// A launch takes a place, publishes a Job on its own stack there, takes blocks itself and leaves only when every
// worker that saw the job has let go of it. How it is divided, and whether anybody is woken for it, is the schedule's
// (schedule.h). Workers go where the fewest are, look again whenever something is published, and look for the next job
// for a while before they sleep. Scratch stays with its place or worker and only grows, so a launch that fits allocates
// nothing.
#include "runtime/cpu/pool.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "runtime/common/launch_limits.h"
#include "runtime/common/settings.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/cpu/record.h"
#include "runtime/cpu/schedule.h"

namespace kern::cpu {

using Clock = std::chrono::steady_clock;

static constexpr std::size_t scratch_alignment = 64;
static constexpr unsigned most_threads = 1024;
// A row of threads that is worth a call, and that leaves room in the cache for what is across it. Where all
// that is touched lies along it, calls go on to its end: sobel of 8000 x 8000 in blocks of 16 x 16 took 1.4
// times as long where a call was 16 rows of 1 KiB.
static constexpr std::uint64_t wanted_row = 1024;
// How often a thread tells how many blocks are done, which all threads write to one place.
static constexpr std::chrono::microseconds telling_time{50};
// How long a thread looks for work, or for the end of others' work, before it yields, and before it sleeps. A
// worker that has begun to yield comes 5 us later, which launches with some work of the host's between them
// would wait for each time.
static constexpr double spin_time = 100'000, patient_time = 300'000;

static double since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Waits until `done()`, watching closely at first; false where it has not come after a while.
template <class Done> static bool watch(Done done) {
  Clock::time_point start = Clock::now();
  for (;;) {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    double waited = since(start);
    if (waited > patient_time) return false;
    if (waited > spin_time) std::this_thread::yield();
  }
}

// The things that a thread has for itself while it runs blocks, on cache lines of its own: the job that a
// worker is in, and a scratch area, 64-byte aligned.
struct alignas(scratch_alignment) Pool::Seat {
  Seat() = default;
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() { std::free(scratch); }

  // Makes room for `bytes`; what was there before is lost.
  bool reserve(std::size_t bytes) {
    if (bytes <= size) return true;
    if (bytes > SIZE_MAX - scratch_alignment) return false;
    std::size_t rounded = (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
    void* larger = std::aligned_alloc(scratch_alignment, rounded);
    if (!larger) return false;
    std::free(scratch);
    scratch = larger;
    size = rounded;
    return true;
  }

  std::atomic<std::uint32_t> at{0}; // the place whose job it is in, from 1; 0: none
  void* scratch = nullptr;
  std::size_t size = 0;
};

// The state that the threads share while one launch runs.
struct Pool::Job {
  const Launch& launch;
  Schedule schedule;
  alignas(scratch_alignment) std::atomic<std::uint64_t> next{0}; // part that nobody has taken
};

// A place where one launch at a time runs.
struct Pool::Place {
  alignas(scratch_alignment) std::atomic<Job*> job{nullptr}; // that others may join
  std::atomic<bool> is_open{false};                          // while parts of it are left
  std::atomic<unsigned> workers{0};                          // that have joined,
  std::atomic<unsigned> wanted{0};                           // and of them that it is divided for
  Seat seat;                                                 // of the thread that launches
};

// A place, for as long as a launch takes.
class Pool::Launching {
public:
  explicit Launching(Pool& pool) : pool_(pool) {
    std::uint64_t free = pool.free_places_.load(std::memory_order_relaxed);
    for (;;) {
      if (free == 0) {
        pool.free_places_.wait(0);
        free = pool.free_places_.load(std::memory_order_relaxed);
      } else if (pool.free_places_.compare_exchange_weak(free, free & (free - 1),
                                                         std::memory_order_acquire)) {
        break;
      }
    }
    number_ = static_cast<unsigned>(std::countr_zero(free));
  }
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;
  ~Launching() {
    std::uint64_t before =
        pool_.free_places_.fetch_or(std::uint64_t{1} << number_, std::memory_order_release);
    if (before == 0) pool_.free_places_.notify_one();
  }
  Place& place() const { return pool_.places_[number_]; }
  std::size_t activity() const { return pool_.workers_.size() + number_; }

private:
  Pool& pool_;
  unsigned number_;
};

// One thread's part of a job, which it does turn by turn.
struct Pool::Runner {
  Runner(Pool& pool, Job& job, const Seat& seat, std::size_t activity)
      : job_(job), scratch_(seat.scratch), where_(first_block(job.launch)),
        activities_(pool.activities_.get(), pool.activity_count_), activity_(activities_[activity]) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner() {
    tell();
    end_activity(activity_);
  }

  // Runs some parts; false where none is left, or the launch is to end.
  bool turn() {
    if (is_stopped()) return false;
    auto [first, end] = take();
    if (first >= end) return false;
    begin_activity(activities_, activity_, now_);
    if (job_.schedule.parts == 1)
      run_blocks(first, end);
    else
      run_parts(first, end);
    if (job_.next.load(std::memory_order_relaxed) >= job_.schedule.total) return false;
    now_ = Clock::now();
    if (now_ - told_ > telling_time) tell();
    return true;
  }

private:
  // Returns the first part of the next turn, and the one after its last; twice the same where none is left.
  std::pair<std::uint64_t, std::uint64_t> take() {
    const Schedule& schedule = job_.schedule;
    std::uint64_t first = job_.next.load(std::memory_order_relaxed), end = 0;
    do {
      if (first >= schedule.total) return {first, first};
      end = end_of_turn(schedule, first);
    } while (!job_.next.compare_exchange_weak(first, end, std::memory_order_relaxed));
    return {first, end};
  }

  // How many blocks the next call of the entry best runs. Those of several rows of threads may take turns row
  // by row, so narrow ones stand side by side until their rows are long; others run one after the other.
  std::uint64_t most_in_call() const {
    const Launch& launch = job_.launch;
    if (launch.block[1] == 1 && launch.block[2] == 1) return UINT32_MAX;
    std::uint64_t in_row = where_.grid[0] - where_.block[0];
    if (launch.follows_rows) return in_row;
    return std::clamp<std::uint64_t>(wanted_row / launch.block[0], 1, in_row);
  }

  void run_blocks(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t number = first; number < end; number += where_.blocks) {
      move_to_block(where_, number);
      where_.blocks = static_cast<std::uint32_t>(std::min(end - number, most_in_call()));
      job_.launch.entry(job_.launch.params, &where_, scratch_);
    }
    blocks_done_ += end - first;
  }

  void run_parts(std::uint64_t first, std::uint64_t end) {
    const Schedule& schedule = job_.schedule;
    where_.blocks = 1;
    for (std::uint64_t number = first; number < end; ++number) {
      auto part = static_cast<std::uint32_t>(number % schedule.parts);
      move_to_block(where_, number / schedule.parts);
      where_.first_row = part * schedule.rows;
      where_.end_row = std::min(where_.first_row + schedule.rows, where_.block_dim[1]);
      job_.launch.entry(job_.launch.params, &where_, scratch_);
      // Whoever runs its last part counts a block.
      if (part == schedule.parts - 1) ++blocks_done_;
    }
  }

  bool is_stopped() {
    auto* word = reinterpret_cast<std::uint64_t*>(job_.launch.record->reserved[stop_word]);
    if (!word || std::atomic_ref(*word).load(std::memory_order_relaxed) == 0) return false;
    return job_.next.load(std::memory_order_relaxed) < job_.schedule.total;
  }

  // Adds the blocks that are done to the counts of the launch.
  void tell() {
    std::uint64_t count = std::exchange(blocks_done_, 0);
    told_ = now_;
    if (count == 0) return;
    const Launch& launch = job_.launch;
    std::atomic_ref<std::uint64_t>(launch.record->reserved[progress_word])
        .fetch_add(count, std::memory_order_relaxed);
    if (launch.blocks_done) std::atomic_ref(*launch.blocks_done).fetch_add(count, std::memory_order_relaxed);
  }

  Job& job_;
  void* scratch_;
  kern_where where_;
  std::uint64_t blocks_done_ = 0; // and not told yet
  Clock::time_point now_ = Clock::now(), told_ = now_;
  std::span<Activity> activities_; // of all threads
  Activity& activity_;             // its own
};

kern_where first_block(const Launch& launch) {
  kern_where where{};
  std::copy_n(launch.grid, 3, where.grid);
  std::copy_n(launch.block, 3, where.block_dim);
  where.end_row = launch.block[1];
  return where;
}

void move_to_block(kern_where& where, std::uint64_t number) {
  where.block[0] = static_cast<std::uint32_t>(number % where.grid[0]);
  where.block[1] = static_cast<std::uint32_t>(number / where.grid[0] % where.grid[1]);
  where.block[2] = static_cast<std::uint32_t>(number / where.grid[0] / where.grid[1]);
}

unsigned default_threads() {
  if (std::optional<settings::Threads> chosen = settings::cpu_threads().value) return chosen->count;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

bool grid_fits(const std::uint64_t (&grid)[3]) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (grid[axis] == 0 || grid[axis] > static_cast<std::uint64_t>(limits::launch_grid[axis])) return false;
  return true;
}

Pool::Pool(unsigned threads) {
  static_assert(most_launches == 64, "a bit each");
  threads = std::clamp(threads, 1u, most_threads);
  places_ = std::make_unique<Place[]>(most_launches);
  seats_ = std::make_unique<Seat[]>(threads - 1);
  activity_count_ = threads - 1 + most_launches;
  activities_ = std::make_unique<Activity[]>(activity_count_);
  workers_.reserve(threads - 1);
  try {
    for (unsigned i = 0; i < threads - 1; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (...) {
    // The process may have no more threads: those there are do the work.
  }
}

Pool::~Pool() {
  stopping_.store(true);
  sequence_.fetch_add(1);
  sequence_.notify_all();
  workers_.clear();
}

bool Pool::run(const Launch& launch) {
  Launching launching(*this);
  Place& place = launching.place();
  if (!place.seat.reserve(launch.scratch_bytes)) return false;
  Job job{launch, schedule_of(launch, threads())};
  launch.record->reserved[flags_word] = job.schedule.parts > 1 ? in_parts : 0;
  const bool asks = job.schedule.threads > 1;
  if (asks) publish(place, job);
  {
    Runner own(*this, job, place.seat, launching.activity());
    while (own.turn()) {}
  }
  if (asks) retire(place);
  if (launch.is_cut_short) *launch.is_cut_short = job.next.load() < job.schedule.total;
  return true;
}

void Pool::publish(Place& place, Job& job) {
  place.wanted.store(job.schedule.threads - 1, std::memory_order_relaxed);
  place.job.store(&job);
  place.is_open.store(true);
  sequence_.fetch_add(1);
  // Whoever wakes up wakes two more: the launching thread has work of its own.
  sequence_.notify_one();
}

// A worker takes its seat before it looks for the job: either it finds none, or it is waited for.
void Pool::retire(Place& place) {
  place.is_open.store(false);
  place.job.store(nullptr);
  auto number = static_cast<std::uint32_t>(&place - places_.get()) + 1;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    std::atomic<std::uint32_t>& at = seats_[i].at;
    while (at.load() == number)
      if (!watch([&] { return at.load() != number; })) at.wait(number);
  }
}

// Returns the place of the job that the fewest workers are in, of those that want more; null where there is none.
Pool::Place* Pool::next_job() const {
  Place* next = nullptr;
  std::uint64_t taken = ~free_places_.load(std::memory_order_relaxed);
  auto workers = [](const Place& place) { return place.workers.load(std::memory_order_relaxed); };
  for (; taken != 0; taken &= taken - 1) {
    Place& place = places_[static_cast<std::size_t>(std::countr_zero(taken))];
    if (!place.is_open.load() || workers(place) >= place.wanted.load(std::memory_order_relaxed)) continue;
    if (!next || workers(place) < workers(*next)) next = &place;
  }
  return next;
}

// Runs turns of the job that is there, until none is left or there is another one to look at.
void Pool::join(Place& place, unsigned number, std::uint32_t seen) {
  Seat& seat = seats_[number];
  seat.at.store(static_cast<std::uint32_t>(&place - places_.get()) + 1);
  if (Job* job = place.job.load(); job && seat.reserve(job->launch.scratch_bytes)) {
    if (place.workers.fetch_add(1, std::memory_order_relaxed) < job->schedule.threads - 1) {
      Runner runner(*this, *job, seat, number);
      do {
        if (!runner.turn()) place.is_open.store(false);
      } while (place.is_open.load(std::memory_order_relaxed) &&
               sequence_.load(std::memory_order_relaxed) == seen);
    }
    place.workers.fetch_sub(1, std::memory_order_relaxed);
  }
  seat.at.store(0);
  seat.at.notify_one();
}

void Pool::work(unsigned number) {
  const FloatEnvironment environment; // not that of whoever made the pool
  std::uint32_t seen = 0;
  while (!stopping_.load()) {
    if (!watch([&] { return sequence_.load(std::memory_order_relaxed) != seen; })) {
      sequence_.wait(seen);
      sequence_.notify_one();
      sequence_.notify_one();
    }
    for (;;) {
      seen = sequence_.load();
      Place* place = next_job();
      if (!place) break;
      join(*place, number, seen);
    }
  }
}

} // namespace kern::cpu
