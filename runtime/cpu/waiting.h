// Threads of a block that wait for each other, or for other blocks. The vectors of a block run one after the
// other; where one waits for memory that another is to write, those after it go on meanwhile, each on a stack
// of its own. Likewise where threads come to a barrier of the block each by its own way.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kern/abi.h"
#include "runtime/cpu/fiber.h"
#include "runtime/cpu/meeting.h"
#include "runtime/cpu/stacks.h"

namespace kern::cpu {

// The turns of a block's threads, or vectors of them, in one segment.
class Turns {
public:
  using Function = void (*)(void* args);

  // `fiber` is the block's own, where it has one: whoever waits for others then leaves it, too.
  explicit Turns(Fiber* fiber = nullptr) : fiber_(fiber) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Keeps a turn for `run`, with a copy of its arguments, at most so large that vectors of 32 words need it
  // aligned; where there is no memory it runs now.
  void keep(kern_launch_record& record, Function function, const void* args, std::size_t bytes);
  // Runs those that are kept, in order, and returns when all have ended.
  void end(kern_launch_record& record);
  // Called by the turn at hand, which waits: lets others go on.
  void let_others(kern_launch_record& record);
  // Called by the turn at hand, at a barrier: lets others go on until all that have not ended have come to
  // one.
  void meet(kern_launch_record& record, Arrival& arrival);
  // Called by the turn at hand, which gives up: that it ends helps nobody.
  void give_up() { (running_ ? running_->has_given_up : has_given_up_) = true; }

private:
  // Before the arguments of each.
  struct alignas(256) Kept {
    Function function;
    std::size_t bytes; // to the next
  };
  // Runs turns until one waits, and then that one.
  struct Runner {
    Turns* turns = nullptr;
    kern_launch_record* record = nullptr;
    void* stack = nullptr;
    Fiber fiber;
    bool is_waiting = false, has_given_up = false;
    const Arrival* arrival = nullptr; // at a barrier, where it waits at one

    bool is_held() const { return arrival && arrival->waits(); }
  };
  struct Free {
    void operator()(void* memory) const;
  };

  bool reserve(std::size_t bytes);
  void run(kern_launch_record& record);
  void run_kept(kern_launch_record& record, bool& has_given_up);
  void rest();
  void end_turn(kern_launch_record& record);
  void meet_if_all_have_come(kern_launch_record& record);
  void* take_stack();
  bool start_runner(kern_launch_record& record);
  bool resume(Runner& runner);
  bool resume_waiting();

  Fiber* fiber_;
  std::unique_ptr<char, Free> kept_;
  std::size_t size_ = 0, used_ = 0,
              begun_ = 0; // bytes of it; of turns that are kept; of those that have begun
  std::vector<Stacks> stacks_;
  std::size_t stacks_taken_ = 0;
  std::vector<std::unique_ptr<Runner>> runners_;
  Runner* running_ = nullptr; // null on the block's own stack
  bool has_given_up_ = false; // there
  Meeting meeting_;
  std::size_t living_ = 0; // turns that have not ended
  bool is_short_ = false;  // of memory: not all turns are there, or can be
};

// Makes these the turns of the block that the calling thread runs; null: those of the thread.
void use_turns(Turns* turns);

// Says that something has happened that others may wait for.
void move_on(kern_launch_record& record);

// Sets how long nothing moves before those who wait give up: 10 s, but in tests.
void set_patience(std::chrono::milliseconds time);

// The time since which a thread of a pool is at something, for those that wait for what it does.
struct alignas(64) Activity {
  std::atomic<std::int64_t> since{0}; // ms; 0: it runs no block
};

// Says that the calling thread, one of those that run a launch, begins something now; that it is done.
void begin_activity(std::span<Activity> all, Activity& own, std::chrono::steady_clock::time_point time);
void end_activity(Activity& own);

} // namespace kern::cpu
