// One CUDA device, as `kernc run --device cuda` uses it: load PTX, move arrays, launch, read the launch
// record back. Every call waits; streams, pools and the C++ API are built on top of this table later.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kern/abi.h"
#include "runtime/cuda/driver.h"

namespace kern::cuda {

struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};  // blocks
  std::array<std::uint32_t, 3> block{1, 1, 1}; // threads
  std::uint32_t shared_bytes = 0;              // dynamic, per block; above 48 KiB the kernel is opted in
  std::span<const std::uint64_t> params; // the parameter block, its last slot free for the launch record
};

struct LaunchResult {
  kern_fault_record fault{};          // state 0: none
  std::vector<std::uint64_t> printed; // the words of the print ring
  std::uint64_t printed_lost = 0;     // words that did not fit
  float milliseconds = 0;             // by device events
};

// Each function returns false (or nothing) where the driver refused and then error() has the call and the
// driver's words.
class Device {
public:
  // Opens a device by its ordinal among CUDA_VISIBLE_DEVICES; null with `error` set where there is none.
  static std::unique_ptr<Device> open(int ordinal, std::string& error);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Returns the device's name and its architecture ("sm_90").
  const std::string& name() const { return name_; }
  const std::string& arch() const { return arch_; }
  const std::string& error() const { return error_; }

  // Links PTX; replaces the module of an earlier call. The driver's log is quoted in the error.
  bool load(const std::string& ptx);
  // Allocates at least one byte; released by free() or with the device.
  std::optional<Address> allocate(std::size_t bytes);
  void free(Address address);
  bool copy_in(Address to, const void* from, std::size_t bytes);
  bool copy_out(void* to, Address from, std::size_t bytes);
  // Launches a kernel of the loaded module and waits for it; a fault is no failure of the launch.
  std::optional<LaunchResult> launch(const std::string& symbol, const Launch& launch);

private:
  explicit Device(const Driver& driver) : driver_(driver) {}
  bool check(const char* call, Result result);
  std::optional<Address> prepare_record(const Launch& launch);
  bool collect(Address record, LaunchResult& result);
  const Driver& driver_;
  DeviceHandle device_ = 0;
  bool retained_ = false;
  ModuleHandle module_ = nullptr;
  std::vector<Address> allocated_;
  std::string name_, arch_, error_;
};

} // namespace kern::cuda
