// Compilations under way. Equal requests at one moment are one job, whoever asks; workers do those that nobody waits for.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "runtime/jit/compile.h"

namespace kern::jit {

class Job {
public:
  Job(kern_device* device, Request request);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Waits until it is done; false where the deadline passed before. Without a deadline, whoever waits does a job that
  // nobody has begun.
  bool wait(std::optional<std::chrono::steady_clock::time_point> deadline);
  // Returns what came of it, when it is done.
  const Result& result() const { return result_; }

private:
  friend class Jobs;
  enum class State : std::uint8_t { New, Running, Done };
  void run();
  // Says whether a request is given the result of this one: of one that is done, too, unless that failed, or files of
  // folders may have changed.
  bool serves(const kern_device* device, const Request& request) const;

  kern_device* device_;
  Request request_;
  Result result_;
  // Guarded by the mutex of all jobs.
  State state_ = State::New;
  bool is_at_worker_ = false; // a worker runs it
};

// Returns the job of a request: one that is known, or a new one, which a worker begins where `is_begun`.
std::shared_ptr<Job> find_job(kern_device* device, Request request, bool is_begun);

} // namespace kern::jit
