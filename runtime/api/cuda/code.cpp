// Finds a module's machine code for this device: in the object, in the kernel cache, or by the driver's
// compiler, which takes tens of milliseconds a kernel. What the driver refuses of the first two is made by
// the third.
#include "runtime/api/cuda/code.h"

#include "kern/abi_hash.h"
#include "runtime/cache/cache.h"
#include "runtime/cuda/ptx.h"

namespace kern::runtime {

static std::string arch_of(const cuda::DeviceFacts& facts) {
  return "sm_" + std::to_string(facts.major) + std::to_string(facts.minor);
}

// Machine code follows from the PTX, the device's architecture and the driver, whose file has its version.
static cache::Key cubin_key(const cuda::DeviceFacts& facts, std::string_view ptx) {
  return cache::make_key({"cubin", ptx, arch_of(facts), std::to_string(facts.driver_version),
                          cuda::driver_file(), std::to_string(abi_hash)});
}

static cache::Description describe(const cuda::DeviceFacts& facts, const Manifest& manifest) {
  cache::Description description{"cubin", arch_of(facts) + " (" + facts.name + ")",
                                 "CUDA driver " + cuda::version_text(facts.driver_version), "", ""};
  for (const ManifestKernel& kernel : manifest.kernels) {
    if (description.source.empty()) description.source = kernel.place.file;
    description.kernels += (description.kernels.empty() ? "" : ", ") + kernel.symbol;
  }
  return description;
}

void CudaDevice::check(const cuda::Outcome& outcome) {
  if (outcome.result != 0 && !is_sticky(outcome.result) && !outcome.log.empty())
    fail(KERN_DEVICE_ERROR, cuda::describe(driver, outcome.call, outcome.result) + "\n" + outcome.log);
  check(outcome.call, outcome.result);
}

// Loads a cubin that was not made just now; false where this driver does not take it.
static bool load_cubin(CudaDevice& device, const void* code, cuda::ModuleHandle& module) {
  cuda::Outcome outcome = cuda::load(device.driver, code, module);
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

// Loads what the cache has; false where it has nothing, or nothing that this driver takes.
static bool load_cached(CudaDevice& device, const cache::Key& key, cuda::ModuleHandle& module) {
  std::optional<std::string> cubin = cache::Cache::shared().find(key);
  if (!cubin) return false;
  if (load_cubin(device, cubin->data(), module)) return true;
  cache::Cache::shared().drop(key);
  return false;
}

void CudaDevice::load_image(const Manifest& manifest, const kern_object& object, cuda::ModuleHandle& module) {
  const kern_object_cubin* ready = find_cubin(object, facts_);
  if (ready && load_cubin(*this, ready->code, module)) return;
  std::string_view ptx(object.ptx, object.ptx_bytes);
  cache::Key key = cubin_key(facts_, ptx);
  if (load_cached(*this, key, module)) return;
  if (std::string why = cuda::refusal(ptx, facts_); !why.empty()) fail(KERN_DEVICE_ERROR, why);
  std::string cubin;
  check(cuda::link(driver, ptx, cubin));
  check(cuda::load(driver, cubin.data(), module));
  cache::Cache::shared().store(key, describe(facts_, manifest), cubin);
}

std::unique_ptr<Code> CudaDevice::load(const Manifest& manifest, const kern_object& object) {
  enter();
  auto code = std::make_unique<CudaCode>(this);
  load_image(manifest, object, code->module);
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestVariant& variant : kernel.variants) {
      if (variant.target != target()) continue;
      check("cuModuleGetFunction", driver.module_function(&code->kernels[variant.symbol].function,
                                                          code->module, variant.symbol.c_str()));
    }
  return code;
}
} // namespace kern::runtime
