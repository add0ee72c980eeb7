// Launch records that lie side by side on a device: cleared together, copied to the host together.
#pragma once

#include <memory>
#include <vector>

#include "runtime/api/cuda/device.h"

namespace kern::runtime {

// The most that a launch can print before somebody waits for it, in words.
inline constexpr std::uint64_t print_ring_words = 1 << 16;

// CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP.
inline constexpr unsigned host_portable = 1, host_mapped = 2;

// An event of the driver, held by whoever waits for it.
struct Mark {
  explicit Mark(CudaDevice& owner, bool timed = false);
  ~Mark() { driver.event_destroy(event); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  const Driver& driver;
  cuda::EventHandle event = nullptr;
};

struct Batch {
  // The number of records. Work that is done once a batch costs as much as four launches.
  static constexpr std::uint32_t size = 512;
  // The launch that a record is of, with which it must be read.
  struct Entry : Launched {
    std::uint64_t number = 0; // on the stream
    std::uint64_t launch = 0; // among the stream's launches, from 1
  };
  struct Ring {
    std::uint32_t record;
    std::shared_ptr<Memory> memory;
  };

  // A launch whose time is wanted, between two events of its own.
  struct Timed {
    std::uint32_t record;
    kern_launch_report* report;
    std::unique_ptr<Mark> begin, end;
  };

  // A launch with a time limit.
  struct Limited {
    std::uint32_t record;
    double seconds;
    Alarm alarm;
  };

  explicit Batch(CudaDevice& device);
  ~Batch() {
    limited.clear();
    driver.host_release(stops);
    driver.host_release(host);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Returns the address of a record on the device.
  Address record(std::uint32_t index) const {
    return address_of(*memory) + index * sizeof(kern_launch_record);
  }
  // Says whether a launch that is done left anything to be looked at.
  bool has_news(std::uint32_t index) const {
    return host[index].fault.state != 0 || !rings.empty() || !timed.empty() || !limited.empty();
  }
  // Lets launches from a record on be told to end, each by a word of the host: its record gets the address.
  void make_stoppable(CudaDevice& device, cuda::StreamHandle stream, std::uint32_t begin);
  // Tells launches to end.
  void stop(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t index = begin; has_words && index < end; ++index)
      tell_to_stop(stops[index], Stop::Cancelled);
  }
  // Keeps a module until the batch's launches are done.
  void hold(const std::shared_ptr<const Module>& module);
  // Makes it ready for other launches.
  void reset();

  const Driver& driver;
  std::shared_ptr<Memory> memory;
  kern_launch_record* host = nullptr; // a copy, in memory that the device writes at once
  std::uint32_t used = 0;             // records of launches,
  std::uint32_t copied = 0;           // for which a copy was put on the stream,
  std::uint32_t seen = 0;             // and that were looked at
  Entry entries[size];
  std::vector<std::shared_ptr<const Module>> modules;
  std::vector<Ring> rings; // of launches that print
  std::vector<Timed> timed;
  std::vector<Limited> limited;
  std::uint64_t* stops = nullptr; // words of launches, in memory of the host that the device reads; or null
  bool has_words = false;         // records of launches that are to come have their addresses
};

} // namespace kern::runtime
