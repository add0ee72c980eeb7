// Does what is the same for every stream: keeps faults until somebody waits for them.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "runtime/api/at_exit.h"
#include "runtime/api/capture.h"
#include "runtime/api/device.h"
#include "runtime/api/prints.h"
#include "runtime/common/fault.h"
#include "runtime/common/log.h"
#include "runtime/common/per_thread.h"

namespace kern::runtime {

static constexpr std::size_t most_faults = 64;

static std::uint64_t next_stream() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Stream::Stream() : id_(next_stream()) {}

Stream::~Stream() { abandon_capture(); }

void Stream::make_findable() {
  timeline_->stream = weak_from_this();
  report_at_exit(shared_from_this());
}

static std::string place_text(const ManifestPlace& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

// In the parameter block an array's extents stand behind its address.
static std::vector<FaultArray> fault_arrays(const ManifestKernel& kernel,
                                            std::span<const std::uint64_t> params) {
  std::vector<FaultArray> arrays;
  for (const ManifestParam& param : kernel.params) {
    if (param.rank == 0 || params.size() <= param.slot + param.rank) continue;
    auto extents = params.subspan(param.slot + 1, param.rank);
    arrays.push_back({param.name, {extents.begin(), extents.end()}});
  }
  return arrays;
}

// Only a kernel that clamps can leave a note.
static bool is_note(const Launched& launch, const kern_fault_record& record) {
  return record.state == KERN_NOTE_THERE && launch.kernel->clamps.value_or(false);
}

// The record is untrusted: what it names must be there.
static Error describe(const Launched& launch, const kern_launch_record& left,
                      std::span<const std::uint64_t> params) {
  kern_fault_record record = left.fault;
  const Manifest& manifest = launch.module->manifest;
  const FaultRow* row = find_fault(record.kind);
  Error error{KERN_KERNEL_FAULT, "", Fault{launch.kernel->name, "", "", "", 0, 0, record, {}}, 0, 0};
  const bool clamps = launch.kernel->clamps.value_or(false), went_on = is_note(launch, record);
  error.fault->went_on = went_on;
  if (clamps) error.fault->bad_threads = left.bad_threads;
  if (!row || record.site >= manifest.sites.size()) {
    error.message = "kernel `" + launch.kernel->name + "`: the fault record is damaged: kind " +
                    std::to_string(record.kind) + ", site " + std::to_string(record.site);
    return error;
  }
  const ManifestSite& site = manifest.sites[record.site];
  error.fault->record = record = as_written(record, site.kind);
  Fault& fault = *error.fault;
  fault.code = row->code;
  fault.file = site.place.file;
  fault.line = site.place.line;
  fault.column = site.place.column;
  fault.array = site.array;
  const std::string text = fault_text(record, site.kind, site.array);
  error.message = place_text(site.place) + ": kernel `" + launch.kernel->name + "`: " +
                  (went_on ? bad_threads_text(fault.bad_threads) + ", the first: " + text
                           : "fault[" + fault.code + "]: " + text);
  if (!went_on && fault.bad_threads > 0) error.message += "\n  note: " + bad_threads_text(fault.bad_threads);
  for (const ManifestPlace& call : site.calls) {
    fault.calls.push_back({call.file, call.line, call.column});
    error.message += "\n  called at " + place_text(call);
  }
  if (auto other = other_barrier(record); other && *other < manifest.sites.size())
    error.message += "\n  note: others wait at " + place_text(manifest.sites[*other].place);
  std::array<std::uint64_t, 3> grid, block;
  for (std::size_t axis = 0; axis < 3; ++axis)
    grid[axis] = launch.grid[axis], block[axis] = launch.block[axis];
  std::vector<FaultArray> arrays = fault_arrays(*launch.kernel, params);
  for (const std::string& hint : fault_hints(record, site.kind, site.array, site.param, grid, block, arrays))
    error.message += "\n  note: " + hint;
  return error;
}

void Stream::keep_fault(std::uint64_t number, const Launched& launch, const kern_launch_record& record,
                        std::span<const std::uint64_t> params) {
  Error error = describe(launch, record, params);
  std::lock_guard lock(mutex_);
  KeptFaults& kept = launch.reports || is_note(launch, record.fault) ? reported_ : thrown_;
  kept.keep({number, std::move(error)});
}

static std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.6g} ms", seconds * 1e3) : fmt::format("{:.6g} s", seconds);
}

