// A stream of a CUDA device: copies, launches, and what is known of them until somebody waits.
#pragma once

#include <deque>

#include "runtime/api/cuda/device.h"

namespace kern::runtime {

// What a launch can print before somebody waits for it.
inline constexpr std::uint64_t print_ring_words = 1 << 16;

// An event of the driver, held by whoever waits for it.
struct Mark {
  explicit Mark(CudaDevice& owner, bool timed = false) : driver(owner.driver) {
    owner.check("cuEventCreate", driver.event_create(&event, timed ? 0 : 2 /* no timing */));
  }
  ~Mark() { driver.event_destroy(event); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  const Driver& driver;
  cuda::EventHandle event = nullptr;
};

// Launch records that lie side by side: cleared together, and read together.
struct Batch {
  static constexpr std::uint64_t size = 64;
  std::shared_ptr<Memory> memory;
  std::uint64_t used = 0;
  std::array<kern_launch_record, size> records{}; // as they were last read
};

// What is under way.
struct Work {
  std::uint64_t number = 0;
  std::shared_ptr<Mark> mark;
  std::vector<std::shared_ptr<Memory>> holds;
  std::optional<Launch> launch; // the rest is about one
  std::uint64_t launch_number = 0;
  std::shared_ptr<Batch> batch; // that has its record
  std::uint64_t record = 0;     // its index there
  std::shared_ptr<Memory> ring;
  std::shared_ptr<Mark> begin; // of the kernel, where its time is wanted
};

class CudaStream final : public Stream {
public:
  explicit CudaStream(std::shared_ptr<CudaDevice> device)
      : device_(std::move(device)), driver_(device_->driver) {
    device_->check("cuStreamCreate", driver_.stream_create(&stream_, 1 /* non-blocking */));
  }
  ~CudaStream() override {
    report_faults();
    driver_.stream_destroy(stream_);
  }
  Device& device() override { return *device_; }
  std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                      std::uint64_t bytes) override;
  std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                     std::uint64_t bytes) override;
  std::uint64_t fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                     std::span<const char> pattern) override;
  std::uint64_t launch(Launch launch) override;
  std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number) override;
  std::uint64_t last() override {
    std::lock_guard lock(mutex_);
    return put_;
  }
  bool wait(std::uint64_t number, Deadline deadline) override;
  // Finishes what is done, without waiting; says whether nothing is left.
  bool finish_done();

private:
  std::uint64_t put(Work work);
  std::uint64_t put_copy(std::shared_ptr<Memory> memory);
  void take_record(Work& work, std::uint64_t shared_bytes);
  void set_word(Address address, std::uint64_t value);
  void finish(Work& work);
  std::shared_ptr<Mark> mark_of(std::uint64_t number);

  std::shared_ptr<CudaDevice> device_;
  const Driver& driver_;
  cuda::StreamHandle stream_ = nullptr;
  std::mutex mutex_;
  std::deque<Work> works_;
  std::uint64_t put_ = 0, launches_ = 0;
  std::shared_ptr<Batch> batch_;
};

} // namespace kern::runtime
