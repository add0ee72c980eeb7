// Runs kernels on the CPU: the blocks of a grid are handed out in ascending order from one atomic counter to
// the workers of a pool, so that a block may wait for a lower one. Where there are few, and the kernel allows
// it, parts of blocks are (schedule.h). Launches from several threads run side by side: each by the thread that launches it, and
// the workers spread over those that want them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "kern/abi.h"
#include "runtime/cpu/waiting.h"

namespace kern::cpu {

// A kernel and what it runs over. The parameter block ends in the address of `record`.
struct Launch {
  kern_cpu_entry entry = nullptr;
  const void* params = nullptr;
  kern_launch_record* record = nullptr;
  std::uint32_t grid[3] = {1, 1, 1};    // blocks; y and z at most 65535, as on a GPU
  std::uint32_t block[3] = {1, 1, 1};   // threads
  std::size_t scratch_bytes = 0;        // for one block
  bool independent_rows = false;        // a call may run some rows of a block
  bool follows_rows = false;            // and best goes along rows of blocks to their ends
  std::uint64_t threads_in_call = 0;    // of neighbouring blocks, that a call best runs; 0: any
  bool waits = false;                   // blocks may wait for those before them
  double operations = 0;                // of vectors, of a thread, on average and about,
  bool is_known = false;                // if that is so much; else threads may do any amount
  std::uint32_t lanes = 1;              // threads of a vector
  double array_bytes = 0;               // of its arrays
  std::uint64_t* blocks_done = nullptr; // counted up, for whoever watches; may be null
  bool* is_cut_short = nullptr;         // told whether blocks were left out since it was to end; may be null
};

// Returns the blocks of its grid.
inline std::uint64_t count_blocks(const Launch& launch) {
  return std::uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
}
// Returns where the first of them runs.
kern_where first_block(const Launch& launch);
// Goes to the block of that number, x fastest.
void move_to_block(kern_where& where, std::uint64_t number);

// Returns how many threads KERN_CPU_THREADS asks for, or as many as this process may use.
unsigned default_threads();

// Says whether kernels can be launched over this grid: every extent at least 1, y and z at most 65535, x
// below 2^31.
bool grid_fits(const std::uint64_t (&grid)[3]);

class Pool {
public:
  // Starts `threads` - 1 workers, at most 1023, or as many as the process may have; the thread that launches is
  // the last one.
  explicit Pool(unsigned threads = default_threads());
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Runs every block of a launch and returns, in the floating-point environment of the calling thread, which must be
  // the kernels' own (float_environment.h), as that of the workers is; false where the calling thread gets no memory for scratch, and then
  // nothing has run. A worker that gets none does not join.
  bool run(const Launch& launch);

  // Returns how many threads run blocks, the launching one included.
  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // So many launches run side by side; others wait for one of them to end.
  static constexpr unsigned most_launches = 64;

private:
  struct Job;
  struct Runner;
  struct Seat;
  struct Place;
  class Launching;

  void publish(Place& place, Job& job);
  void retire(Place& place);
  Place* next_job() const;
  void work(unsigned number);
  void join(Place& place, unsigned number, std::uint32_t seen);

  std::atomic<std::uint64_t> free_places_{~std::uint64_t{0}}; // a bit each
  std::unique_ptr<Place[]> places_;                           // of launches
  std::atomic<std::uint32_t> sequence_{0}; // counts what was published; workers wait for it to change
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Seat[]> seats_;          // one a worker
  std::unique_ptr<Activity[]> activities_; // one a worker, and then one a place
  std::size_t activity_count_ = 0;
  std::vector<std::jthread> workers_; // last: they stop before what they use goes
};

} // namespace kern::cpu
