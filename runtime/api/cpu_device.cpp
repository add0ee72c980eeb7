// The CPU as a device. A stream is a list of tasks and a thread that runs them in order; kernels run on one
// pool of threads. Whoever waits for the stream runs tasks too, one thread at a time: small work then stays
// on the core whose cache has its arrays, and nobody waits for a thread to wake up. A launch that waits does
// not even wake it: it would take a core from the pool's threads, which came 6 us late. The thread shares the
// stream's state, so that whoever lets go of a stream never waits: the thread does what is left to do,
// reports what nobody collected, and ends. Threads do not survive fork, and what they held stays locked: in a
// child the device of the parent only refuses.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "runtime/api/device.h"
#include "runtime/api/fork.h"
#include "runtime/cpu/array_memory.h"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/record.h"
#include "runtime/cpu/scratch.h"

namespace kern::runtime {

namespace {

// The process in which something was made.
class Process {
public:
  bool is_left() const { return fork_count() != forks_; }
  // Refuses what needs the threads of that process.
  void check() const {
    if (is_left())
      fail(KERN_DEVICE_ERROR,
           "the CPU's threads do not survive fork: open the device in the process that uses it");
  }

private:
  unsigned forks_ = fork_count();
};

// What the buffers of a device have.
struct Budget {
  std::uint64_t limit = 0;
  std::atomic<std::uint64_t> held{0};
};

struct CpuMemory final : Memory {
  ~CpuMemory() override {
    if (budget) budget->held -= bytes;
    if (release) release();
  }
  cpu::ArrayMemory own;
  std::function<void()> release;  // of memory that is somebody else's
  std::shared_ptr<Budget> budget; // that it counts against
};

// The entries of an object that this CPU can run, by variant.
struct CpuCode final : Code {
  void* entry(const ManifestVariant& variant) override { return &entries.find(variant.symbol)->second; }
  std::map<std::string, kern_object_entry, std::less<>> entries;
};

class CpuDevice final : public Device {
public:
  CpuDevice(unsigned threads, std::uint64_t memory_limit) : pool(std::make_shared<cpu::Pool>(threads)) {
    budget->limit = memory_limit;
    name_ = "CPU (" + std::to_string(pool->threads()) + " threads)";
  }
  // A pool waits for its threads: in a child it is left alone.
  ~CpuDevice() override {
    if (process.is_left()) static_cast<void>(new std::shared_ptr(std::move(pool)));
  }
  kern_device_kind kind() const override { return KERN_DEVICE_CPU; }
  std::shared_ptr<Memory> allocate(std::uint64_t bytes) override;
  std::shared_ptr<Memory> allocate_host(std::uint64_t bytes, std::uint32_t) override {
    return allocate(bytes);
  }
  std::shared_ptr<Memory> wrap(void* data, std::uint64_t bytes, std::function<void()> release) override;
  std::unique_ptr<Code> load(const Manifest& manifest, const kern_object& object) override;
  std::shared_ptr<Stream> make_stream() override;
  std::shared_ptr<Stream> wrap_stream(void*) override {
    fail(KERN_ARGUMENT_ERROR, "streams of a driver are of CUDA devices, and this is " + name_);
  }
  std::string_view target() const override { return "cpu"; }
  bool shares_host_memory() const override { return true; }
  // Blocks that do not wait for each other need not run at once.
  std::optional<std::uint64_t> most_cooperative_blocks(const Launch& launch) override {
    return launch.kernel->cooperative ? std::optional(cpu::most_cooperative_blocks) : std::nullopt;
  }
  kern_device_info info() const override;
  void take(std::uint64_t bytes);

