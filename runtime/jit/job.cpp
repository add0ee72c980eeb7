// One lock for all jobs: they take milliseconds, and the lock some instructions. Workers are made when there is work, and
// end when there is none for a while; the end of the process waits for their threads, since LLVM's statics go then.
#include "runtime/jit/job.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

#include "compiler/emit/emit.h"
#include "runtime/api/fork.h"
#include "runtime/cpu/pool.h"

namespace kern::jit {

class Jobs {
public:
  static Jobs& all();

  std::shared_ptr<Job> find(kern_device* device, Request request, bool is_begun);
  bool wait(Job& job, std::optional<std::chrono::steady_clock::time_point> deadline);

private:
  static bool is_let_go(const std::shared_ptr<Job>& job);
  void begin(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock);
  bool has_new_worker();
  void join_ended(std::unique_lock<std::mutex>& lock);
  void run(Job& job, std::unique_lock<std::mutex>& lock);
  void work(std::list<std::thread>::iterator self);
  void finish();

  std::mutex mutex_;
  std::condition_variable changed_, given_;
  std::vector<std::weak_ptr<Job>> known_;
  std::deque<std::weak_ptr<Job>> queue_;
  // The threads of workers; one that ends leaves its own to whoever joins it.
  std::list<std::thread> workers_, ended_;
  unsigned idle_ = 0;
  bool is_registered_ = false, ends_ = false;
};

// A child has none of its parent's jobs, whose threads it has not.
Jobs& Jobs::all() {
  static constinit runtime::OfProcess<Jobs> of_process;
  return of_process.get();
}

std::shared_ptr<Job> Jobs::find(kern_device* device, Request request, bool is_begun) {
  std::unique_lock lock(mutex_);
  std::erase_if(known_, [](const auto& job) { return job.expired(); });
  for (const std::weak_ptr<Job>& weak : known_)
    if (std::shared_ptr<Job> job = weak.lock(); job && !is_let_go(job) && job->serves(device, request))
      return job;
  auto job = std::make_shared<Job>(device, std::move(request));
  known_.push_back(job);
  if (is_begun) begin(job, lock);
  return job;
}

// Says whether only the worker that runs it and the asking one hold a job. Whoever began it may have left because the memory ended, which
// is then what comes of it, too.
bool Jobs::is_let_go(const std::shared_ptr<Job>& job) { return job->is_at_worker_ && job.use_count() == 2; }

// Gives the job to a worker, or does it at once if no thread is to be had.
void Jobs::begin(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock) {
  if (!ended_.empty()) join_ended(lock);
  if (job->state_ != Job::State::New) return; // somebody else did it meanwhile
  if (!ends_) queue_.push_back(job);
  if (idle_ >= queue_.size() || has_new_worker() || !workers_.empty())
    given_.notify_one();
  else
    run(*job, lock);
}

bool Jobs::has_new_worker() {
  const unsigned most = std::min(cpu::default_threads(), 8u);
  if (workers_.size() >= most || ends_) return false;
  try {
    if (!is_registered_) {
      prepare_machines();
      is_registered_ = std::atexit([] { all().finish(); }) == 0;
    }
    workers_.emplace_back();
    const auto self = std::prev(workers_.end());
    *self = std::thread([this, self] { work(self); });
  } catch (...) {
    // There is no thread to be had, or no memory for one.
    if (!workers_.empty() && !workers_.back().joinable()) workers_.pop_back();
    return false;
  }
  return true;
}

// A thread that has ended its work has little left to do: what it kept for itself goes.
void Jobs::join_ended(std::unique_lock<std::mutex>& lock) {
  std::list<std::thread> ended = std::move(ended_);
  ended_.clear();
  lock.unlock();
  for (std::thread& thread : ended) thread.join();
  lock.lock();
}

void Jobs::run(Job& job, std::unique_lock<std::mutex>& lock) {
  job.state_ = Job::State::Running;
  lock.unlock();
  job.run();
  lock.lock();
  job.state_ = Job::State::Done;
  changed_.notify_all();
}

void Jobs::work(std::list<std::thread>::iterator self) {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    constexpr std::chrono::seconds patience{10};
    const bool has_work = given_.wait_for(lock, patience, [&] { return ends_ || !queue_.empty(); });
    --idle_;
    if (ends_ || !has_work) break;
    std::shared_ptr<Job> job = queue_.front().lock();
    queue_.pop_front();
    if (job && job->state_ == Job::State::New) {
      job->is_at_worker_ = true;
      run(*job, lock);
      job->is_at_worker_ = false;
    }
    // The last one to hold a job lets go of a module, which takes locks of others.
    lock.unlock();
    job.reset();
    lock.lock();
  }
  ended_.splice(ended_.end(), workers_, self);
  changed_.notify_all();
}

bool Jobs::wait(Job& job, std::optional<std::chrono::steady_clock::time_point> deadline) {
  std::unique_lock lock(mutex_);
  if (!deadline && job.state_ == Job::State::New) run(job, lock);
  auto is_done = [&] { return job.state_ == Job::State::Done; };
  if (deadline) return changed_.wait_until(lock, *deadline, is_done);
  changed_.wait(lock, is_done);
  return true;
}

void Jobs::finish() {
  std::unique_lock lock(mutex_);
  ends_ = true;
  queue_.clear();
  given_.notify_all();
  changed_.wait(lock, [&] { return workers_.empty(); });
  join_ended(lock);
}

Job::Job(kern_device* device, Request request)
    : device_(kern_device_retain(device)), request_(std::move(request)) {}

Job::~Job() {
  result_.module.reset();
  kern_device_release(device_);
}

void Job::run() {
  try {
    result_ = compile(device_, request_);
  } catch (...) {
    result_.module.reset();
    result_.error.kind = KERN_OUT_OF_MEMORY;
    try {
      result_.error = runtime::error_of_exception("the compiler");
    } catch (...) {
      result_.error.message = "no host memory"; // so short that it takes none
    }
  }
}

bool Job::serves(const kern_device* device, const Request& request) const {
  if (state_ == State::Done && (!result_.module || !request_.folders.empty())) return false;
  return kern_device_same(device_, device) && request_ == request;
}

bool Job::wait(std::optional<std::chrono::steady_clock::time_point> deadline) {
  return Jobs::all().wait(*this, deadline);
}

std::shared_ptr<Job> find_job(kern_device* device, Request request, bool is_begun) {
  return Jobs::all().find(device, std::move(request), is_begun);
}

} // namespace kern::jit
