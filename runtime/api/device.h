// Declares what the runtime asks of a device: memory, code and streams. A CPU and a CUDA device implement it;
// nothing above this header knows which.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/clock.h"
#include "runtime/api/error.h"
#include "runtime/api/plan.h"
#include "runtime/api/stop.h"
#include "runtime/api/uses.h"
#include "runtime/manifest/manifest.h"

namespace kern::runtime {

class Device;
class Stream;
class Capture;
struct CapturePoint;
struct CheckedMemory; // check.h
struct CheckedGraph;

// Memory of a device. It goes back when nobody holds it any more, and is given out again when no stream works
// on it.
struct Memory : std::enable_shared_from_this<Memory> {
  virtual ~Memory() = default;
  void* data = nullptr; // on the device; null for host memory that the device does not see
  void* host = nullptr; // for the host; null where it does not see it
  std::uint64_t bytes = 0;
  std::unique_ptr<Uses> uses = std::make_unique<Uses>(); // outlives the memory where they are under way
  std::shared_ptr<CheckedMemory> checked;
};

// The code of an object on a device.
struct Code {
  virtual ~Code() = default;
  // Returns what launches of a variant call; it lives as long as the code.
  virtual void* entry(const ManifestVariant& variant) = 0;
};

// A module: its manifest with its code. Kernels and faults refer to it, and handles of it keep its device.
struct Module {
  std::shared_ptr<const void> owner; // of the object; goes after its code
  Device* device = nullptr;
  Manifest manifest;
  std::string_view text; // the manifest's, in the object
  std::unique_ptr<Code> code;
  std::deque<Plan> plans; // of each kernel
};

// The facts about a launch with which its fault record must be read; the module is held by somebody.
struct Launched {
  const Module* module = nullptr;
  const ManifestKernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{}, block{}; // none is 0
  bool reports = false;                         // its faults are told to whoever asks, and not thrown
  bool is_cancellable() const { return kernel->cancellable.value_or(false); }
};

// A launch that was checked. It borrows everything: a stream takes what it needs for longer.
struct Launch : Launched {
  const std::shared_ptr<const Module>* owner = nullptr; // of `module`
  const Plan* plan = nullptr;
  const PlanVariant* variant = nullptr;
  std::uint64_t shared_bytes = 0;  // dynamic, of a block
  std::span<std::uint64_t> params; // the last slot is free for the launch record
  std::span<Memory* const> uses;
  bool cooperative = false; // all its blocks run at once
  bool awaited = false;     // whoever puts it on a stream waits for it at once
  kern_launch_report* report = nullptr;
  double time_limit = 0; // seconds from the call; 0: none
};

// Work that was captured on a stream, to be put on streams of its device again and again.
struct Graph {
  virtual ~Graph() = default;
  std::vector<std::shared_ptr<Memory>> memory; // that its work uses
  std::vector<Memory*> filled;                 // of these, what its work fills
  std::shared_ptr<CheckedGraph> checked;
  bool runs_on = false; // some of it cannot be cancelled
};

// When a stream came to a place in its work.
struct Timestamp {
  virtual ~Timestamp() = default;
  // Returns the milliseconds from an earlier one, of the same device; both have come.
  virtual double since(const Timestamp& begin) const = 0;
};

// The work that was given to a device in order. Whatever is put on it gets the next number; `done` numbers
// never go down. One thread at a time puts work on it; any thread may wait. A stream does not keep its
// device: who holds a stream holds the device too.
class Stream : public std::enable_shared_from_this<Stream> {
public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>; // none: wait as long as it takes
  Stream();
  virtual ~Stream();

