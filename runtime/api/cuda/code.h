// The code of a module on a CUDA device.
#pragma once

#include "runtime/api/cuda/device.h"

namespace kern::runtime {

// A kernel of a module, as launches call it.
struct CudaKernel {
  cuda::FunctionHandle function;
  std::atomic<std::uint64_t> opted_in{shared_without_opt_in}; // bytes of dynamic shared memory
  std::atomic<std::uint32_t> threads{0};                      // that suit it in a block; 0: not asked yet
};

struct CudaCode final : Code {
  explicit CudaCode(CudaDevice* owner) : device(owner) {}
  ~CudaCode() override {
    device->use();
    if (module) device->driver.module_unload(module);
  }
  void* entry(const ManifestVariant& variant) override { return &kernels.find(variant.symbol)->second; }
  CudaDevice* device; // whoever holds the code holds the device, or is held by it
  cuda::ModuleHandle module = nullptr;
  std::map<std::string, CudaKernel, std::less<>> kernels;
};

} // namespace kern::runtime
