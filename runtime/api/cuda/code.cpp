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

// Says whether an object has a field: one of an older compiler ends before those that came later.
static bool has_field(const kern_object& object, std::size_t end) { return object.struct_size >= end; }

// Returns the object's best cubin for a device; null where none fits.
static const kern_object_cubin* find_cubin(const kern_object& object, const cuda::DeviceFacts& facts) {
  const kern_object_cubin* best = nullptr;
  const bool has_cubins = has_field(object, offsetof(kern_object, other_ptx));
  for (std::uint64_t i = 0; has_cubins && i < object.cubin_count; ++i) {
    const kern_object_cubin& cubin = object.cubins[i];
    if (cuda::runs_cubin(cubin.arch, facts) && (!best || cuda::is_newer(cubin.arch, best->arch)))
      best = &cubin;
  }
  return best;
}

void CudaDevice::load_text(std::string_view ptx, cuda::ModuleHandle& module) {
  if (std::string why = cuda::refusal(ptx, facts_); !why.empty()) fail(KERN_DEVICE_ERROR, why);
  check(cuda::load_ptx(driver, ptx, module));
}

// A cubin has every variant. Of PTX the one that launches try first is compiled now, and the others when a
// launch needs one: most programs never do.
void CudaDevice::load_image(const kern_object& object, CudaCode& code) {
  const kern_object_cubin* ready = find_cubin(object, facts_);
  if (ready && load_cubin(*this, ready->code, code.module)) return;
  load_text({object.ptx, object.ptx_bytes}, code.module);
  if (has_field(object, sizeof object)) code.other_ptx.assign(object.other_ptx, object.other_ptx_bytes);
}

static void find_function(CudaKernel& kernel, cuda::ModuleHandle module) {
  CudaDevice& device = *kernel.code->device;
  cuda::FunctionHandle function = nullptr;
  device.check("cuModuleGetFunction", device.driver.module_function(&function, module, kernel.symbol));
  kernel.function.store(function, std::memory_order_release);
}

cuda::FunctionHandle CudaCode::load_other(CudaKernel& kernel) {
  std::lock_guard lock(mutex_);
  if (!other_ptx.empty() && !others) device->load_text(other_ptx, others);
  if (!kernel.function) find_function(kernel, others ? others : module);
  return kernel.function;
}

std::unique_ptr<Code> CudaDevice::load(const Manifest& manifest, const kern_object& object) {
  enter();
  auto code = std::make_unique<CudaCode>(this);
  load_image(object, *code);
  for (const ManifestKernel& kernel : manifest.kernels) {
    bool is_first = true;
    for (const ManifestVariant& variant : kernel.variants) {
      if (variant.target != target()) continue;
      auto& [symbol, made] = *code->kernels.try_emplace(variant.symbol).first;
      made.code = code.get();
      made.symbol = symbol.c_str();
      if (is_first) find_function(made, code->module);
      is_first = false;
    }
  }
  return code;
}

} // namespace kern::runtime