  // Put work on the stream; each returns its number. Memory is held until it is done.
  virtual std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                              std::uint64_t bytes) = 0;
  virtual std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                             std::uint64_t bytes) = 0;
  virtual std::uint64_t copy(std::shared_ptr<Memory> to, std::uint64_t to_offset,
                             std::shared_ptr<Memory> from, std::uint64_t from_offset,
                             std::uint64_t bytes) = 0;
  virtual std::uint64_t fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                             std::span<const char> pattern) = 0;
  virtual std::uint64_t launch(const Launch& launch) = 0;
  // Calls a function of the program's when the work before it is done; what comes next waits for it.
  virtual std::uint64_t call(std::function<void()> function) = 0;
  // Lets what comes next wait for another stream's work, of the same device or another one.
  virtual std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number, bool same_device) = 0;
  // Notes when the work before it is done.
  virtual std::uint64_t record(std::shared_ptr<Timestamp>& time) = 0;
  // Puts all that was captured on the stream, as one piece of work.
  virtual std::uint64_t replay(std::shared_ptr<Graph> graph) = 0;
  // Returns the number of the last work.
  virtual std::uint64_t last() = 0;
  // Tells all launches to end that it was given so far and that were compiled for it; throws where others run on.
  virtual void cancel() = 0;
  // Waits for a number; false where the deadline passed before.
  virtual bool wait(std::uint64_t number, Deadline deadline) = 0;
  // The same for a caller of the API, who may free his host memory where it throws: without a deadline, none of it is used any
  // more then.
  bool wait_for_caller(std::uint64_t number, Deadline deadline);

  // Returns the driver's handle of it; null where there is none.
  virtual void* native() { return nullptr; }
  // Says that somebody keeps a number to wait for it, or no longer does: what nobody keeps costs no mark.
  virtual void hold(std::uint64_t) {}
  virtual void let_go(std::uint64_t) {}
  // Says whether it can be waited for when all statics of the program are gone.
  virtual bool outlives_statics() const { return true; }
  // Looks for faults of work that is done, without waiting.
  virtual void poll() {}

  // Throws the first fault, up to that number, that nobody has collected.
  void collect(std::uint64_t number);
  // Hands over the first fault that is reported and that nobody has taken.
  std::optional<Error> take_report();
  // Says on stderr what nobody collected, but that launches were cancelled.
  void report_faults();
  // Says whether faults of launches that leave it to the stream are reported instead of thrown.
  void report_by_default(bool reports) { reports_by_default_.store(reports, std::memory_order_relaxed); }
  bool reports_by_default() const { return reports_by_default_.load(std::memory_order_relaxed); }
  // From here to the end of the capture, what is put on the stream is kept instead of run (capture.cpp).
  static void begin_capture(const std::shared_ptr<Stream>& stream);
  // Returns what was captured on all streams of the capture; throws where there is work that the stream does not wait for.
  std::shared_ptr<Graph> end_capture();
  // Says whether what is put on it goes to a graph.
  bool is_captured() const { return is_captured_.load(std::memory_order_acquire); }
  // Returns what its work goes to; null where it runs.
  std::shared_ptr<Capture> capture() { return is_captured() ? current_capture() : nullptr; }
  // Returns the end of its captured work so far; null where it is not captured.
  std::shared_ptr<const CapturePoint> capture_point() { return is_captured() ? current_point() : nullptr; }
  // Puts it behind work of a capture, which it joins where it is not part of it yet.
  void follow(const CapturePoint& point);
  // Returns its number in the process, from 1: what messages call it by.
  std::uint64_t id() const { return id_; }
  Clock checked; // what its next work comes behind; of check.h
  // Says where prints go; null: to the standard output. Waits for a call of the function before that is under way, but inside
  // of such a function, or of one that a stream calls.
  void on_print(kern_print_function print, void* context);
  // Returns how far it has come, which outlives it.
  const std::shared_ptr<Timeline>& timeline() const { return timeline_; }
  // Lets whoever keeps the timeline find the stream, and the end of the process; comes before its first work.
  void make_findable();
  // Throws where it is captured, and so cannot be waited for.
  void check_waitable() {
    if (is_captured()) refuse_wait();
  }
  // While it is there, this thread calls a function of the program's in the stream's turn.
  class Called {
  public:
    explicit Called(const Stream& stream);
    Called(const Called&) = delete;
    Called& operator=(const Called&) = delete;
    ~Called();

  private:
    friend class Stream;
    const Stream& stream_;
    const Called* outer_;
  };

