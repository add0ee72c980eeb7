// CPU code in this process, through ORC. The object is made as for a file and added whole; what it calls of
// libm, of libmvec and of the CPU runtime is given by absolute addresses, so that nothing else of the process
// can be found.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <dlfcn.h>

#include <map>

#include "compiler/diagnostics/driver.h"
#include "compiler/emit/compile.h"
#include "compiler/emit/emit.h"

namespace kern {

using namespace emitting;

namespace {

namespace orc = llvm::orc;

class OrcModule final : public CpuModule {
public:
  explicit OrcModule(std::unique_ptr<orc::LLJIT> jit) : jit_(std::move(jit)) {}

  const kern_object_entry* entry(const std::string& symbol) const override {
    auto found = entries_.find(symbol);
    return found == entries_.end() ? nullptr : &found->second;
  }

  llvm::Expected<orc::ExecutorAddr> find(const std::string& symbol) { return jit_->lookup(symbol); }

  void add(const CpuKernelLayout& layout, kern_cpu_entry code) {
    auto [row, is_new] = entries_.try_emplace(layout.symbol);
    row->second = {row->first.c_str(),
                   "native",
                   code,
                   layout.scratch_bytes,
                   layout.scratch_bytes_per_vector,
                   static_cast<std::uint32_t>(layout.lanes),
                   layout.linear_thread_id};
  }

private:
  std::unique_ptr<orc::LLJIT> jit_;
  std::map<std::string, kern_object_entry> entries_;
};

// The vector functions of libm; kept open as long as the process runs.
void* open_libmvec() {
  static void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

void* find_symbol(const std::string& name) {
  if (name == "kern_cpu_fault") return reinterpret_cast<void*>(&kern_cpu_fault);
  if (name == "kern_cpu_print") return reinterpret_cast<void*>(&kern_cpu_print);
  if (name == "kern_cpu_wait") return reinterpret_cast<void*>(&kern_cpu_wait);
  if (name.starts_with("_ZGV")) return open_libmvec() ? dlsym(open_libmvec(), name.c_str()) : nullptr;
  return dlsym(RTLD_DEFAULT, name.c_str());
}

// What the optimised module calls, and what code generation may add.
llvm::Error define_symbols(orc::LLJIT& jit, const std::vector<std::string>& names) {
  orc::SymbolMap symbols;
  for (const std::string& name : names) {
    void* address = find_symbol(name);
    if (!address) continue;
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported};
  }
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

std::vector<std::string> called_names(const llvm::Module& module) {
  std::vector<std::string> names = {"memset", "memcpy", "memmove", "fmod", "fmodf"};
  for (const llvm::Function& function : module) {
    std::string name = function.getName().str();
    bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (function.isDeclaration() && !function.isIntrinsic() && !known) names.push_back(name);
  }
  return names;
}

bool report(llvm::Error error, Diagnostics& diagnostics) {
  if (!error) return false;
  diagnostics.report(std::nullopt, diag::internal_error, llvm::toString(std::move(error)));
  return true;
}

} // namespace

std::unique_ptr<CpuModule> compile_for_cpu(const ir::Module& module, const SourceManager& sources,
                                           const TargetOptions& options, Diagnostics& diagnostics,
                                           EmitTimes* times) {
  EmitTimes unwanted;
  EmitTimes& spent = times ? *times : unwanted;
  llvm::LLVMContext context;
  std::optional<Compiled> compiled = compile(module, sources, options, context, diagnostics, spent);
  if (!compiled) return nullptr;
  Stopwatch watch;
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  if (!generate(*compiled->lowered.module, *compiled->machine, true, out)) return nullptr;
  auto jit = orc::LLJITBuilder().create();
  if (!jit) {
    report(jit.takeError(), diagnostics);
    return nullptr;
  }
  if (report(define_symbols(**jit, called_names(*compiled->lowered.module)), diagnostics)) return nullptr;
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), "kern", false);
  if (report((*jit)->addObjectFile(std::move(buffer)), diagnostics)) return nullptr;
  auto made = std::make_unique<OrcModule>(std::move(*jit));
  for (const CpuKernelLayout& layout : compiled->lowered.layouts) {
    auto address = made->find(layout.symbol);
    if (!address) {
      report(address.takeError(), diagnostics);
      return nullptr;
    }
    made->add(layout, address->toPtr<kern_cpu_entry>());
  }
  spent.generate += watch.lap();
  return made;
}

} // namespace kern