void Stream::keep_stop(std::uint64_t number, const Launched& launch, Stop why, double seconds,
                       const kern_launch_record* record, bool began) {
  const bool is_late = why == Stop::DeadlinePassed;
  const std::string head = "kernel `" + launch.kernel->name + "`: the launch " +
                           (is_late ? "took longer than its " + time_text(seconds) : "was cancelled");
  Error error{is_late ? KERN_DEADLINE : KERN_CANCELLED, "", {}, 0, 0};
  if (record) error.fault = describe(launch, *record, {}).fault;
  if (error.fault && !error.fault->code.empty()) {
    const Fault& fault = *error.fault;
    error.message = place_text({fault.file, fault.line, fault.column}) + ": " + head + ", and was stopped " +
                    fault.array + thread_text(fault.record);
    for (const Fault::Call& call : fault.calls)
      error.message += "\n  called at " + place_text({call.file, call.line, call.column});
  } else {
    error.message = head + (began ? "; some of its blocks did not run" : "; nothing of it ran");
  }
  keep_error(number, std::move(error));
}

void Stream::refuse_cancel() const {
  fail(KERN_ARGUMENT_ERROR, "stream " + std::to_string(id_) +
                                " has launches that cannot be cancelled and run to their end, of kernels "
                                "that were not compiled with "
                                "--cancellable (CompileOptions::cancellable)");
}

void Stream::keep_error(std::uint64_t number, Error error) {
  std::lock_guard lock(mutex_);
  thrown_.keep({number, std::move(error)});
}

// Keeps what is being thrown.
void Stream::keep_caught(std::uint64_t number, const char* who) noexcept {
  try {
    keep_error(number, error_of_exception(who));
  } catch (...) {
    std::fputs("kern: there is no memory to keep an error of a stream\n", stderr);
  }
}

void Stream::KeptFaults::keep(Kept kept) {
  if (list.size() == most_faults) {
    list.erase(list.begin());
    ++lost;
  }
  list.insert(std::ranges::upper_bound(list, kept.number, {}, &Kept::number), std::move(kept));
}

Error Stream::KeptFaults::take() {
  Error error = std::move(list.front().error);
  list.erase(list.begin());
  if (lost > 0) error.message += "\n  note: " + std::to_string(lost) + " earlier faults were not collected";
  lost = 0;
  return error;
}

void Stream::collect(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  if (!thrown_.list.empty() && thrown_.list.front().number <= number) fail(thrown_.take());
}

std::optional<Error> Stream::take_report() {
  std::lock_guard lock(mutex_);
  if (reported_.list.empty()) return std::nullopt;
  return reported_.take();
}

static constinit thread_local const Stream::Called* innermost = nullptr;

void Stream::on_print(kern_print_function print, void* context) {
  std::unique_lock lock(print_mutex_);
  print_ = print;
  print_context_ = context;
  if (!innermost) printed_.wait(lock, [this] { return !is_printing_; });
}

void Stream::keep_prints(std::uint64_t number, const Manifest& manifest, const kern_print_ring& ring) {
  std::string text = printed_text(manifest, ring);
  std::lock_guard lock(print_mutex_);
  prints_.push_back({number, std::move(text)});
  has_prints_.store(true, std::memory_order_release);
}

bool Stream::write_prints(Deadline deadline) {
  if (!has_prints()) return true;
  std::unique_lock lock(print_mutex_);
  while (is_printing_ || !prints_.empty()) {
    if (is_printing_) {
      if (innermost) return true;
      if (!deadline)
        printed_.wait(lock);
      else if (printed_.wait_until(lock, *deadline) == std::cv_status::timeout)
        return false;
      continue;
    }
    const Print print = std::move(prints_.front());
    prints_.pop_front();
    is_printing_ = true;
    const auto function = print_;
    void* const context = print_context_;
    lock.unlock();
    write(print, function, context);
    lock.lock();
    is_printing_ = false;
    printed_.notify_all();
  }
  has_prints_.store(false, std::memory_order_release);
  return true;
}

void Stream::write(const Print& print, kern_print_function function, void* context) {
  const auto& [number, text] = print;
  if (!function) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return;
  }
  const Called called(*this);
  try {
    function(context, text.data(), text.size());
  } catch (...) {
    keep_caught(number, "the function that gets prints");
  }
}

Stream::Called::Called(const Stream& stream) : stream_(stream), outer_(innermost) { innermost = this; }
Stream::Called::~Called() { innermost = outer_; }

bool Stream::calls_this_thread() const {
  for (const Called* called = innermost; called; called = called->outer_)
    if (&called->stream_ == this) return true;
  return false;
}

