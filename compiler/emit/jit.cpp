// CPU code in this process, through ORC. The object is made as for a file and added whole; what it calls of
// libm, of libmvec and of the CPU runtime is given by absolute addresses, so that nothing else of the process
// can be found.
#include <llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h>
#include <llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <dlfcn.h>

#include <map>

#include "compiler/diagnostics/driver.h"
#include "compiler/emit/cpu_object.h"
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
                   layout.linear_thread_id,
                   layout.independent_rows,
                   layout.follows_rows,
                   layout.threads_in_call};
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
  if (name == "kern_cpu_fault_lanes") return reinterpret_cast<void*>(&kern_cpu_fault_lanes);
  if (name == "kern_cpu_fault_guards") return reinterpret_cast<void*>(&kern_cpu_fault_guards);
  if (name == "kern_cpu_fault_masked") return reinterpret_cast<void*>(&kern_cpu_fault_masked);
  if (name == "kern_cpu_fault_each") return reinterpret_cast<void*>(&kern_cpu_fault_each);
  if (name == "kern_cpu_print") return reinterpret_cast<void*>(&kern_cpu_print);
  if (name == "kern_cpu_wait") return reinterpret_cast<void*>(&kern_cpu_wait);
  if (name == "kern_cpu_note") return reinterpret_cast<void*>(&kern_cpu_note);
  if (name == "kern_cpu_turn") return reinterpret_cast<void*>(&kern_cpu_turn);
  if (name == "kern_cpu_end_turns") return reinterpret_cast<void*>(&kern_cpu_end_turns);
  if (name == "kern_cpu_meet") return reinterpret_cast<void*>(&kern_cpu_meet);
  if (name == "kern_cpu_breakpoint") return reinterpret_cast<void*>(&kern_cpu_breakpoint);
  if (name == "kern_cpu_grid_wait") return reinterpret_cast<void*>(&kern_cpu_grid_wait);
  if (name.starts_with("_ZGV")) return open_libmvec() ? dlsym(open_libmvec(), name.c_str()) : nullptr;
  return dlsym(RTLD_DEFAULT, name.c_str());
}

// What the object calls of others.
llvm::Expected<std::vector<std::string>> called_names(llvm::MemoryBufferRef bytes) {
  auto object = llvm::object::ObjectFile::createObjectFile(bytes);
  if (!object) return object.takeError();
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    llvm::Expected<std::uint32_t> flags = symbol.getFlags();
    if (!flags) return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined)) continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) return name.takeError();
    names.push_back(name->str());
  }
  return names;
}

llvm::Error define_symbols(orc::LLJIT& jit, llvm::MemoryBufferRef object) {
  llvm::Expected<std::vector<std::string>> names = called_names(object);
  if (!names) return names.takeError();
  orc::SymbolMap symbols;
  for (const std::string& name : *names) {
    void* address = find_symbol(name);
    if (!address) continue;
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported};
  }
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

// Lets debuggers of this process know of what is linked from now on, by GDB's interface for that.
void tell_debuggers(orc::LLJIT& jit) {
  auto* layer = llvm::dyn_cast<orc::ObjectLinkingLayer>(&jit.getObjLinkingLayer());
  if (!layer) return;
  orc::ExecutionSession& session = jit.getExecutionSession();
  auto registrar = std::make_unique<orc::EPCDebugObjectRegistrar>(
      session, orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderGDBWrapper));
  constexpr bool only_where_there_is_any = true, registers_each = true;
  layer->addPlugin(std::make_unique<orc::DebugObjectManagerPlugin>(session, std::move(registrar),
                                                                   only_where_there_is_any, registers_each));
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
  std::optional<CpuObject> object = make_cpu_object(module, sources, options, diagnostics, spent);
  if (!object) return nullptr;
  Stopwatch watch;
  auto jit = orc::LLJITBuilder().create();
  if (!jit) {
    report(jit.takeError(), diagnostics);
    return nullptr;
  }
  if (options.line_info == LineInfo::Full) tell_debuggers(**jit);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object->bytes, "kern");
  if (report(define_symbols(**jit, *buffer), diagnostics)) return nullptr;
  if (report((*jit)->addObjectFile(std::move(buffer)), diagnostics)) return nullptr;
  auto made = std::make_unique<OrcModule>(std::move(*jit));
  for (const CpuKernelLayout& layout : object->layouts) {
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
