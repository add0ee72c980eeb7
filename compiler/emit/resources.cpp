// ptxas says of an entry function in lines of their own what its frame and its registers are:
//
//     ptxas info    : Compiling entry function 'k' for 'sm_90'
//         64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//     ptxas info    : Used 32 registers, used 1 barriers, 256 bytes smem, 380 bytes cmem[0]
//
// Newer ones leave the constants out, which the cubin then tells by the names of its sections.
#include "compiler/emit/resources.h"

#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <charconv>

#include "compiler/diagnostics/emit.h"
#include "compiler/emit/ptxas.h"

namespace kern {

// Returns the sum of the numbers that stand before a word in a line.
static std::int64_t number_before(std::string_view line, std::string_view word) {
  std::int64_t sum = 0;
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    std::int64_t number = 0;
    std::from_chars(line.data() + begin, line.data() + at, number);
    sum += number;
  }
  return sum;
}

std::vector<KernelResources> read_resources(std::string_view messages) {
  std::vector<KernelResources> kernels;
  bool is_entry = false; // whether the lines are about the last kernel
  while (!messages.empty()) {
    const std::size_t end = std::min(messages.find('\n'), messages.size());
    const std::string_view line = messages.substr(0, end);
    messages.remove_prefix(std::min(end + 1, messages.size()));
    constexpr std::string_view entry = "Compiling entry function '", properties = "Function properties for ";
    if (std::size_t at = line.find(entry); at != line.npos) {
      const std::string_view name = line.substr(at + entry.size());
      kernels.push_back({std::string(name.substr(0, name.find('\'')))});
      is_entry = true;
    } else if (at = line.find(properties); at != line.npos) {
      is_entry = !kernels.empty() && line.substr(at + properties.size()) == kernels.back().symbol;
    } else if (is_entry) {
      KernelResources& kernel = kernels.back();
      kernel.local += number_before(line, " bytes stack frame");
      kernel.spill_stores += number_before(line, " bytes spill stores");
      kernel.spill_loads += number_before(line, " bytes spill loads");
      kernel.registers += number_before(line, " registers");
      kernel.shared += number_before(line, " bytes smem");
      kernel.constant += number_before(line, " bytes cmem[");
    }
  }
  return kernels;
}

// Takes the constants from the sections `.nv.constant0.NAME` of a cubin.
static void add_constants(const std::string& cubin, std::vector<KernelResources>& kernels) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(cubin, "cubin"));
  if (!file) return llvm::consumeError(file.takeError());
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (!name->consume_front(".nv.constant")) continue;
    auto kernel = std::ranges::find(kernels, name->split('.').second, &KernelResources::symbol);
    if (kernel != kernels.end()) kernel->constant += static_cast<std::int64_t>(section.getSize());
  }
}

std::optional<std::vector<KernelResources>> find_resources(const std::string& ptx, const std::string& arch,
                                                           bool for_debugger, Diagnostics& diagnostics) {
  Assembled assembled = assemble(ptx, arch, for_debugger, /*verbose=*/true);
  if (!assembled.found) return std::nullopt;
  if (assembled.cubin.empty()) {
    diagnostics.report(std::nullopt, diag::ptxas_failed, assembled.messages);
    return std::nullopt;
  }
  std::vector<KernelResources> kernels = read_resources(assembled.messages);
  const bool has_constants =
      std::ranges::any_of(kernels, [](const KernelResources& kernel) { return kernel.constant > 0; });
  if (!has_constants) add_constants(assembled.cubin, kernels);
  return kernels;
}

void report_spills(const std::string& ptx, const std::string& arch, bool for_debugger,
                   const ir::Module& module, Diagnostics& diagnostics) {
  if (!diagnostics.wants(diag::registers)) return;
  std::optional<std::vector<KernelResources>> kernels = find_resources(ptx, arch, for_debugger, diagnostics);
  if (!kernels) return;
  for (const KernelResources& kernel : *kernels) {
    if (kernel.spill_stores + kernel.spill_loads == 0) continue;
    auto function = std::ranges::find(module.functions, kernel.symbol, &ir::Function::symbol);
    std::optional<Span> span;
    if (function != module.functions.end()) span = function->span;
    diagnostics.report(span, diag::registers, kernel.symbol, arch, kernel.spill_stores, kernel.spill_loads,
                       kernel.registers);
  }
}

} // namespace kern