protected:
  friend class Capture;
  // Ends a capture that nobody can end any more, because its stream goes.
  void abandon_capture();
  // A device does four things for a capture: it makes the graph, and keeps what is put on the stream,
  virtual std::shared_ptr<Graph> start_capture() = 0;
  // marks the end of the captured work so far, where a device has such marks,
  virtual std::shared_ptr<const void> mark_captured() { return nullptr; }
  // puts what is captured from now on behind a mark; a stream that `joins` was not captured until now,
  virtual void follow_mark(const void* mark, bool joins) = 0;
  // and finishes the graph; null: nobody wants it.
  virtual void stop_capture(Graph* graph) = 0;

  // Ends the use of host memory by work up to a number that this thread put there and cannot wait for: takes the work back,
  // which is an error of whoever waits for an earlier number, or has it done.
  virtual void take_back(std::uint64_t number) noexcept = 0;
  // Says whether this thread calls a function of the program's in the stream's turn.
  bool calls_this_thread() const;
  // Throws that a wait would never end.
  [[noreturn, gnu::cold]] void refuse_endless_wait() const;
  // Throw what a capture does not allow: to wait, a kernel that prints or has barriers of the grid.
  [[noreturn]] static void refuse_wait();
  static void check_capture(const Launch& launch);
  // Keeps a fault or note of a launch that is done, in words; the last 64 stay, the others are counted. The launch's
  // parameter block, where it is still there, explains more.
  void keep_fault(std::uint64_t number, const Launched& launch, const kern_launch_record& record,
                  std::span<const std::uint64_t> params = {});
  // Keeps that a launch was told to end: `record` says where a thread was, if one was stopped; else `began` whether some
  // of its blocks ran. `seconds` is its time limit.
  void keep_stop(std::uint64_t number, const Launched& launch, Stop why, double seconds,
                 const kern_launch_record* record, bool began);
  // Throws that launches run on which were not compiled to be cancelled.
  [[noreturn, gnu::cold]] void refuse_cancel() const;
  // Keeps what else went wrong with work that was put on the stream,
  void keep_error(std::uint64_t number, Error error);
  // or what is being thrown by `who`.
  void keep_caught(std::uint64_t number, const char* who) noexcept;
  // Notes work that uses memory.
  void note(std::span<Memory* const> uses, std::uint64_t number) const {
    for (Memory* memory : uses) memory->uses->note(timeline_, number);
  }
  // Keeps what a launch printed, for the next write_prints.
  void keep_prints(std::uint64_t number, const Manifest& manifest, const kern_print_ring& ring);
  // Says whether prints are kept, or being written.
  bool has_prints() const { return has_prints_.load(std::memory_order_acquire); }
  // Writes what is kept, in order, and waits for another thread that is at it; false where the deadline passed before. The
  // program's function is called, which may use the stream: no lock is held, and nothing of it half done. Who is inside of such
  // a function waits for no other one, which may wait for it.
  bool write_prints(Deadline deadline = std::nullopt);

  std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();

private:
  struct Kept {
    std::uint64_t number;
    Error error;
  };
  struct Print {
    std::uint64_t number;
    std::string text;
  };
  void write(const Print& print, kern_print_function function, void* context);
  // The last of them, by number, and how many were lost before.
  struct KeptFaults {
    std::vector<Kept> list;
    std::uint64_t lost = 0;
    void keep(Kept kept);
    Error take();
  };
  std::shared_ptr<Capture> current_capture();
  std::shared_ptr<const CapturePoint> current_point();
  void set_capture(std::shared_ptr<Capture> capture);

  std::uint64_t id_;
  std::mutex mutex_;
  std::shared_ptr<Capture> capture_; // that it is part of
  std::atomic<bool> is_captured_{false};
  KeptFaults thrown_, reported_;
  std::atomic<bool> reports_by_default_{false};
  std::mutex print_mutex_; // guards what follows; not held while the function is called
  std::condition_variable printed_;
  std::deque<Print> prints_;
  std::atomic<bool> has_prints_{false};
  bool is_printing_ = false; // a thread is at the function
  kern_print_function print_ = nullptr;
  void* print_context_ = nullptr;
};

// The facts that a device knows of a kernel's code; 0 where there is no such thing.
struct CodeFacts {
  std::uint64_t registers = 0, local_bytes = 0; // of a thread
};

