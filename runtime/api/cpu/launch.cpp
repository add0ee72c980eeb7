// Launches: what the pool is told of one, and what is kept of what it left behind.
#include "runtime/api/cpu/launch.h"

#include <chrono>
#include <optional>

#include "runtime/api/cpu/stream.h"
#include "runtime/common/fault.h"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/cpu/record.h"
#include "runtime/cpu/scratch.h"

namespace kern::runtime {

std::uint64_t CpuStream::launch(const Launch& launch) {
  if (is_captured()) check_capture(launch);
  auto run = [queued = Queued(launch)](CpuStream& stream, std::uint64_t number) {
    stream.run_launch(queued, number);
  };
  // Arrays in host memory are those of a launch that is waited for.
  return put(Work{"kernel", launch.kernel->name}, std::move(run), launch.uses,
             {.awaited = launch.awaited, .runs_on = !launch.is_cancellable(), .borrows = launch.awaited});
}

// A launch that can be told to end, while it runs.
class CpuStream::Stoppable {
public:
  Stoppable(CpuStream& stream, std::uint64_t number, std::uint64_t* word) : stream_(stream) {
    std::lock_guard lock(stream_.mutex_);
    stream_.stop_ = word;
    if (number <= stream_.cancelled_) tell_to_stop(*word, Stop::Cancelled);
  }
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;
  ~Stoppable() {
    std::lock_guard lock(stream_.mutex_);
    stream_.stop_ = nullptr;
  }

private:
  CpuStream& stream_;
};

void CpuStream::cancel() {
  process_.check();
  std::lock_guard lock(mutex_);
  cancelled_ = put_;
  if (stop_) tell_to_stop(*stop_, Stop::Cancelled);
  if (runs_on_ > done_) refuse_cancel();
}

// Says that there is no memory for what blocks need while they run.
Error CpuStream::no_scratch(const Queued& launch, const cpu::Launch& job) const {
  std::uint64_t bytes =
      launch.kernel->cooperative ? cpu::cooperative_bytes(job) : std::uint64_t(job.scratch_bytes);
  std::string what = launch.kernel->cooperative
                         ? std::to_string(bytes) + " bytes of scratch and stacks for all its blocks at once"
                         : std::to_string(job.scratch_bytes) + " bytes of scratch";
  return {KERN_OUT_OF_MEMORY,
          "kernel `" + launch.kernel->name + "`: there is no memory for " + what + "; nothing ran",
          {},
          bytes,
          0};
}

// Says how much the launch does, as far as its arguments tell.
static void add_work(cpu::Launch& job, const Queued& launch) {
  const Plan& plan = *launch.plan;
  if (!plan.operations) return;
  std::optional<double> operations = plan.operations->value({launch.params, launch.block, launch.grid});
  if (!operations) return;
  job.operations = std::max(*operations, 0.0);
  job.is_known = plan.kernel->work->is_known;
  for (const PlanParam& param : plan.params) {
    if (param.rank == 0) continue;
    double bytes = param.bytes;
    for (std::uint32_t axis = 0; axis < param.rank; ++axis)
      bytes *= static_cast<double>(launch.params[param.slot + 1 + axis]);
    job.array_bytes += bytes;
  }
}

void CpuStream::run_launch(const Queued& launch, std::uint64_t number) {
  // Fibers begin with it, and what is computed about the launch, as its time, raises no flag of the host's either.
  const cpu::FloatEnvironment environment;
  constexpr std::uint64_t ring_words = std::uint64_t(1) << 20;
  kern_launch_record record{};
  record.launch = ++launches_;
  record.shared_bytes = launch.shared_bytes;
  cpu::Ring ring;
  if (launch.kernel->prints) ring = cpu::make_ring(ring_words);
  if (launch.kernel->prints && !ring)
    fail(KERN_OUT_OF_MEMORY,
         "kernel `" + launch.kernel->name + "`: there is no memory for its prints; nothing ran");
  record.print_ring = reinterpret_cast<std::uint64_t>(ring.get());
  std::vector<std::uint64_t> params = launch.params;
  params.back() = reinterpret_cast<std::uint64_t>(&record);
  cpu::Launch job;
  job.entry = launch.entry->entry;
  job.params = params.data();
  job.record = &record;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    job.grid[axis] = launch.grid[axis];
    job.block[axis] = launch.block[axis];
  }
  job.scratch_bytes = cpu::scratch_bytes(*launch.entry, job.block) + launch.shared_bytes;
  job.independent_rows = launch.entry->independent_rows != 0;
  job.follows_rows = launch.entry->follows_rows != 0;
  job.threads_in_call = launch.entry->threads_in_call;
  job.lanes = launch.entry->lanes;
  job.waits = launch.kernel->waits.value_or(false);
  add_work(job, launch);
  if (launch.report) job.blocks_done = &launch.report->blocks_done;
  bool is_cut_short = false;
  job.is_cut_short = &is_cut_short;
  std::uint64_t own_word = 0;
  std::uint64_t* stop = launch.limit ? launch.limit->word : stop_of(launch.report);
  std::optional<Stoppable> stoppable;
  if (launch.is_cancellable()) stoppable.emplace(*this, number, stop = stop ? stop : &own_word);
  record.reserved[cpu::stop_word] = reinterpret_cast<std::uint64_t>(stop);
  const double seconds = launch.limit ? launch.limit->seconds : 0;
  auto is_told = [&] {
    return stop && (stop_of(*stop) == Stop::Cancelled || stop_of(*stop) == Stop::DeadlinePassed);
  };
  if (is_told()) return keep_stop(number, launch, stop_of(*stop), seconds, nullptr, false);
  auto begin = std::chrono::steady_clock::now();
  bool ran = launch.kernel->cooperative ? cpu::run_cooperative(*pool_, job) : pool_->run(job);
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  if (launch.report) launch.report->milliseconds = time.count();
  if (!ran) keep_error(number, no_scratch(launch, job));
  const bool left_early = record.fault.state == 0 ? is_cut_short : is_stop(record.fault);
  if (left_early && is_told())
    keep_stop(number, launch, stop_of(*stop), seconds, record.fault.state == 0 ? nullptr : &record, true);
  else if (record.fault.state != 0)
    keep_fault(number, launch, record, launch.params);
  else if (is_cut_short)
    keep_error(number, {KERN_DEVICE_ERROR,
                        "kernel `" + launch.kernel->name + "` was stopped before all of its blocks had run",
                        {},
                        0,
                        0});
  if (!ring) return;
  keep_prints(number, launch.module->manifest, *ring);
  write_prints();
}

} // namespace kern::runtime
