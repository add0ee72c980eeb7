// The device that the suite runs on: KERN_TEST_DEVICE=cuda takes CUDA, else it is the CPU. With
// KERN_TEST_FAKE_CUDA the driver is tests/unit/fake_cuda, and kernels run by their CPU code.
#pragma once

#include "kern/kern.hpp"

// Returns that device.
kern::Device test_device();
// Says whether it is a CUDA device, fake or real.
bool is_cuda();
// Returns the symbol that the fake driver ran last for this thread.
std::string last_variant();

// The fake driver's switches; null where there is none.
struct FakeCuda {
  void (*fail)(long calls, int code, int forever) = nullptr;
  long (*calls)() = nullptr;
  long (*live)() = nullptr;
  long (*borrowed)() = nullptr; // copies with host memory of callers that nobody has waited for
  int (*is_old)() = nullptr;    // a driver before CUDA 11.8
  void (*set_most_threads)(unsigned threads) = nullptr; // that a multiprocessor runs at once
  void (*set_busy)(int busy) = nullptr;                 // nothing is done until 0 again
  int (*compiled)() = nullptr;                          // texts of PTX
  void (*refuse_cubins)(int count) = nullptr;
  const char* (*loaded)() = nullptr;
  const char* (*options)() = nullptr; // of the last load
  void (*set_version)(int version) = nullptr;
};
const FakeCuda* fake_cuda();
