// An object follows from the lowered module, the machine and the options of the optimiser, and from these
// versions of LLVM and of emit/: all that came before has left its mark on the lowered module, so that no
// option can be forgotten in the key.
#include "compiler/emit/cpu_object.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/emit/machine.h"
#include "runtime/cache/cache.h"

namespace kern::emitting {

// Without the table of symbols that a file has for linkers: where memory ends while LLVM makes a static of that one, it stays
// locked for the next compilation.
static std::string bitcode_of(const llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::BitcodeWriter writer(bytes);
  writer.writeModule(module);
  writer.writeStrtab();
  return std::string(bytes.begin(), bytes.end());
}

static cache::Key key_of(const Compiled& compiled, const TargetOptions& options) {
  const std::string bitcode = bitcode_of(*compiled.lowered.module);
  const llvm::TargetMachine& machine = *compiled.machine;
  return cache::make_key({"object", bitcode, machine.getTargetTriple().str(), machine.getTargetCPU(),
                          machine.getTargetFeatureString(), std::to_string(options.optimization),
                          LLVM_VERSION_STRING, KERN_EMIT_HASH});
}

static cache::Description describe(const Compiled& compiled, const SourceManager& sources) {
  cache::Description description{"object", compiled.machine->getTargetCPU().str(),
                                 "LLVM " LLVM_VERSION_STRING, "", ""};
  if (sources.size() > 0) description.source = sources.file(FileId(0)).name;
  for (const CpuKernelLayout& layout : compiled.lowered.layouts)
    description.kernels += (description.kernels.empty() ? "" : ", ") + layout.symbol;
  return description;
}

static std::optional<std::string> generate_object(Compiled& compiled, const TargetOptions& options,
                                                  Diagnostics& diagnostics, EmitTimes& times) {
  if (!finish(compiled, options, diagnostics, times)) return std::nullopt;
  Stopwatch watch;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  if (!generate(*compiled.lowered.module, *compiled.machine, true, out)) return std::nullopt;
  times.generate += watch.lap();
  return std::string(bytes.begin(), bytes.end());
}

std::optional<CpuObject> make_cpu_object(const ir::Module& module, const SourceManager& sources,
                                         const TargetOptions& options, Diagnostics& diagnostics,
                                         EmitTimes& times) {
  MakingCode making; // before anything of LLVM takes memory
  llvm::LLVMContext context;
  // Only a debugger is told of code that is made in the process, with -g; line tables would be 2 % of the time
  // for nothing.
  TargetOptions known = options;
  if (known.line_info == LineInfo::Lines) known.line_info = LineInfo::None;
  std::optional<Compiled> compiled = begin(module, sources, known, context, diagnostics, times);
  if (!compiled) return std::nullopt;
  Stopwatch watch;
  cache::Key key = key_of(*compiled, options);
  std::optional<std::string> object = cache::Cache::shared().find(key);
  times.generate += watch.lap();
  if (!object) {
    object = generate_object(*compiled, options, diagnostics, times);
    if (!object) return std::nullopt;
    cache::Cache::shared().store(key, describe(*compiled, sources), *object);
  }
  return CpuObject{std::move(*object), std::move(compiled->lowered.layouts)};
}

} // namespace kern::emitting
