// Every kernel is compiled once for each of its CPU variants and each level of CPU.
#include "compiler/driver/aot/object.h"

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/emit.h"
#include "compiler/driver/aot/manifest.h"
#include "compiler/driver/aot/names.h"
#include "compiler/driver/aot/variants.h"
#include "compiler/driver/session/archs.h"
#include "compiler/emit/object.h"
#include "compiler/emit/ptxas.h"
#include "compiler/lower/lower.h"

namespace kern {

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string library_namespace(const Options& options, const std::string& file) {
  if (!options.library_namespace.empty()) return options.library_namespace;
  std::string name = file == "-" ? options.stdin_name : file;
  std::size_t slash = name.rfind('/');
  if (slash != std::string::npos) name = name.substr(slash + 1);
  return cpp_namespace(name.substr(0, name.find('.', 1)));
}

std::string object_symbol(const std::string& library) {
  std::string symbol = "kern_object_";
  for (char c : library) symbol += is_word(c) ? c : '_';
  return symbol;
}

static std::vector<std::string> object_cpus(const Options& options) {
  std::vector<std::string> named = named_archs(options, Target::Cpu);
  return named.empty() ? std::vector<std::string>{"x86-64-v3", "x86-64-v4"} : named;
}

// The first line of what ptxas said.
static std::string first_line(const std::string& messages) { return messages.substr(0, messages.find('\n')); }

bool make_ptx(Compilation& compilation, TargetOptions target, GpuCode& code) {
  const ir::Module* module = compilation.module_for(Target::Cuda);
  if (!module) return false;
  target.variants = VariantChoice::Others;
  auto is_other = [&](const ir::Function& function) { return is_wanted(function, target); };
  bool has_others = std::ranges::any_of(module->functions, is_other);
  TargetOptions first = target;
  first.variants = VariantChoice::First;
  std::vector<TargetOptions> ways{first};
  if (has_others) ways.push_back(target);
  std::vector<std::string> ptx = compilation.emit_ptx(ways);
  if (ptx.empty()) return false;
  code.ptx = std::move(ptx.front());
  if (has_others) code.other_ptx = std::move(ptx.back());
  return true;
}

// A cubin has all variants: loading one takes next to no time.
std::optional<GpuCode> make_gpu_code(Compilation& compilation, const Options& options) {
  GpuCode code;
  TargetOptions target = target_options(options, Target::Cuda);
  std::vector<std::string> archs = named_archs(options, Target::Cuda);
  target.arch = archs.empty() ? "" : archs.front();
  if (!make_ptx(compilation, target, code)) return std::nullopt;
  for (const std::string& arch : archs) {
    target.arch = arch;
    std::optional<std::string> ptx = compilation.emit(target, OutputKind::Ptx);
    if (!ptx) return std::nullopt;
    Assembled assembled = assemble(*ptx, arch, is_for_debugger(target));
    if (assembled.cubin.empty())
      compilation.diagnostics().report(std::nullopt, diag::cubin, arch,
                                       assembled.found ? first_line(assembled.messages)
                                                       : "there is no `ptxas`");
    else
      code.cubins.push_back({arch, std::move(assembled.cubin)});
  }
  return code;
}

std::optional<std::string> make_object(Compilation& compilation, const Options& options,
                                       const std::string& library, GpuCode gpu, std::string manifest) {
  const ir::Module* module = compilation.module_for(Target::Cpu);
  if (!module) return std::nullopt;
  std::vector<ObjectCode> code;
  std::vector<std::string> cpus = object_cpus(options);
  if (std::ranges::find(cpus, "native") != cpus.end()) {
    compilation.diagnostics().report(std::nullopt, diag::unknown_arch, "native", "x86-64-v3, x86-64-v4");
    return std::nullopt;
  }
  TargetOptions target = target_options(options, Target::Cpu);
  for (const ir::Function& function : module->functions) {
    if (!function.is_kernel) continue;
    for (const Variant& variant : kernel_variants(*module, function, Target::Cpu, target.lanes.lanes)) {
      target.kernel = function.symbol;
      target.lanes = variant.lanes;
      for (const std::string& cpu : cpus) {
        target.arch = cpu;
        code.push_back({target, variant.symbol});
      }
    }
  }
  return compilation.emit_object(code, {object_symbol(library), std::move(manifest), std::move(gpu.ptx),
                                        std::move(gpu.other_ptx), std::move(gpu.cubins)});
}

std::optional<Manifest> whole_manifest(Compilation& compilation, const Options& options) {
  std::optional<Manifest> manifest =
      make_manifest(compilation, target_options(options, Target::Cpu).lanes.lanes);
  if (!manifest || !compilation.module_for(Target::Cpu)) return std::nullopt;
  manifest->sites = manifest_sites(compilation.sites(), compilation.sources());
  return manifest;
}

std::optional<std::string> make_whole_object(Compilation& compilation, const Options& options,
                                             const std::string& library) {
  std::optional<Manifest> manifest = whole_manifest(compilation, options);
  std::optional<GpuCode> gpu = manifest ? make_gpu_code(compilation, options) : std::nullopt;
  if (!gpu) return std::nullopt;
  return make_object(compilation, options, library, std::move(*gpu), to_json(*manifest));
}

} // namespace kern
