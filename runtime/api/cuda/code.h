// The code of a module on a CUDA device.
#pragma once

#include "runtime/api/cuda/device.h"

namespace kern::runtime {

struct CudaCode;

// A variant of a kernel of a module, as launches call it.
struct CudaKernel {
  std::atomic<cuda::FunctionHandle> function{nullptr}; // null until somebody wants it: CudaCode::load_other
  CudaCode* code = nullptr;
  const char* symbol = nullptr;
  std::atomic<std::uint64_t> opted_in{shared_without_opt_in}; // bytes of dynamic shared memory
  std::atomic<std::uint32_t> threads{0};                      // that suit it in a block; 0: not asked yet
};

struct CudaCode final : Code {
  explicit CudaCode(CudaDevice* owner) : device(owner) {}
  ~CudaCode() override {
    device->use();
    for (cuda::ModuleHandle each : {module, others})
      if (each) device->driver.module_unload(each);
  }
  void* entry(const ManifestVariant& variant) override { return &kernels.find(variant.symbol)->second; }
  // Returns the driver's function of a variant, which is compiled now where no launch has needed it before.
  cuda::FunctionHandle function(CudaKernel& kernel) {
    cuda::FunctionHandle known = kernel.function.load(std::memory_order_acquire);
    return known ? known : load_other(kernel);
  }
  CudaDevice* device; // whoever holds the code holds the device, or is held by it
  cuda::ModuleHandle module = nullptr, others = nullptr;
  std::string other_ptx; // of the variants that are in `others`
  std::map<std::string, CudaKernel, std::less<>> kernels;

private:
  cuda::FunctionHandle load_other(CudaKernel& kernel);
  std::mutex mutex_;
};

} // namespace kern::runtime
