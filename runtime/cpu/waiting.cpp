// A turn that waits calls kern_cpu_wait now and then. On the block's own stack that runs the others: those
// that have waited before, then those that have not begun, each of which gets a fiber when the one before it
// waits. In a fiber it goes back there. So blocks in which nobody waits need no fiber at all.
//
// At a barrier a turn waits likewise, and is not resumed before it is complete: which the last one that
// comes, or ends, finds out.
//
// A launch is stuck where for some seconds nothing has moved and no thread is busy with anything but waiting.
#include "runtime/cpu/waiting.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "runtime/cpu/record.h"

namespace kern::cpu {

// How long nothing moves before those who wait give up; a thread that does one thing for a tenth of it is
// busy.
static std::atomic<std::int64_t> patience{10'000}; // ms

using Clock = std::chrono::steady_clock;

static std::int64_t in_ms(Clock::time_point time) {
  return time.time_since_epoch() / std::chrono::milliseconds(1);
}

void set_patience(std::chrono::milliseconds time) { patience = time.count(); }

void move_on(kern_launch_record& record) {
  std::atomic_ref(record.reserved[progress_word]).fetch_add(1, std::memory_order_relaxed);
}

// ---- Turns ----

void Turns::Free::operator()(void* memory) const { std::free(memory); }

bool Turns::reserve(std::size_t bytes) {
  if (bytes <= size_) return true;
  std::size_t larger = std::max(2 * size_, bytes);
  std::unique_ptr<char, Free> memory(static_cast<char*>(std::aligned_alloc(alignof(Kept), larger)));
  if (!memory) return false;
  if (used_ > 0) std::memcpy(memory.get(), kept_.get(), used_);
  kept_ = std::move(memory);
  size_ = larger;
  return true;
}

void Turns::keep(kern_launch_record& record, Function function, const void* args, std::size_t bytes) {
  std::size_t rounded = sizeof(Kept) + (bytes + alignof(Kept) - 1) / alignof(Kept) * alignof(Kept);
  if (!reserve(used_ + rounded)) {
    is_short_ = true;
    run(record);
    ++living_;
    function(const_cast<void*>(args));
    return end_turn(record);
  }
  ++living_;
  auto* kept = new (kept_.get() + used_) Kept{function, rounded};
  std::memcpy(kept + 1, args, bytes);
  used_ += rounded;
}

void Turns::run_kept(kern_launch_record& record, bool& has_given_up) {
  while (begun_ < used_) {
    auto* next = std::launder(reinterpret_cast<Kept*>(kept_.get() + begun_));
    begun_ += next->bytes;
    next->function(next + 1);
    if (!std::exchange(has_given_up, false)) move_on(record);
    end_turn(record);
  }
}

void Turns::end_turn(kern_launch_record& record) {
  --living_;
  meet_if_all_have_come(record);
}

void Turns::run(kern_launch_record& record) {
  run_kept(record, has_given_up_);
  while (resume_waiting()) rest();
  used_ = begun_ = 0;
}

void Turns::let_others(kern_launch_record& record) {
  if (running_) return running_->fiber.wait();
  resume_waiting();
  while (begun_ < used_ && start_runner(record)) {}
  rest();
}

void Turns::end(kern_launch_record& record) {
  run(record);
  is_short_ = false;
}

void Turns::meet(kern_launch_record& record, Arrival& arrival) {
  if (is_short_) return meeting_.lose(record, arrival);
  meeting_.come(arrival);
  meet_if_all_have_come(record);
  if (running_ && arrival.waits()) {
    running_->arrival = &arrival;
    return running_->fiber.wait();
  }
  while (arrival.waits()) {
    bool any = resume_waiting();
    while (arrival.waits() && begun_ < used_) {
      if (start_runner(record)) continue;
      is_short_ = true;
      meeting_.lose(record, arrival);
    }
    if (arrival.waits() && any) rest();
  }
}

void Turns::meet_if_all_have_come(kern_launch_record& record) {
  if (meeting_.count() == 0 || meeting_.count() < living_) return;
  meeting_.complete(record);
  move_on(record);
}

// The block has nothing to do at present.
void Turns::rest() {
  if (fiber_) return fiber_->wait();
  std::this_thread::yield();
}

bool Turns::resume_waiting() {
  bool any = false;
  for (std::size_t i = 0; i < runners_.size(); ++i)
    if (runners_[i]->is_waiting) any = runners_[i]->is_held() || resume(*runners_[i]) || any;
  return any;
}

// Returns whether it waits again.
bool Turns::resume(Runner& runner) {
  running_ = &runner;
  runner.arrival = nullptr;
  runner.fiber.resume();
  running_ = nullptr;
  return runner.is_waiting = !runner.fiber.is_done();
}

// Returns a stack that nobody has; they are mapped in groups that grow. Null where there is no memory.
void* Turns::take_stack() {
  constexpr std::size_t most = 64;
  if (stacks_.empty() || stacks_taken_ == stacks_.back().count()) {
    Stacks more = Stacks::map(stacks_.empty() ? 1 : std::min(most, 2 * stacks_.back().count()));
    if (more.count() == 0) return nullptr;
    stacks_.push_back(std::move(more));
    stacks_taken_ = 0;
  }
  return stacks_.back()[stacks_taken_++];
}

// A fiber goes on with the turns that have not begun; false where there is no memory for one.
bool Turns::start_runner(kern_launch_record& record) {
  auto found = std::ranges::find_if(runners_, [](const auto& runner) { return !runner->is_waiting; });
  if (found == runners_.end()) {
    auto runner = std::unique_ptr<Runner>(new (std::nothrow) Runner);
    if (!runner) return false;
    runner->stack = take_stack();
    if (!runner->stack) return false;
    runners_.push_back(std::move(runner));
    found = runners_.end() - 1;
  }
  Runner& runner = **found;
  runner.turns = this;
  runner.record = &record;
  auto go_on = [](void* argument) {
    auto& own = *static_cast<Runner*>(argument);
    own.turns->run_kept(*own.record, own.has_given_up);
  };
  runner.fiber.make(runner.stack, Stacks::bytes, go_on, &runner);
  resume(runner);
  return true;
}

// ---- What the threads of a launch are at ----

// A fiber may go on in another thread: nobody may keep the addresses of these across a wait.
static thread_local Turns* block_turns = nullptr;
static thread_local std::span<Activity> activities;
static thread_local Activity* own_activity = nullptr;

[[gnu::noinline]] void use_turns(Turns* turns) { block_turns = turns; }

[[gnu::noinline]] static Turns& turns_here() {
  static thread_local Turns turns;
  return block_turns ? *block_turns : turns;
}

void begin_activity(std::span<Activity> all, Activity& own, Clock::time_point time) {
  activities = all;
  own_activity = &own;
  own.since.store(in_ms(time), std::memory_order_relaxed);
}

void end_activity(Activity& own) { own.since.store(0, std::memory_order_relaxed); }

[[gnu::noinline]] static bool is_anyone_busy(std::int64_t patient_for) {
  std::int64_t time = in_ms(Clock::now());
  if (own_activity) own_activity->since.store(time, std::memory_order_relaxed);
  return std::ranges::any_of(activities, [&](const Activity& activity) {
    std::int64_t since = activity.since.load(std::memory_order_relaxed);
    return since != 0 && time - since > patient_for / 10;
  });
}

// ---- The state of one that waits ----

// As the compiled code keeps it: 6 bits that are its own, and 0 here; how much had moved (24 bits) at a time
// (28 bits, in 16 ms); and that there is a state.
struct Waiting {
  static constexpr unsigned moves_at = 6, since_at = 30, begun_at = 62;
  static constexpr std::int64_t moves_mask = (1 << 24) - 1, since_mask = (1 << 28) - 1;
  static constexpr std::int64_t tick = 16; // ms

  bool has_begun;
  std::int64_t since, moves;

  explicit Waiting(std::int64_t state)
      : has_begun(state >> begun_at & 1), since(state >> since_at & since_mask),
        moves(state >> moves_at & moves_mask) {}
  std::int64_t state() const { return std::int64_t(1) << begun_at | since << since_at | moves << moves_at; }
};

static std::int64_t go_on_waiting(kern_launch_record& record, std::int64_t state) {
  Waiting waiting(state);
  // Once somebody has left by a fault, others may wait for what that thread would have done.
  std::atomic_ref flags(record.reserved[flags_word]);
  std::int64_t patient_for =
      flags.load(std::memory_order_relaxed) & has_left ? Waiting::tick : patience.load();
  // A thread that begins to wait has come from somewhere, so something has moved.
  if (!waiting.has_begun) move_on(record);
  std::uint64_t count = std::atomic_ref(record.reserved[progress_word]).load(std::memory_order_relaxed);
  std::int64_t moves = static_cast<std::int64_t>(count) & Waiting::moves_mask;
  std::int64_t time = in_ms(Clock::now()) / Waiting::tick & Waiting::since_mask;
  if (!waiting.has_begun || moves != waiting.moves || is_anyone_busy(patient_for)) waiting.since = time;
  waiting.moves = moves;
  if (((time - waiting.since) & Waiting::since_mask) * Waiting::tick < patient_for) return waiting.state();
  return -1;
}

} // namespace kern::cpu

using namespace kern::cpu;

void kern_cpu_turn(kern_launch_record* record, void (*turn)(void* args), const void* args, uint64_t bytes) {
  turns_here().keep(*record, turn, args, bytes);
}

void kern_cpu_end_turns(kern_launch_record* record) { turns_here().end(*record); }

uint32_t kern_cpu_meet(kern_launch_record* record, const kern_where* where, uint64_t what, uint64_t* value,
                       uint32_t x, uint32_t y, uint32_t z) {
  Arrival arrival{
      *where, static_cast<std::uint32_t>(what), static_cast<Asked>(what >> 32), *value, {x, y, z}};
  turns_here().meet(*record, arrival);
  *value = arrival.value;
  return arrival.state == Arrival::State::Met;
}

int64_t kern_cpu_wait(kern_launch_record* record, int64_t state) {
  turns_here().let_others(*record);
  state = go_on_waiting(*record, state);
  if (state < 0) turns_here().give_up();
  return state;
}
