// Copies and fills, and waiting for what was given to the driver.
#include "runtime/api/cuda/stream.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace kern::runtime {

static constexpr unsigned stream_non_blocking = 1, event_no_timing = 2;

Mark::Mark(CudaDevice& owner, bool timed) : driver(owner.driver) {
  owner.check("cuEventCreate", driver.event_create(&event, timed ? 0 : event_no_timing));
}

CudaStream::CudaStream(CudaDevice& device) : device_(device), driver_(device.driver) {
  device_.check("cuStreamCreate", driver_.stream_create(&stream_, stream_non_blocking));
}

CudaStream::CudaStream(CudaDevice& device, cuda::StreamHandle native)
    : device_(device), driver_(device.driver), stream_(native), is_own_(false) {}

CudaStream::~CudaStream() {
  report_faults();
  if (!is_own_) return;
  device_.use();
  driver_.stream_destroy(stream_);
}

void CudaStream::close() {
  try {
    wait(last(), std::nullopt);
  } catch (const Error&) {
    // The device is going, and nobody asks any more.
  }
}

std::uint64_t CudaStream::last() {
  std::lock_guard lock(mutex_);
  return put_;
}

// ---- Putting work on it ----

// Gives work that was put on the stream its number.
std::uint64_t CudaStream::put(const Work& what, std::initializer_list<std::shared_ptr<Memory>> memory) {
  if (std::shared_ptr<Capture> captured = capture()) {
    captured->keep(*this, what, {}, [&](Graph& graph) { graph.memory.insert(graph.memory.end(), memory); });
    return last();
  }
  std::lock_guard lock(mutex_);
  ++put_;
  for (const auto& used : memory) static_cast<CudaMemory&>(*used).uses->note(timeline_, put_);
  return put_;
}

// Marks the end of the last work if somebody keeps its number; comes before more work.
void CudaStream::mark_held() {
  if (held_.load(std::memory_order_relaxed) == 0 || is_captured()) return;
  std::uint64_t number = held_.exchange(0, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  bool is_marked = !marks_.empty() && marks_.back().number >= number;
  if (number == put_ && !is_marked && timeline_->done < number) add_mark(false);
}

std::uint64_t CudaStream::write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                                std::uint64_t bytes) {
  device_.enter();
  mark_held();
  device_.check("cuMemcpyHtoDAsync",
                driver_.copy_to_device_async(address_of(*to) + offset, from, bytes, stream_));
  return put({"a copy"}, {to});
}

std::uint64_t CudaStream::read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                               std::uint64_t bytes) {
  device_.enter();
  mark_held();
  device_.check("cuMemcpyDtoHAsync",
                driver_.copy_to_host_async(to, address_of(*from) + offset, bytes, stream_));
  return put({"a copy"}, {from});
}

// Returns the address of memory for a copy: the driver knows addresses of pinned memory as well.
static Address place(const Memory& memory, std::uint64_t offset) {
  return reinterpret_cast<Address>(memory.host ? memory.host : memory.data) + offset;
}

std::uint64_t CudaStream::copy(std::shared_ptr<Memory> to, std::uint64_t to_offset,
                               std::shared_ptr<Memory> from, std::uint64_t from_offset, std::uint64_t bytes) {
  device_.enter();
  mark_held();
  device_.check("cuMemcpyAsync",
                driver_.copy_async(place(*to, to_offset), place(*from, from_offset), bytes, stream_));
  return put({"a copy"}, {to, from});
}