struct DeviceLimits {
  // The most shared memory that a block can have: unless a device knows better, as much as the largest GPU
  // has, so that what runs here can run there.
  std::uint64_t shared_bytes = 227 << 10;
  std::uint64_t least_blocks = 0; // that fill the device; 0 where any number does
};

class Device : public std::enable_shared_from_this<Device> {
public:
  virtual ~Device() = default;
  virtual kern_device_kind kind() const = 0;
  // Returns memory of at least one byte, aligned to 256 bytes; throws OutOfMemory.
  virtual std::shared_ptr<Memory> allocate(std::uint64_t bytes) = 0;
  // Returns memory of the host that the device copies fast; `flags` are kern_host_flags.
  virtual std::shared_ptr<Memory> allocate_host(std::uint64_t bytes, std::uint32_t flags) = 0;
  // Returns memory that is somebody else's, and is released when nobody uses it.
  virtual std::shared_ptr<Memory> wrap(void* data, std::uint64_t bytes, std::function<void()> release) = 0;
  virtual std::unique_ptr<Code> load(const Manifest& manifest, const kern_object& object) = 0;
  virtual std::shared_ptr<Stream> make_stream() = 0;
  // Returns a stream around one of the driver's.
  virtual std::shared_ptr<Stream> wrap_stream(void* native) = 0;
  virtual unsigned ordinal() const { return 0; }
  // Looks after streams that nobody holds any more; never throws.
  virtual void sweep() {}
  // Returns how many threads a block has where neither the launch nor the kernel says; a multiple of 32.
  virtual std::uint64_t best_threads(const Plan&) { return 256; }
  // Returns how many blocks of that shape can run at once; nothing where all of them can.
  virtual std::optional<std::uint64_t> most_cooperative_blocks(const Launch&) { return std::nullopt; }
  virtual CodeFacts code_facts(const Plan&) { return {}; }
  // Returns how many blocks of so many threads, with so much dynamic shared memory, run at once on the device.
  virtual std::uint64_t occupancy(const Plan& plan, std::uint64_t threads, std::uint64_t shared_bytes) = 0;
  // Returns the limits, which are kept in a field because every launch asks for them.
  const DeviceLimits& limits() const { return limits_; }
  // Returns the name by which variants say that they are for this device: "cpu", "cuda".
  virtual std::string_view target() const = 0;
  // Says whether copies from and to that host memory need no detour.
  virtual bool is_pinned(const void*) { return true; }
  // Says whether kernels can use host memory where it is.
  virtual bool shares_host_memory() const = 0;

  const std::string& name() const { return name_; }
  virtual kern_device_info info() const = 0;
  // Returns the module of an object, loaded once; it holds `owner`, which keeps the object where it is.
  std::shared_ptr<const Module> module(const kern_object& object, std::shared_ptr<const void> owner = {});
  // Returns the calling thread's own stream, which lives as long as the thread and the device.
  const std::shared_ptr<Stream>& stream_of_thread();
  // Lets go of a thread's own stream.
  void drop_stream(const Stream* stream);

protected:
  // Lets go of all threads' own streams.
  void drop_streams();
  std::string name_;
  DeviceLimits limits_;

private:
  std::mutex mutex_;
  // The device keeps no module alive: a module keeps its device.
  std::map<const kern_object*, std::weak_ptr<const Module>> modules_;
  static std::uint64_t next_id();
  std::uint64_t id_ = next_id(); // addresses are used again, numbers are not
  // Threads' own streams; each has an address of its own, which the thread remembers.
  std::vector<std::unique_ptr<std::shared_ptr<Stream>>> own_streams_;
};

// With a limit of memory, or threads of its own, a device is not the shared one.
std::shared_ptr<Device> open_cpu(unsigned threads, std::uint64_t memory_limit = 0);
std::shared_ptr<Device> open_cuda(unsigned ordinal, std::uint64_t memory_limit = 0);
// Returns how many CUDA devices there are; 0 where there is no driver.
unsigned count_cuda();
// Opens what KERN_DEVICE names, else the first CUDA device, else the CPU; `reason` says why.
std::shared_ptr<Device> open_best(std::string& reason);

} // namespace kern::runtime
