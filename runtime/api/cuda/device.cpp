// Memory is pooled: it comes back when no work holds it, so it can be given out again at once.
#include "runtime/api/cuda/device.h"

#include <algorithm>

#include "runtime/api/cuda/stream.h"

namespace kern::runtime {

bool is_sticky(Result result) {
  constexpr Result sticky[] = {4, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
  return std::find(std::begin(sticky), std::end(sticky), result) != std::end(sticky);
}
CudaDevice::CudaDevice(const Driver& table, unsigned ordinal) : driver(table) {
  const char* failed = "";
  Result result = cuda::read_facts(driver, static_cast<int>(ordinal), facts_, failed);
  check(failed, result);
  device_ = facts_.device;
  check("cuDevicePrimaryCtxRetain", driver.primary_retain(&context_, device_));
  name_ = facts_.name;
}

CudaDevice::~CudaDevice() {
  if (!context_) return;
  driver.set_context(context_);
  release_pool();
  driver.primary_release(device_);
}

kern_device_info CudaDevice::info() const {
  kern_device_info info{};
  info.compute_major = static_cast<std::uint32_t>(facts_.major);
  info.compute_minor = static_cast<std::uint32_t>(facts_.minor);
  info.driver_version = static_cast<std::uint32_t>(facts_.driver_version);
  info.memory_bytes = facts_.memory_bytes;
  return info;
}

void CudaDevice::check(const char* call, Result result) {
  if (result == 0) return;
  std::string text = cuda::describe(driver, call, result);
  if (is_sticky(result)) {
    lost_ = true;
    fail(KERN_DEVICE_LOST, name_ + " is lost for this process, which must be started again: " + text);
  }
  fail(KERN_DEVICE_ERROR, text);
}

void CudaDevice::enter() {
  if (getpid() != process_)
    fail(KERN_DEVICE_ERROR, "CUDA does not survive fork: open the device in the process that uses it");
  if (lost_) fail(KERN_DEVICE_LOST, name_ + " was lost: this process must be started again");
  check("cuCtxSetCurrent", driver.set_context(context_));
}

// Sizes in the pool: powers of two up to a mebibyte, then whole ones.
static std::uint64_t pool_size(std::uint64_t bytes) {
  constexpr std::uint64_t least = 512, whole = 1 << 20;
  std::uint64_t size = least;
  while (size < bytes && size < whole) size *= 2;
  return bytes <= whole ? size : (bytes + whole - 1) / whole * whole;
}

std::shared_ptr<Memory> CudaDevice::allocate(std::uint64_t bytes) {
  enter();
  sweep();
  auto self = std::static_pointer_cast<CudaDevice>(shared_from_this());
  std::uint64_t size = bytes > std::uint64_t(1) << 60 ? bytes : pool_size(bytes);
  {
    std::lock_guard lock(mutex_);
    auto pooled = pool_.find(size);
    if (pooled != pool_.end() && !pooled->second.empty()) {
      Address address = pooled->second.back();
      pooled->second.pop_back();
      return std::make_shared<CudaMemory>(self, address, bytes, size);
    }
  }
  Address address = 0;
  Result result = driver.allocate(&address, size);
  if (result == cuda_out_of_memory) {
    release_pool();
    result = driver.allocate(&address, size);
  }
  if (result == cuda_out_of_memory) {
    std::size_t available = 0, total = 0;
    driver.memory_info(&available, &total);
    fail(Error{KERN_OUT_OF_MEMORY,
               name_ + " has no memory for " + std::to_string(bytes) +
                   " bytes: " + std::to_string(available) + " of " + std::to_string(total) + " are free",
               {},
               bytes,
               available});
  }
  check("cuMemAlloc", result);
  return std::make_shared<CudaMemory>(self, address, bytes, size);
}

void CudaDevice::give_back(Address address, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  pool_[bytes].push_back(address);
}

void CudaDevice::release_pool() {
  std::lock_guard lock(mutex_);
  for (auto& [size, addresses] : pool_)
    for (Address address : addresses) driver.release(address);
  pool_.clear();
}

void CudaDevice::retire(std::shared_ptr<CudaStream> stream) {
  try {
    enter();
    if (stream->finish_done()) return;
  } catch (const Error&) {
    // Whoever uses the device next hears of it.
    return;
  }
  std::lock_guard lock(mutex_);
  retired_.push_back(std::move(stream));
}

// Lets go of retired streams whose work is done; their destructors run outside of the lock.
void CudaDevice::sweep() {
  std::vector<std::shared_ptr<CudaStream>> streams, left;
  {
    std::lock_guard lock(mutex_);
    streams.swap(retired_);
  }
  for (std::shared_ptr<CudaStream>& stream : streams)
    if (!stream->finish_done()) left.push_back(std::move(stream));
  std::lock_guard lock(mutex_);
  retired_.insert(retired_.end(), left.begin(), left.end());
}
std::shared_ptr<Stream> CudaDevice::make_stream() {
  enter();
  sweep();
  auto self = std::static_pointer_cast<CudaDevice>(shared_from_this());
  auto stream = std::make_shared<CudaStream>(self);
  return {stream.get(), [stream, self](Stream*) mutable { self->retire(std::move(stream)); }};
}
std::shared_ptr<Device> open_cuda(unsigned ordinal) {
  // One device object a device: its pool and its modules are shared.
  static std::mutex mutex;
  static auto* opened = new std::map<unsigned, std::weak_ptr<CudaDevice>>;
  std::string reason;
  const Driver* driver = cuda::load_driver(reason);
  if (!driver) fail(KERN_DEVICE_ERROR, reason);
  std::lock_guard lock(mutex);
  std::weak_ptr<CudaDevice>& known = (*opened)[ordinal];
  if (std::shared_ptr<CudaDevice> device = known.lock()) return device;
  auto device = std::make_shared<CudaDevice>(*driver, ordinal);
  known = device;
  return device;
}
} // namespace kern::runtime
