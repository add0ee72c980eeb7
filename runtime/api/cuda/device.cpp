// The context of a device, and the streams that it owns. A stream that nobody holds any more stays until its
// work is done.
#include "runtime/api/cuda/device.h"

#include <algorithm>

#include "runtime/api/cuda/stream.h"
#include "runtime/api/fork.h"

namespace kern::runtime {

bool is_sticky(Result result) {
  constexpr Result sticky[] = {4, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
  return std::find(std::begin(sticky), std::end(sticky), result) != std::end(sticky);
}

CudaDevice::CudaDevice(const Driver& table, unsigned ordinal, std::uint64_t memory_limit)
    : driver(table), ordinal_(ordinal), forks_(fork_count()), memory_limit_(memory_limit) {
  const char* failed = "";
  Result result = cuda::read_facts(driver, static_cast<int>(ordinal), facts_, failed);
  check(failed, result);
  device_ = facts_.device;
  check("cuDevicePrimaryCtxRetain", driver.primary_retain(&context_, device_));
  name_ = facts_.name;
  limits_.shared_bytes = std::max(shared_without_opt_in, facts_.shared_bytes);
  limits_.least_blocks = facts_.multiprocessors;
}

CudaDevice::~CudaDevice() {
  if (!context_) return;
  driver.set_context(context_);
  drop_streams();
  for (const auto& stream : streams_) stream->close();
  streams_.clear();
  for (const Pending& pending : pending_) pending.release();
  release_pool();
  driver.primary_release(device_);
}

kern_device_info CudaDevice::info() const {
  kern_device_info info{};
  info.compute_major = static_cast<std::uint32_t>(facts_.major);
  info.compute_minor = static_cast<std::uint32_t>(facts_.minor);
  info.driver_version = static_cast<std::uint32_t>(facts_.driver_version);
  info.memory_bytes = facts_.memory_bytes;
  std::uint64_t limit = memory_limit_ > 0 ? memory_limit_ : facts_.memory_bytes, taken = taken_;
  info.available_bytes = limit - std::min(limit, taken);
  std::size_t available = 0, total = 0;
  if (driver.set_context(context_) == 0 && driver.memory_info(&available, &total) == 0)
    info.available_bytes = std::min<std::uint64_t>(info.available_bytes, available);
  return info;
}

void CudaDevice::refuse(const char* call, Result result) {
  std::string text = cuda::describe(driver, call, result);
  if (is_sticky(result)) {
    lost_ = true;
    fail(KERN_DEVICE_LOST, name_ + " is lost for this process, which must be started again: " + text);
  }
  fail(KERN_DEVICE_ERROR, text);
}

void CudaDevice::enter() {
  if (fork_count() != forks_)
    fail(KERN_DEVICE_ERROR, "CUDA does not survive fork: open the device in the process that uses it");
  if (lost_.load(std::memory_order_relaxed))
    fail(KERN_DEVICE_LOST, name_ + " was lost: this process must be started again");
  // Other libraries may have made another context current; asking is much cheaper than setting.
  cuda::ContextHandle current = nullptr;
  if (driver.get_context(&current) == 0 && current == context_) return;
  check("cuCtxSetCurrent", driver.set_context(context_));
}

std::shared_ptr<Stream> CudaDevice::make_stream() {
  enter();
  drop_idle(false);
  return add(std::make_shared<CudaStream>(*this));
}

std::shared_ptr<Stream> CudaDevice::wrap_stream(void* native) {
  enter();
  drop_idle(false);
  return add(std::make_shared<CudaStream>(*this, static_cast<cuda::StreamHandle>(native)));
}

std::shared_ptr<Stream> CudaDevice::add(std::shared_ptr<CudaStream> stream) {
  stream->make_findable();
  std::lock_guard lock(mutex_);
  streams_.push_back(stream);
  return stream;
}

std::vector<std::shared_ptr<CudaStream>> CudaDevice::streams() {
  std::lock_guard lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

void CudaDevice::sweep() { drop_idle(true); }

// Takes out of the list what only the list holds; what is still at work goes back, and what has prints where the program's
// function may not be called.
void CudaDevice::drop_idle(bool may_print) {
  std::list<std::shared_ptr<CudaStream>> unheld; // takes over rows of the list, which takes no memory
  {
    std::lock_guard lock(mutex_);
    for (auto row = streams_.begin(); row != streams_.end();) {
      const auto stream = row++;
      if (stream->use_count() == 1) unheld.splice(unheld.end(), streams_, stream);
    }
  }
  while (!unheld.empty()) {
    const std::shared_ptr<CudaStream>& stream = unheld.front();
    bool idle = false;
    try {
      idle = stream->is_idle();
    } catch (...) {
      // Whoever uses the device next hears of it.
    }
    if (may_print) stream->write_prints();
    if (idle && !stream->has_prints()) {
      unheld.pop_front();
      continue;
    }
    std::lock_guard lock(mutex_);
    streams_.splice(streams_.end(), unheld, unheld.begin());
  }
}

unsigned count_cuda() {
  std::string reason;
  const Driver* driver = cuda::load_driver(reason);
  int count = 0;
  return driver && driver->device_count(&count) == 0 ? static_cast<unsigned>(count) : 0;
}

std::shared_ptr<Device> open_cuda(unsigned ordinal, std::uint64_t memory_limit) {
  // One device object a device: its pool and its modules are shared.
  static std::mutex mutex;
  static auto* opened = new std::map<unsigned, std::weak_ptr<CudaDevice>>;
  std::string reason;
  const Driver* driver = cuda::load_driver(reason);
  if (!driver) fail(KERN_DEVICE_ERROR, reason);
  if (memory_limit > 0) return std::make_shared<CudaDevice>(*driver, ordinal, memory_limit);
  std::lock_guard lock(mutex);
  std::weak_ptr<CudaDevice>& known = (*opened)[ordinal];
  if (std::shared_ptr<CudaDevice> device = known.lock()) return device;
  auto device = std::make_shared<CudaDevice>(*driver, ordinal, 0);
  known = device;
  return device;
}

} // namespace kern::runtime
