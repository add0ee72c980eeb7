// One thread sleeps until the first of all deadlines. It is started by the first one and never taken down: streams may
// outlive main. In a child of fork it is another one.
#include "runtime/api/stop.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/api/error.h"
#include "runtime/api/fork.h"

namespace kern::runtime {

using Time = std::chrono::steady_clock;

class Alarm::Timer {
public:
  Timer() : forks(fork_count()) {}
  const unsigned forks;

  std::uint64_t add(Time::time_point time, std::uint64_t& word) {
    if (time <= Time::now()) {
      tell_to_stop(word, Stop::DeadlinePassed);
      return 0;
    }
    std::lock_guard lock(mutex_);
    if (!is_running_) start();
    const std::uint64_t id = ++last_id_;
    const auto added = alarms_.insert({{time, id}, &word}).first;
    if (added == alarms_.begin()) changed_.notify_one();
    return id;
  }

  // Words are set under the lock, so that nobody writes this one once its alarm is gone.
  void remove(Time::time_point time, std::uint64_t id) {
    std::lock_guard lock(mutex_);
    alarms_.erase({time, id});
  }

private:
  void start() {
    try {
      std::thread([this] { run(); }).detach();
    } catch (const std::system_error&) {
      fail(KERN_DEVICE_ERROR,
           "there is no thread to be had that watches over the time of launches: launch without a "
           "time limit");
    }
    is_running_ = true;
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (alarms_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const auto first = alarms_.begin();
      if (const Time::time_point time = first->first.first; time > Time::now()) {
        changed_.wait_until(lock, time);
        continue;
      }
      tell_to_stop(*first->second, Stop::DeadlinePassed);
      alarms_.erase(first);
    }
  }

  std::mutex mutex_; // guards what follows
  std::condition_variable changed_;
  std::map<std::pair<Time::time_point, std::uint64_t>, std::uint64_t*> alarms_; // in the order of their time
  std::uint64_t last_id_ = 0;
  bool is_running_ = false;
};

Alarm::Timer& Alarm::timer() {
  static constinit OfProcess<Timer> of_process;
  return of_process.get();
}

Alarm::Alarm(Time::time_point time, std::uint64_t& word)
    : timer_(&timer()), time_(time), id_(timer_->add(time, word)) {}

// In a child of fork the parent's timer may be locked for ever, and has no thread.
Alarm::~Alarm() {
  if (timer_ && timer_->forks == fork_count()) timer_->remove(time_, id_);
}

} // namespace kern::runtime
