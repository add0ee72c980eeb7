// Gives a module's PTX to the driver, and finds its kernels there.
#include "runtime/api/cuda/code.h"

namespace kern::runtime {

static constexpr int option_error_log = 5, option_error_log_bytes = 6; // CU_JIT_ERROR_LOG_BUFFER*

std::unique_ptr<Code> CudaDevice::load(const Manifest& manifest, const kern_object& object) {
  enter();
  auto code = std::make_unique<CudaCode>(std::static_pointer_cast<CudaDevice>(shared_from_this()));
  std::string ptx(object.ptx, object.ptx_bytes), log(8192, '\0');
  int options[] = {option_error_log, option_error_log_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  Result result = driver.module_load(&code->module, ptx.c_str(), 2, options, values);
  if (result != 0 && !is_sticky(result))
    fail(KERN_DEVICE_ERROR, cuda::describe(driver, "cuModuleLoadDataEx", result) + "\n" + log.c_str());
  check("cuModuleLoadDataEx", result);
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestVariant& variant : kernel.variants) {
      if (variant.target != target()) continue;
      check("cuModuleGetFunction", driver.module_function(&code->kernels[variant.symbol].function,
                                                          code->module, variant.symbol.c_str()));
    }
  return code;
}
} // namespace kern::runtime
