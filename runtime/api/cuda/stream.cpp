// Copies and fills, and waiting for what was given to the driver.
#include "runtime/api/cuda/stream.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace kern::runtime {

// Marks the end of work that was given to the driver.
std::uint64_t CudaStream::put(Work work) {
  work.mark = std::make_shared<Mark>(*device_, work.begin != nullptr);
  device_->check("cuEventRecord", driver_.event_record(work.mark->event, stream_));
  std::uint64_t number = 0;
  bool many = false;
  {
    std::lock_guard lock(mutex_);
    number = work.number = ++put_;
    works_.push_back(std::move(work));
    many = works_.size() % Batch::size == 0;
  }
  if (many) finish_done();
  return number;
}

std::uint64_t CudaStream::put_copy(std::shared_ptr<Memory> memory) {
  Work work;
  if (memory) work.holds.push_back(std::move(memory));
  return put(std::move(work));
}

std::uint64_t CudaStream::write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                                std::uint64_t bytes) {
  device_->enter();
  device_->check("cuMemcpyHtoDAsync",
                 driver_.copy_to_device_async(address_of(*to) + offset, from, bytes, stream_));
  return put_copy(std::move(to));
}

std::uint64_t CudaStream::read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                               std::uint64_t bytes) {
  device_->enter();
  device_->check("cuMemcpyDtoHAsync",
                 driver_.copy_to_host_async(to, address_of(*from) + offset, bytes, stream_));
  return put_copy(std::move(from));
}

std::uint64_t CudaStream::fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                               std::span<const char> pattern) {
  device_->enter();
  Address address = address_of(*to) + offset;
  std::uint32_t word = 0;
  std::memcpy(&word, pattern.data(), std::min(pattern.size(), sizeof word));
  bool same_words = true;
  for (std::size_t i = 0; i < pattern.size(); i += 4)
    same_words &= pattern.size() < 4 || std::memcmp(&word, pattern.data() + i, 4) == 0;
  if (pattern.size() == 1) {
    device_->check("cuMemsetD8Async",
                   driver_.fill8(address, static_cast<unsigned char>(word), count, stream_));
  } else if (pattern.size() == 2) {
    device_->check("cuMemsetD16Async",
                   driver_.fill16(address, static_cast<unsigned short>(word), count, stream_));
  } else if (same_words) {
    device_->check("cuMemsetD32Async", driver_.fill32(address, word, count * (pattern.size() / 4), stream_));
  } else {
    std::vector<char> bytes;
    for (std::uint64_t i = 0; i < count; ++i) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
    std::uint64_t number = write(std::move(to), offset, bytes.data(), bytes.size());
    wait(number, std::nullopt);
    return number;
  }
  return put_copy(std::move(to));
}
std::uint64_t CudaStream::after(std::shared_ptr<Stream> other, std::uint64_t number) {
  if (&other->device() != device_.get()) {
    // Of another device: its work is waited for here.
    other->wait(number, std::nullopt);
    return last();
  }
  device_->enter();
  auto mark = static_cast<CudaStream&>(*other).mark_of(number);
  if (mark) device_->check("cuStreamWaitEvent", driver_.stream_wait_event(stream_, mark->event, 0));
  return put_copy(nullptr);
}
std::shared_ptr<Mark> CudaStream::mark_of(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Mark> mark;
  for (const Work& work : works_)
    if (work.number <= number) mark = work.mark;
  return mark;
}

bool CudaStream::wait(std::uint64_t number, Deadline deadline) {
  device_->enter();
  std::shared_ptr<Mark> mark = mark_of(number);
  if (mark && !deadline) device_->check("cuEventSynchronize", driver_.event_synchronize(mark->event));
  while (mark && deadline) {
    Result result = driver_.event_query(mark->event);
    if (result == 0) break;
    if (result != cuda_not_ready) device_->check("cuEventQuery", result);
    if (std::chrono::steady_clock::now() >= *deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  finish_done();
  return true;
}

} // namespace kern::runtime
