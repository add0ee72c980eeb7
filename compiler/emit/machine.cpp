// Which names of architectures there are, and the features that each means. A PTX version is no newer than an
// architecture and what we emit for it need, so that old drivers take the text.
#include "compiler/emit/machine.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "compiler/diagnostics/driver.h"
#include "compiler/emit/archs.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/memory.h"
#include "runtime/common/per_thread.h"

namespace kern::emitting {

namespace {

struct GpuArch {
  std::string_view name;
  std::string_view ptx;
};

// From Volta on: before, threads of a warp could not wait for each other, which barriers, votes of warps and
// faults rely on.
constexpr GpuArch gpu_archs[] = {
    {"sm_70", "+ptx63"}, {"sm_72", "+ptx63"}, {"sm_75", "+ptx63"}, {"sm_80", "+ptx70"},  {"sm_86", "+ptx71"},
    {"sm_87", "+ptx74"}, {"sm_89", "+ptx78"}, {"sm_90", "+ptx78"}, {"sm_90a", "+ptx80"},
};

// The properties that a machine is made of.
struct MachineKey {
  std::string triple, cpu, features;
  int optimization;
  auto operator<=>(const MachineKey&) const = default;
};

std::unique_ptr<llvm::TargetMachine> make_machine(const MachineKey& key) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(key.triple, error);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  // Nothing is fused that the program did not fuse: every device must compute the same.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = key.optimization > 1 ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      key.triple, key.cpu, key.features, options, llvm::Reloc::PIC_, std::nullopt, level));
}

// Those of a thread.
struct Machines {
  std::map<MachineKey, std::unique_ptr<llvm::TargetMachine>> by_key;
  bool is_making = false;
};

std::string host_features() {
  std::string text;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (!text.empty()) text += ",";
    text += (feature.second ? "+" : "-") + feature.first().str();
  }
  return text;
}

std::optional<MachineKey> cpu_key(const TargetOptions& options) {
  MachineKey key{llvm::sys::getProcessTriple(), options.arch, "", options.optimization};
  if (options.arch.empty() || options.arch == "native") {
    key.cpu = llvm::sys::getHostCPUName().str();
    key.features = host_features();
    return key;
  }
  if (options.arch == "x86-64-v3") return key;
  // Vectors of 512 bits are what the lanes are laid out for.
  key.features = "-prefer-256-bit";
  if (options.arch == "x86-64-v4") return key;
  return std::nullopt;
}

std::optional<MachineKey> gpu_key(const TargetOptions& options) {
  for (const GpuArch& arch : gpu_archs)
    if (arch.name == gpu_arch(options))
      return MachineKey{"nvptx64-nvidia-cuda", std::string(arch.name), std::string(arch.ptx),
                        options.optimization};
  return std::nullopt;
}

std::string all_names(bool gpu) {
  if (!gpu) return "x86-64-v3, x86-64-v4, native";
  std::string names;
  for (const GpuArch& arch : gpu_archs) names += (names.empty() ? "" : ", ") + std::string(arch.name);
  return names;
}

} // namespace

// The old machines stay: of what they have nobody knows what is whole.
MakingCode::MakingCode() {
  initialize_llvm();
  Machines& machines = PerThread<Machines>::get();
  if (machines.is_making)
    for (auto& [key, machine] : machines.by_key) (void)machine.release();
  machines.is_making = true;
}

MakingCode::~MakingCode() { PerThread<Machines>::get().is_making = false; }

llvm::TargetMachine* find_machine(const TargetOptions& options, Diagnostics& diagnostics) {
  bool gpu = options.target == Target::Cuda;
  std::optional<MachineKey> key = gpu ? gpu_key(options) : cpu_key(options);
  if (!key) {
    diagnostics.report(std::nullopt, diag::unknown_arch, options.arch, all_names(gpu));
    return nullptr;
  }
  std::unique_ptr<llvm::TargetMachine>& machine = PerThread<Machines>::get().by_key[*key];
  if (!machine) machine = make_machine(*key);
  return machine.get();
}

} // namespace kern::emitting

namespace kern {

std::string gpu_arch(const TargetOptions& options) { return options.arch.empty() ? "sm_80" : options.arch; }

using namespace emitting;

void prepare_machines() { PerThread<Machines>::prepare(); }

bool check_arch(const std::string& name, Target target, Diagnostics& diagnostics) {
  const bool is_gpu = target == Target::Cuda;
  const bool is_known = is_gpu ? std::ranges::find(gpu_archs, name, &GpuArch::name) != std::end(gpu_archs)
                               : name == "x86-64-v3" || name == "x86-64-v4";
  if (!is_known)
    diagnostics.report(std::nullopt, diag::unknown_arch, name,
                       is_gpu ? all_names(is_gpu) : "x86-64-v3, x86-64-v4");
  return is_known;
}

// Names ascend; one with a letter behind its number runs on that chip alone.
std::string newest_gpu_arch(unsigned major, unsigned minor) {
  std::string_view newest = gpu_archs[0].name;
  for (const GpuArch& arch : gpu_archs) {
    std::string_view digits = arch.name.substr(arch.name.find('_') + 1);
    unsigned number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ptr != arch.name.end())
      continue;
    if (number <= 10 * major + minor) newest = arch.name;
  }
  return std::string(newest);
}

bool has_wide_vectors(const TargetOptions& options) {
  if (options.arch == "x86-64-v3" || options.arch == "x86-64-v4") return options.arch == "x86-64-v4";
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  for (const char* name : {"avx512f", "avx512vl", "avx512dq", "avx512bw"})
    if (!features.lookup(name)) return false;
  return true;
}

} // namespace kern