  std::shared_ptr<Budget> budget = std::make_shared<Budget>();
  std::shared_ptr<cpu::Pool> pool; // streams that are still at work outlive the device
  const Process process;
};

// A launch with all that it needs until it has run.
struct Queued : Launched {
  explicit Queued(const Launch& launch)
      : Launched(launch), owner(*launch.owner), entry(static_cast<kern_object_entry*>(launch.variant->entry)),
        shared_bytes(launch.shared_bytes), params(launch.params.begin(), launch.params.end()),
        report(launch.report) {
    for (Memory* memory : launch.uses) uses.push_back(memory->shared_from_this());
  }
  std::shared_ptr<const Module> owner;
  const kern_object_entry* entry;
  std::uint64_t shared_bytes;
  std::vector<std::uint64_t> params;
  std::vector<std::shared_ptr<Memory>> uses;
  kern_launch_report* report;
};

class CpuStream;
// What a stream runs, with the number of the work there: in a graph, on whatever stream it is replayed.
using Task = std::function<void(CpuStream& stream, std::uint64_t number)>;

struct CpuGraph final : Graph {
  std::vector<Task> tasks;
};

// The list of tasks; shared by the stream and its thread.
class CpuStream final : public Stream {
public:
  explicit CpuStream(std::shared_ptr<cpu::Pool> pool) : pool_(std::move(pool)) {}
  std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                      std::uint64_t bytes) override {
    Memory* used = to.get();
    return put([=](auto&, auto) { std::memcpy(static_cast<char*>(to->data) + offset, from, bytes); },
               {&used, 1});
  }
  std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                     std::uint64_t bytes) override {
    Memory* used = from.get();
    return put([=](auto&, auto) { std::memcpy(to, static_cast<const char*>(from->data) + offset, bytes); },
               {&used, 1});
  }
  std::uint64_t copy(std::shared_ptr<Memory> to, std::uint64_t to_offset, std::shared_ptr<Memory> from,
                     std::uint64_t from_offset, std::uint64_t bytes) override {
    Memory* used[] = {to.get(), from.get()};
    return put(
        [=](auto&, auto) {
          std::memmove(static_cast<char*>(to->data) + to_offset,
                       static_cast<const char*>(from->data) + from_offset, bytes);
        },
        used);
  }
  std::uint64_t fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                     std::span<const char> pattern) override;
  std::uint64_t launch(const Launch& launch) override;
  std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number, bool) override {
    return put([=](CpuStream& stream, std::uint64_t own) { stream.wait_for(*other, number, own); });
  }
  std::uint64_t last() override {
    process_.check();
    std::lock_guard lock(mutex_);
    return put_;
  }
  bool wait(std::uint64_t number, Deadline deadline) override;
  bool is_captured() override {
    std::lock_guard lock(mutex_);
    return capture_ != nullptr;
  }
  void begin_capture() override;
  std::shared_ptr<Graph> end_capture() override;
  std::uint64_t replay(std::shared_ptr<Graph> graph) override;

  // There is no thread for it: whoever puts work on the stream does it at once. Comes before its first work.
  void do_without_thread() { has_thread_ = false; }
  // Ends the thread once everything is done.
  void close();
  // Runs tasks until the stream is closed.
  void run();

private:
  // Work that its caller waits for at once need not wake the stream's thread.
  std::uint64_t put(Task task, std::span<Memory* const> uses = {}, bool awaited = false);
  void wait_for(Stream& other, std::uint64_t number, std::uint64_t own);
  bool can_run() const { return !running_ && !tasks_.empty(); }
  void run_next(std::unique_lock<std::mutex>& lock) noexcept;
  void run_to(std::uint64_t number, std::unique_lock<std::mutex>& lock);
  void keep_caught(std::uint64_t number) noexcept;
  void run_launch(const Queued& launch, std::uint64_t number);
  Error no_scratch(const Queued& launch, const cpu::Launch& job) const;

  Process process_;
  std::shared_ptr<cpu::Pool> pool_;
  std::mutex mutex_;
  std::condition_variable changed_, work_; // for those who wait, and for the stream's thread
  std::deque<Task> tasks_;
  std::uint64_t put_ = 0, done_ = 0;
  bool running_ = false;              // a thread is at a task
  std::uint64_t launches_ = 0;        // that ran; its own
  std::shared_ptr<CpuGraph> capture_; // what work is kept in, while there is one
  bool closed_ = false, has_thread_ = true;
};

kern_device_info CpuDevice::info() const {
  kern_device_info info{};
  info.threads = pool->threads();
  info.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  info.available_bytes = budget->limit > 0 ? budget->limit - std::min(budget->limit, budget->held.load())
                                           : static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                                                 static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return info;
}

// Counts bytes, against the limit where there is one.
void CpuDevice::take(std::uint64_t bytes) {
  std::uint64_t held = budget->held.load();
  do {
    const bool is_beyond = held > budget->limit || bytes > budget->limit - held;
    if (budget->limit > 0 && is_beyond)
      fail(Error{KERN_OUT_OF_MEMORY,
                 "there is no memory for " + std::to_string(bytes) + " bytes: buffers have " +
                     std::to_string(held) + " of the limit of " + std::to_string(budget->limit),
                 {},
                 bytes,
                 budget->limit - std::min(held, budget->limit),
                 {},
                 held});
  } while (!budget->held.compare_exchange_weak(held, held + bytes));
}

std::shared_ptr<Memory> CpuDevice::allocate(std::uint64_t bytes) {
  auto memory = std::make_shared<CpuMemory>();
  take(bytes);
  memory->bytes = bytes;
  memory->budget = budget;
  memory->own = cpu::allocate_array(bytes);
  memory->data = memory->own.get();
  if (!memory->data) {
    const std::uint64_t held = budget->held.load() - bytes;
    fail(Error{KERN_OUT_OF_MEMORY,
               "there is no memory for " + std::to_string(bytes) + " bytes: buffers have " +
                   std::to_string(held),
               {},
               bytes,
               0,
               {},
               held});
  }
  memory->host = memory->data;
  return memory;
}

