// Memory is pooled. What nobody holds any more is given out again when the streams that used it are past that
// use; nobody waits for them unless there is no other memory.
#include <algorithm>

#include "runtime/api/cuda/device.h"
#include "runtime/api/cuda/stream.h"

namespace kern::runtime {

// Sizes in the pool: powers of two up to a mebibyte, then whole ones.
static std::uint64_t pool_size(std::uint64_t bytes) {
  constexpr std::uint64_t least = 512, whole = 1 << 20;
  std::uint64_t size = least;
  while (size < bytes && size < whole) size *= 2;
  return bytes <= whole ? size : (bytes + whole - 1) / whole * whole;
}

// Takes memory of that size out of the pool; 0 where there is none.
Address CudaDevice::take(std::uint64_t size) {
  std::lock_guard lock(mutex_);
  auto pooled = pool_.find(size);
  if (pooled == pool_.end() || pooled->second.empty()) return 0;
  Address address = pooled->second.back();
  pooled->second.pop_back();
  return address;
}

bool CudaDevice::is_pending() {
  std::lock_guard lock(mutex_);
  return !pending_.empty();
}

// Puts what no stream uses any more into the pool.
void CudaDevice::reclaim() {
  for (const auto& stream : streams()) stream->poll_silently();
  std::vector<Pending> done;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(pending_, [&](Pending& pending) {
      if (!pending.uses->done()) return false;
      done.push_back(std::move(pending));
      return true;
    });
  }
  for (const Pending& pending : done) pending.release();
}

void CudaDevice::wait_for_pending() {
  for (const auto& stream : streams())
    if (!stream->is_captured()) stream->wait_silently(stream->last(), std::nullopt);
  reclaim();
}

std::shared_ptr<Memory> CudaDevice::hand_out(Address address, std::uint64_t bytes, std::uint64_t taken) {
  auto to_pool = [this, address, taken] {
    std::lock_guard lock(mutex_);
    pool_[taken].push_back(address);
  };
  return std::make_shared<CudaMemory>(*this, reinterpret_cast<void*>(address), bytes, to_pool);
}

std::shared_ptr<Memory> CudaDevice::allocate(std::uint64_t bytes) {
  enter();
  drop_idle(false);
  std::uint64_t size = bytes > std::uint64_t(1) << 60 ? bytes : pool_size(bytes);
  Address address = take(size);
  if (!address && is_pending()) {
    reclaim();
    address = take(size);
  }
  if (address) return hand_out(address, bytes, size);
  Result result = allocate_more(address, size);
  if (result == cuda_out_of_memory) {
    wait_for_pending();
    release_pool();
    result = allocate_more(address, size);
  }
  if (result == cuda_out_of_memory) refuse_memory(bytes);
  check("cuMemAlloc", result);
  return hand_out(address, bytes, size);
}

// Has the driver give memory, within the limit.
Result CudaDevice::allocate_more(Address& address, std::uint64_t size) {
  std::uint64_t taken = taken_.fetch_add(size) + size;
  bool is_beyond = memory_limit_ > 0 && (taken > memory_limit_ || taken < size);
  Result result = is_beyond ? cuda_out_of_memory : driver.allocate(&address, size);
  if (result != 0) taken_ -= size;
  return result;
}

void CudaDevice::refuse_memory(std::uint64_t bytes) {
  std::size_t available = 0, total = 0;
  driver.memory_info(&available, &total);
  std::string text = name_ + " has no memory for " + std::to_string(bytes) +
                     " bytes: " + std::to_string(available) + " of " + std::to_string(total) + " are free, " +
                     std::to_string(taken_) + " are held by buffers of this process";
  if (memory_limit_ > 0) {
    text += ", whose limit is " + std::to_string(memory_limit_);
    available = static_cast<std::size_t>(memory_limit_ - std::min<std::uint64_t>(memory_limit_, taken_));
  }
  fail(Error{KERN_OUT_OF_MEMORY, text, {}, bytes, available, {}, taken_});
}

bool CudaDevice::is_pinned(const void* data) {
  constexpr int memory_type = 2; // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
  constexpr int host = 1;        // CU_MEMORYTYPE_HOST
  int type = 0;
  enter();
  return driver.pointer_attribute(&type, memory_type, reinterpret_cast<Address>(data)) == 0 && type == host;
}

std::shared_ptr<Memory> CudaDevice::allocate_host(std::uint64_t bytes, std::uint32_t flags) {
  enter();
  if (is_pending()) reclaim();
  void *host = nullptr, *mapped = nullptr;
  Result result = driver.host_allocate(&host, std::max<std::uint64_t>(bytes, 1), flags);
  if (result == cuda_out_of_memory)
    fail(Error{KERN_OUT_OF_MEMORY,
               "the host has no memory for " + std::to_string(bytes) +
                   " pinned bytes (it is counted against " + "what a process may lock)",
               {},
               bytes,
               0});
  check("cuMemHostAlloc", result);
  auto memory =
      std::make_shared<CudaMemory>(*this, nullptr, bytes, [this, host] { driver.host_release(host); });
  memory->host = host;
  if (flags & KERN_HOST_MAPPED) {
    Address address = 0;
    check("cuMemHostGetDevicePointer", driver.host_address(&address, host, 0));
    mapped = reinterpret_cast<void*>(address);
  }
  memory->data = mapped;
  return memory;
}

std::shared_ptr<Memory> CudaDevice::wrap(void* data, std::uint64_t bytes, std::function<void()> release) {
  enter();
  return std::make_shared<CudaMemory>(*this, data, bytes, std::move(release));
}

void CudaDevice::give_back(std::unique_ptr<Uses> uses, std::function<void()> release) noexcept {
  if (uses->done()) return release();
  std::lock_guard lock(mutex_);
  try {
    pending_.push_back({std::move(uses), std::move(release)});
  } catch (const std::bad_alloc&) {
    // Streams are still at work on it, and there is no memory to note that: it is given to nobody any more.
  }
}

// Gives the pool's memory back to the driver.
void CudaDevice::release_pool() {
  std::lock_guard lock(mutex_);
  for (auto& [size, addresses] : pool_)
    for (Address address : addresses) {
      driver.release(address);
      taken_ -= size;
    }
  pool_.clear();
}

} // namespace kern::runtime
