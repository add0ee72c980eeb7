// Loads a module's code for this device: the object's cubin, or else its PTX by the driver's compiler, which
// takes tens of milliseconds a kernel the first time and then has it in a cache of its own.
#include "runtime/api/cuda/code.h"

#include "runtime/cuda/ptx.h"

namespace kern::runtime {

static constexpr const char* load_call = "cuModuleLoadDataEx";

void CudaDevice::check(const cuda::Outcome& outcome) {
  if (outcome.result != 0 && !is_sticky(outcome.result) && !outcome.log.empty())
    fail(KERN_DEVICE_ERROR, cuda::describe(driver, load_call, outcome.result) + "\n" + outcome.log);
  check(load_call, outcome.result);
}

// Loads a cubin; false where this driver does not take it.
static bool load_cubin(CudaDevice& device, const void* code, cuda::ModuleHandle& module) {
  cuda::Outcome outcome = cuda::load_cubin(device.driver, code, module);
  if (is_sticky(outcome.result) || outcome.result == cuda_out_of_memory) device.check(outcome);
  return outcome.result == 0;
}

// Returns the object's best cubin for a device; null where none fits.
static const kern_object_cubin* find_cubin(const kern_object& object, const cuda::DeviceFacts& facts) {
  const kern_object_cubin* best = nullptr;
  // An object of an older compiler ends before its cubins.
  std::uint64_t count = object.struct_size < sizeof object ? 0 : object.cubin_count;
  for (std::uint64_t i = 0; i < count; ++i) {
    const kern_object_cubin& cubin = object.cubins[i];
    if (cuda::runs_cubin(cubin.arch, facts) && (!best || cuda::is_newer(cubin.arch, best->arch)))
      best = &cubin;
  }
  return best;
}

void CudaDevice::load_image(const kern_object& object, cuda::ModuleHandle& module) {
  const kern_object_cubin* ready = find_cubin(object, facts_);
  if (ready && load_cubin(*this, ready->code, module)) return;
  std::string_view ptx(object.ptx, object.ptx_bytes);
  if (std::string why = cuda::refusal(ptx, facts_); !why.empty()) fail(KERN_DEVICE_ERROR, why);
  check(cuda::load_ptx(driver, ptx, module));
}

std::unique_ptr<Code> CudaDevice::load(const Manifest& manifest, const kern_object& object) {
  enter();
  auto code = std::make_unique<CudaCode>(this);
  load_image(object, code->module);
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestVariant& variant : kernel.variants) {
      if (variant.target != target()) continue;
      check("cuModuleGetFunction", driver.module_function(&code->kernels[variant.symbol].function,
                                                          code->module, variant.symbol.c_str()));
    }
  return code;
}
} // namespace kern::runtime