std::shared_ptr<Memory> CpuDevice::wrap(void* data, std::uint64_t bytes, std::function<void()> release) {
  auto memory = std::make_shared<CpuMemory>();
  memory->data = memory->host = data;
  memory->bytes = bytes;
  memory->release = std::move(release);
  return memory;
}

// A report of a host that was compiled before there was the word has none.
std::uint64_t* stop_of(kern_launch_report* report) {
  constexpr std::size_t end = offsetof(kern_launch_report, stop) + sizeof(kern_launch_report::stop);
  return report && report->struct_size >= end ? &report->stop : nullptr;
}

// Code that was compiled into this process is "native": whoever made it knew the CPU.
bool can_run(std::string_view cpu) {
  if (cpu == "native") return true;
  if (cpu == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4");
  if (cpu == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3");
  return false;
}

std::unique_ptr<Code> CpuDevice::load(const Manifest& manifest, const kern_object& object) {
  auto code = std::make_unique<CpuCode>();
  const char* wanted = std::getenv("KERN_CPU");
  for (std::uint64_t i = 0; i < object.entry_count; ++i) {
    const kern_object_entry& entry = object.entries[i];
    std::string_view cpu = entry.cpu;
    if (!can_run(cpu) || (wanted && cpu != wanted && cpu != "native")) continue;
    auto [known, is_new] = code->entries.try_emplace(entry.symbol, entry);
    // The names of levels ascend.
    if (!is_new && known->second.cpu < cpu) known->second = entry;
  }
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestVariant& variant : kernel.variants)
      if (variant.target == "cpu" && !code->entries.contains(variant.symbol))
        fail(KERN_DEVICE_ERROR, "the object has no code of `" + variant.symbol +
                                    "` for this CPU: it is made for x86-64-v3 and x86-64-v4" +
                                    (wanted ? ", and KERN_CPU is " + std::string(wanted) : ""));
  return code;
}

std::shared_ptr<Stream> CpuDevice::make_stream() {
  process.check();
  auto stream = std::make_shared<CpuStream>(pool);
  stream->make_findable();
  try {
    std::thread([stream] { stream->run(); }).detach();
  } catch (const std::system_error&) {
    stream->do_without_thread();
  }
  // What callers hold; the thread holds the stream itself. (A weak pointer keeps the function, so that must
  // let go of the stream too.)
  return {stream.get(), [stream](Stream*) mutable {
            stream->close();
            stream.reset();
          }};
}

void CpuStream::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return can_run() || (closed_ && !running_); });
    if (tasks_.empty()) break;
    run_next(lock);
  }
  lock.unlock();
  report_faults();
}

// Runs the next task; the lock is held at both ends.
void CpuStream::run_next(std::unique_lock<std::mutex>& lock) noexcept {
  running_ = true;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  std::uint64_t number = done_ + 1;
  lock.unlock();
  try {
    task(*this, number);
  } catch (...) {
    keep_caught(number);
  }
  task = nullptr; // what it held goes before anybody hears that it is done
  lock.lock();
  running_ = false;
  timeline_->done = ++done_;
  changed_.notify_all();
  if (!tasks_.empty() || closed_) work_.notify_one();
}

// Keeps what a task threw, as an error of its work.
void CpuStream::keep_caught(std::uint64_t number) noexcept {
  try {
    keep_error(number, error_of_exception("work of a stream"));
  } catch (...) {
    std::fputs("kern: there is no memory to keep an error of a stream\n", stderr);
  }
}

void CpuStream::close() {
  if (process_.is_left()) return;
  if (!has_thread_) return report_faults();
  std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_one();
}

std::uint64_t CpuStream::put(Task task, std::span<Memory* const> uses, bool awaited) {
  process_.check();
  std::unique_lock lock(mutex_);
  if (capture_) {
    capture_->tasks.push_back(std::move(task));
    for (Memory* memory : uses) capture_->memory.push_back(memory->shared_from_this());
    return put_;
  }
  tasks_.push_back(std::move(task));
  note(uses, put_ + 1);
  const std::uint64_t number = ++put_;
  if (!has_thread_) [[unlikely]]
    run_to(number, lock);
  else if (!awaited)
    work_.notify_one();
  return number;
}

