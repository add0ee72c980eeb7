// Manifest and PTX are those of an ahead-of-time object; the entries point into code of ORC. Each variant is
// a piece of code of its own.
#include "compiler/driver/jit/object.h"

#include <algorithm>
#include <deque>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/aot/manifest.h"
#include "compiler/driver/aot/object.h"
#include "kern/abi_hash.h"

namespace kern {

namespace {

class ObjectInProcess final : public JitObject {
public:
  const kern_object& get() const override { return object_; }

  void add(std::unique_ptr<CpuModule> code, const std::string& kernel, const std::string& variant) {
    kern_object_entry entry = *code->entry(kernel);
    entry.symbol = symbols_.emplace_back(variant).c_str();
    entries_.push_back(entry);
    code_.push_back(std::move(code));
  }

  void finish(const Manifest& manifest, GpuCode gpu) {
    manifest_ = to_json(manifest);
    gpu_ = std::move(gpu);
    object_.struct_size = sizeof object_;
    object_.abi_version = KERN_ABI_VERSION;
    object_.abi_hash = abi_hash;
    object_.manifest = manifest_.c_str();
    object_.manifest_bytes = manifest_.size();
    object_.ptx = gpu_.ptx.c_str();
    object_.ptx_bytes = gpu_.ptx.size();
    object_.other_ptx = gpu_.other_ptx.c_str();
    object_.other_ptx_bytes = gpu_.other_ptx.size();
    object_.entries = entries_.data();
    object_.entry_count = entries_.size();
  }

private:
  std::vector<std::unique_ptr<CpuModule>> code_;
  std::deque<std::string> symbols_;
  std::vector<kern_object_entry> entries_;
  std::string manifest_;
  GpuCode gpu_;
  kern_object object_{};
};

} // namespace

std::unique_ptr<JitObject> make_jit_object(Compilation& compilation, TargetOptions target,
                                           std::span<const KernelCode> kernels) {
  if (!compilation.transformed()) return nullptr;
  Manifest manifest = make_manifest(compilation, kernels);
  auto object = std::make_unique<ObjectInProcess>();
  if (target.target == Target::Cuda) {
    if (kernels.size() == 1) target.kernel = kernels.front().symbol;
    GpuCode code;
    if (!make_ptx(compilation, target, code)) return nullptr;
    manifest.sites = manifest_sites(compilation.sites(), compilation.sources());
    object->finish(manifest, std::move(code));
    return object;
  }
  for (const KernelCode& kernel : kernels)
    for (const Variant& variant : kernel.variants) {
      target.kernel = kernel.symbol;
      target.lanes = variant.lanes;
      std::unique_ptr<CpuModule> code = compilation.compile_for_cpu(target);
      if (!code) return nullptr;
      object->add(std::move(code), kernel.symbol, variant.symbol);
    }
  manifest.sites = manifest_sites(compilation.sites(), compilation.sources());
  object->finish(manifest, {});
  return object;
}

std::string arch_of(const kern_device* device) {
  if (kern_device_get_kind(device) == KERN_DEVICE_CPU) return "native";
  kern_device_info info{};
  info.struct_size = sizeof info;
  kern_device_get_info(device, &info);
  return newest_gpu_arch(info.compute_major, info.compute_minor);
}

kern_error* load_jit_object(kern_device* device, std::unique_ptr<JitObject> object, kern_module** module) {
  const kern_object& loaded = object->get();
  return kern_module_load_owned(
      device, &loaded, object.release(), [](void* owner) { delete static_cast<JitObject*>(owner); }, module);
}

} // namespace kern