std::uint64_t CudaStream::fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                               std::span<const char> pattern) {
  device_.enter();
  mark_held();
  Address address = address_of(*to) + offset;
  std::uint32_t word = 0;
  std::memcpy(&word, pattern.data(), std::min(pattern.size(), sizeof word));
  bool same_words = true;
  for (std::size_t i = 0; i < pattern.size(); i += 4)
    same_words &= pattern.size() < 4 || std::memcmp(&word, pattern.data() + i, 4) == 0;
  if (pattern.size() == 1) {
    device_.check("cuMemsetD8Async",
                  driver_.fill8(address, static_cast<unsigned char>(word), count, stream_));
  } else if (pattern.size() == 2) {
    device_.check("cuMemsetD16Async",
                  driver_.fill16(address, static_cast<unsigned short>(word), count, stream_));
  } else if (same_words) {
    device_.check("cuMemsetD32Async", driver_.fill32(address, word, count * (pattern.size() / 4), stream_));
  } else {
    std::vector<char> bytes;
    for (std::uint64_t i = 0; i < count; ++i) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
    std::uint64_t number = write(std::move(to), offset, bytes.data(), bytes.size());
    wait(number, std::nullopt);
    return number;
  }
  return put({"a fill"}, {to});
}

namespace {

// A call of the program's that the driver was given; its stream keeps what it throws.
struct HostCall {
  std::function<void()> function;
  std::weak_ptr<Stream> stream;
  std::function<void(Error)> keep;
};

void make_call(void* data) {
  std::unique_ptr<HostCall> call(static_cast<HostCall*>(data));
  const std::shared_ptr<Stream> stream = call->stream.lock();
  std::optional<Stream::Called> called;
  if (stream) called.emplace(*stream);
  try {
    call->function();
  } catch (...) {
    if (stream) call->keep(error_of_exception("a call of a stream"));
  }
}

} // namespace

std::uint64_t CudaStream::call(std::function<void()> function) {
  device_.enter();
  mark_held();
  const std::uint64_t number = last() + 1;
  auto made =
      std::make_unique<HostCall>(HostCall{std::move(function), weak_from_this(), [this, number](Error error) {
                                            keep_error(number, std::move(error));
                                          }});
  device_.check("cuLaunchHostFunc", driver_.launch_host(stream_, make_call, made.get()));
  made.release();
  return put({"a call"}, {});
}

namespace {

struct CudaTimestamp final : Timestamp {
  explicit CudaTimestamp(CudaDevice& owner) : device(owner), mark(owner, true) {}
  double since(const Timestamp& begin) const override {
    device.enter();
    float milliseconds = 0;
    device.check("cuEventElapsedTime",
                 device.driver.event_elapsed(
                     &milliseconds, static_cast<const CudaTimestamp&>(begin).mark.event, mark.event));
    return static_cast<double>(milliseconds);
  }
  CudaDevice& device; // whoever holds the event holds it
  Mark mark;
};

} // namespace

std::uint64_t CudaStream::record(std::shared_ptr<Timestamp>& time) {
  device_.enter();
  mark_held();
  auto made = std::make_shared<CudaTimestamp>(device_);
  device_.check("cuEventRecord", driver_.event_record(made->mark.event, stream_));
  time = std::move(made);
  return put({"a mark"}, {});
}

std::uint64_t CudaStream::after(std::shared_ptr<Stream> other, std::uint64_t number, bool same_device) {
  if (!same_device) {
    // Its work is waited for here.
    other->wait(number, std::nullopt);
    return last();
  }
  device_.enter();
  mark_held();
  auto mark = static_cast<CudaStream&>(*other).mark_behind(number);
  if (mark) device_.check("cuStreamWaitEvent", driver_.stream_wait_event(stream_, mark->event, 0));
  return put({""}, {});
}

// ---- Marks; the caller has the lock ----

// Puts a mark behind all work so far.
void CudaStream::add_mark(bool copied) {
  std::shared_ptr<Mark> mark;
  if (spare_marks_.empty()) {
    mark = std::make_shared<Mark>(device_);
  } else {
    mark = std::move(spare_marks_.back());
    spare_marks_.pop_back();
  }
  device_.check("cuEventRecord", driver_.event_record(mark->event, stream_));
  marks_.push_back({put_, std::move(mark), copied});
}