bool Stream::wait_for_caller(std::uint64_t number, Deadline deadline) {
  try {
    return wait(number, deadline);
  } catch (...) {
    if (!deadline) take_back(number);
    throw;
  }
}

void Stream::refuse_endless_wait() const {
  fail(
      KERN_ARGUMENT_ERROR,
      "the work of stream " + std::to_string(id_) +
          " is waited for in a function that it calls (on_print, stream.call), or by work that it waits for: "
          "neither would ever end");
}

void Stream::refuse_wait() {
  fail(KERN_ARGUMENT_ERROR,
       "the stream is being captured: its work does not run, so it cannot be waited for");
}

void Stream::check_capture(const Launch& launch) {
  const char* why = launch.kernel->prints        ? "prints"
                    : launch.kernel->cooperative ? "has barriers of the grid"
                    : launch.time_limit > 0      ? "has a time limit"
                                                 : nullptr;
  if (why)
    fail(KERN_ARGUMENT_ERROR,
         "kernel `" + launch.kernel->name + "` " + why + ", so it cannot be captured in a graph");
}

void Stream::report_faults() {
  std::lock_guard lock(mutex_);
  for (const Kept& kept : thrown_.list) {
    if (kept.error.kind == KERN_CANCELLED) continue;
    log(KERN_LOG_ERROR, "nobody waited for a launch that faulted: " + kept.error.message);
  }
  for (const Kept& kept : reported_.list)
    log(KERN_LOG_ERROR, "nobody asked for the report of a launch: " + kept.error.message);
  thrown_ = reported_ = {};
}

// ---- Device ----

std::shared_ptr<const Module> Device::module(const kern_object& object, std::shared_ptr<const void> owner) {
  std::lock_guard lock(mutex_);
  std::erase_if(modules_, [](const auto& row) { return row.second.expired(); });
  std::weak_ptr<const Module>& known = modules_[&object];
  if (std::shared_ptr<const Module> module = known.lock()) return module;
  std::string error;
  std::optional<Manifest> manifest = parse_manifest({object.manifest, object.manifest_bytes}, error);
  if (!manifest) fail(KERN_DEVICE_ERROR, "the object cannot be loaded: " + error);
  auto module = std::make_shared<Module>();
  module->owner = std::move(owner);
  module->device = this;
  module->manifest = std::move(*manifest);
  module->text = {object.manifest, object.manifest_bytes};
  module->code = load(module->manifest, object);
  make_plans(*module);
  known = module;
  return module;
}

std::uint64_t Device::next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

namespace {

// A thread's own streams. They belong to their devices; when the thread ends, those that are still there let
// go of them.
struct OwnStreams {
  struct Own {
    std::uint64_t device_id;
    std::weak_ptr<Device> device;
    std::weak_ptr<Stream> stream;
  };
  ~OwnStreams() {
    for (const Own& own : streams)
      if (std::shared_ptr<Device> device = own.device.lock()) device->drop_stream(own.stream.lock().get());
  }
  std::vector<Own> streams;
  // The one that was asked for last.
  std::uint64_t last_id = 0;
  const std::shared_ptr<Stream>* last = nullptr;
};

} // namespace

const std::shared_ptr<Stream>& Device::stream_of_thread() {
  OwnStreams& own = PerThread<OwnStreams>::get();
  if (own.last_id == id_) return *own.last;
  auto known = std::find_if(own.streams.begin(), own.streams.end(),
                            [&](const auto& stream) { return stream.device_id == id_; });
  std::shared_ptr<Stream> stream = known == own.streams.end() ? make_stream() : known->stream.lock();
  std::lock_guard lock(mutex_);
  if (known == own.streams.end()) {
    std::erase_if(own.streams, [](const auto& old) { return old.device.expired(); });
    // Memory is taken first, so that either both lists know the stream or neither does.
    own.streams.reserve(own.streams.size() + 1);
    own_streams_.push_back(std::make_unique<std::shared_ptr<Stream>>(stream));
    own.streams.push_back({id_, weak_from_this(), stream});
  }
  for (const auto& owned : own_streams_)
    if (*owned == stream) own.last = owned.get();
  own.last_id = id_;
  return *own.last;
}

void Device::drop_stream(const Stream* stream) {
  std::unique_ptr<std::shared_ptr<Stream>> dropped;
  {
    std::lock_guard lock(mutex_);
    for (auto& owned : own_streams_)
      if (owned->get() == stream) dropped = std::move(owned);
    std::erase(own_streams_, nullptr);
  }
  dropped.reset();
  sweep();
}

void Device::drop_streams() { own_streams_.clear(); }

} // namespace kern::runtime