// Waits for work of another stream, in its own work of the number `own`.
void CpuStream::wait_for(Stream& other, std::uint64_t number, std::uint64_t own) {
  try {
    other.wait(number, std::nullopt);
  } catch (...) {
    keep_caught(own); // the other one's device is lost
  }
}

bool CpuStream::wait(std::uint64_t number, Deadline deadline) {
  process_.check();
  std::unique_lock lock(mutex_);
  if (deadline) return changed_.wait_until(lock, *deadline, [&] { return done_ >= number; });
  run_to(number, lock);
  return true;
}

// Does work up to a number, or waits for whoever does it; the lock is held at both ends.
void CpuStream::run_to(std::uint64_t number, std::unique_lock<std::mutex>& lock) {
  while (done_ < number) {
    if (can_run())
      run_next(lock);
    else
      changed_.wait(lock);
  }
}

std::uint64_t CpuStream::fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                              std::span<const char> pattern) {
  std::vector<char> bytes(pattern.begin(), pattern.end());
  Memory* used = to.get();
  auto run = [=](auto&, auto) {
    char* place = static_cast<char*>(to->data) + offset;
    for (std::uint64_t i = 0; i < count; ++i, place += bytes.size())
      std::memcpy(place, bytes.data(), bytes.size());
  };
  return put(std::move(run), {&used, 1});
}

std::uint64_t CpuStream::launch(const Launch& launch) {
  if (capture_) check_capture(launch);
  auto run = [queued = Queued(launch)](CpuStream& stream, std::uint64_t number) {
    stream.run_launch(queued, number);
  };
  return put(std::move(run), launch.uses, launch.awaited);
}

void CpuStream::begin_capture() {
  process_.check();
  std::lock_guard lock(mutex_);
  if (capture_) refuse_capture(true);
  capture_ = std::make_shared<CpuGraph>();
}

std::shared_ptr<Graph> CpuStream::end_capture() {
  process_.check();
  std::lock_guard lock(mutex_);
  if (!capture_) refuse_capture(false);
  return std::move(capture_);
}

std::uint64_t CpuStream::replay(std::shared_ptr<Graph> graph) {
  std::vector<Memory*> uses;
  for (const auto& memory : graph->memory) uses.push_back(memory.get());
  auto run = [graph](CpuStream& stream, std::uint64_t number) {
    for (const Task& task : static_cast<const CpuGraph&>(*graph).tasks) task(stream, number);
  };
  return put(std::move(run), uses);
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

void CpuStream::run_launch(const Queued& launch, std::uint64_t number) {
  // Fibers begin with it, and what is computed about the launch, as its time, raises no flag of the host's either.
  const cpu::FloatEnvironment environment;
  constexpr std::uint64_t ring_words = std::uint64_t(1) << 20;
  kern_launch_record record{};
  record.launch = ++launches_;
  record.shared_bytes = launch.shared_bytes;
  cpu::Ring ring;
  if (launch.kernel->prints) ring = cpu::make_ring(ring_words);
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
  if (launch.report) job.blocks_done = &launch.report->blocks_done;
  bool is_cut_short = false;
  job.is_cut_short = &is_cut_short;
  std::uint64_t* stop = stop_of(launch.report);
  record.reserved[cpu::stop_word] = reinterpret_cast<std::uint64_t>(stop);
  auto begin = std::chrono::steady_clock::now();
  bool ran = launch.kernel->cooperative ? cpu::run_cooperative(*pool_, job) : pool_->run(job);
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  if (launch.report) launch.report->milliseconds = time.count();
  if (!ran) keep_error(number, no_scratch(launch, job));
  if (record.fault.state != 0)
    keep_fault(number, launch, record, launch.params);
  else if (is_cut_short)
    keep_error(number, {KERN_DEVICE_ERROR,
                        "kernel `" + launch.kernel->name + "` was stopped before all of its blocks had run",
                        {},
                        0,
                        0});
  if (ring) write_prints(number, launch.module->manifest, *ring);
}

} // namespace

std::shared_ptr<Device> open_cpu(unsigned threads, std::uint64_t memory_limit) {
  if (threads > 0 || memory_limit > 0)
    return std::make_shared<CpuDevice>(threads > 0 ? threads : cpu::default_threads(), memory_limit);
  // Streams may outlive main: the shared pool is never taken down. A child makes its own; without a lock,
  // which a thread of the parent might hold.
  using Shared = std::shared_ptr<CpuDevice>;
  static std::atomic<const Shared*> shared{nullptr};
  const Shared* known = shared.load();
  while (!known || (*known)->process.is_left()) {
    const auto* made = new Shared(std::make_shared<CpuDevice>(cpu::default_threads(), 0));
    if (shared.compare_exchange_strong(known, made)) return *made;
    delete made;
  }
  return *known;
}

} // namespace kern::runtime