// Has the records of all launches so far copied to the host, and puts a mark behind that.
void CudaStream::flush() {
  if (!batches_.empty()) {
    Batch& batch = *batches_.back();
    std::uint32_t count = batch.used - batch.copied;
    if (count > 0)
      device_.check("cuMemcpyDtoHAsync",
                    driver_.copy_to_host_async(batch.host + batch.copied, batch.record(batch.copied),
                                               count * sizeof(kern_launch_record), stream_));
    batch.copied = batch.used;
  }
  add_mark(true);
}

// Finishes what is marked as done; marks are done in their order.
void CudaStream::finish_marked() {
  auto is_done = [this](const Marked& marked) {
    Result result = driver_.event_query(marked.mark->event);
    if (result != cuda_not_ready) device_.check("cuEventQuery", result);
    return result == 0;
  };
  // Mostly all or nothing is done.
  if (marks_.empty() || !is_done(marks_.front())) return;
  auto end =
      is_done(marks_.back()) ? marks_.end() : std::partition_point(marks_.begin(), marks_.end(), is_done);
  std::uint64_t number = std::prev(end)->number;
  for (auto marked = marks_.begin(); marked != end; ++marked) {
    if (marked->copied) copied_ = marked->number;
    if (marked->mark.use_count() == 1) spare_marks_.push_back(std::move(marked->mark));
  }
  marks_.erase(marks_.begin(), end);
  finish(number);
}

// ---- Waiting ----

// Returns a mark behind that work; null where it is done. Takes the lock.
std::shared_ptr<Mark> CudaStream::mark_behind(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  if (timeline_->done >= number) return nullptr;
  // The work before a capture was marked when that began, so work without a mark belongs to the capture.
  if (is_captured() && (marks_.empty() || marks_.back().number < number)) refuse_wait();
  if (marks_.empty() || marks_.back().number < number) flush();
  auto first = std::find_if(marks_.begin(), marks_.end(),
                            [&](const Marked& marked) { return marked.number >= number; });
  return first->mark;
}

bool CudaStream::wait(std::uint64_t number, Deadline deadline) {
  if (calls_this_thread()) refuse_endless_wait();
  return wait_silently(number, deadline) && write_prints(deadline);
}

// The driver has the work already, and does it without this thread.
void CudaStream::take_back(std::uint64_t number) noexcept {
  try {
    wait_silently(number, std::nullopt);
  } catch (...) {
    // A device that is lost works no more.
  }
}

bool CudaStream::wait_silently(std::uint64_t number, Deadline deadline) {
  device_.enter();
  std::shared_ptr<Mark> mark = mark_behind(number);
  if (!mark) return true;
  if (!deadline) device_.check("cuEventSynchronize", driver_.event_synchronize(mark->event));
  while (deadline) {
    Result result = driver_.event_query(mark->event);
    if (result == 0) break;
    if (result != cuda_not_ready) device_.check("cuEventQuery", result);
    if (std::chrono::steady_clock::now() >= *deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  mark = nullptr;
  std::lock_guard lock(mutex_);
  finish_marked();
  return true;
}

void CudaStream::poll() {
  poll_silently();
  write_prints();
}

void CudaStream::poll_silently() {
  device_.enter();
  std::lock_guard lock(mutex_);
  if (is_captured()) return;
  finish_marked();
  if (timeline_->done >= put_) return;
  Result result = driver_.stream_query(stream_);
  if (result == 0) {
    finish(put_);
  } else if (result != cuda_not_ready) {
    device_.check("cuStreamQuery", result);
  } else if (marks_.empty()) {
    flush(); // so that the next poll sees how far it came
  }
}

bool CudaStream::is_idle() {
  // One that joined a capture is wanted until that ends.
  if (std::shared_ptr<Capture> captured = capture()) return captured->is_origin(*this);
  poll_silently();
  std::lock_guard lock(mutex_);
  return timeline_->done >= put_;
}

} // namespace kern::runtime
