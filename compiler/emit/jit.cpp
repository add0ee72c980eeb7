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

#include <atomic>
#include <map>

#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/emit.h"
#include "compiler/emit/cpu_object.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/memory.h"

namespace kern {

using namespace emitting;

namespace {

namespace orc = llvm::orc;

class OrcModule final : public CpuModule {
public:
  explicit OrcModule(std::unique_ptr<orc::LLJIT> jit) : jit_(std::move(jit)) {}
  ~OrcModule() override { let_go(std::move(jit_)); }

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

// The vector functions of libm; kept open as long as the process runs. Where it cannot be opened, for want of memory or a
// descriptor, the next one tries again.
void* open_libmvec() {
  static std::atomic<void*> library{nullptr};
  if (!library) library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
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

// Returns the names that an object calls and does not define.
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

// Collects errors of linking. ORC tells the causes to its session, and its callers only that there were some.
class LinkErrors {
public:
  void listen(orc::ExecutionSession& session) {
    session.setErrorReporter([causes = causes_](llvm::Error error) { causes->add(std::move(error)); });
  }
  // Says whether it is an error.
  bool take(llvm::Error error) {
    if (!error) return false;
    causes_->add(std::move(error));
    return true;
  }
  bool is_memory() const { return causes_->is_memory; }
  const std::string& text() const { return causes_->text; }

private:
  struct Causes {
    std::string text;
    bool is_memory = false;
    void add(llvm::Error error) {
      llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase& info) {
        is_memory |= info.convertToErrorCode() == std::errc::not_enough_memory;
        text += (text.empty() ? "" : "; ") + info.message();
      });
    }
  };
  std::shared_ptr<Causes> causes_ = std::make_shared<Causes>(); // a session may tell of some when it ends
};

// Links an object file into this process; null where that went wrong.
std::unique_ptr<orc::LLJIT> link(std::string_view bytes, bool for_debuggers, LinkErrors& errors) {
  auto jit = orc::LLJITBuilder().create();
  if (!jit) {
    errors.take(jit.takeError());
    return nullptr;
  }
  errors.listen((*jit)->getExecutionSession());
  if (for_debuggers) tell_debuggers(**jit);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, "kern");
  if (!buffer) {
    errors.take(llvm::errorCodeToError(std::make_error_code(std::errc::not_enough_memory)));
    return nullptr;
  }
  if (errors.take(define_symbols(**jit, *buffer))) return nullptr;
  if (errors.take((*jit)->addObjectFile(std::move(buffer)))) return nullptr;
  return std::move(*jit);
}

class OrcObject final : public LoadedObject {
public:
  OrcObject(std::unique_ptr<orc::LLJIT> jit, const kern_object* object)
      : jit_(std::move(jit)), object_(object) {}
  ~OrcObject() override { let_go(std::move(jit_)); }
  const kern_object& get() const override { return *object_; }

private:
  std::unique_ptr<orc::LLJIT> jit_;
  const kern_object* object_;
};

// Finds what an object of kernc has for others; "" where there is no such thing.
llvm::Expected<std::string> object_name(std::string_view bytes) {
  auto object = llvm::object::ObjectFile::createObjectFile({bytes, "kern"});
  if (!object) return object.takeError();
  if ((*object)->getArch() != llvm::Triple::x86_64) return std::string();
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) return name.takeError();
    if (name->starts_with("kern_object_")) return name->str();
  }
  return std::string();
}

} // namespace

void emitting::destroy(orc::LLJIT* jit) { delete jit; }

std::unique_ptr<CpuModule> compile_for_cpu(const ir::Module& module, const SourceManager& sources,
                                           const TargetOptions& options, Diagnostics& diagnostics,
                                           EmitTimes* times) {
  EmitTimes unwanted;
  EmitTimes& spent = times ? *times : unwanted;
  std::optional<CpuObject> object = make_cpu_object(module, sources, options, diagnostics, spent);
  if (!object) return nullptr;
  Stopwatch watch;
  LinkErrors errors;
  auto refuse = [&] {
    if (errors.is_memory())
      diagnostics.report(std::nullopt, diag::no_code_memory);
    else
      diagnostics.report(std::nullopt, diag::internal_error, errors.text());
    return nullptr;
  };
  std::unique_ptr<orc::LLJIT> jit = link(object->bytes, options.line_info == LineInfo::Full, errors);
  if (!jit) return refuse();
  auto made = std::make_unique<OrcModule>(std::move(jit));
  for (const CpuKernelLayout& layout : object->layouts) {
    auto address = made->find(layout.symbol);
    if (!address) {
      errors.take(address.takeError());
      return refuse();
    }
    made->add(layout, address->toPtr<kern_cpu_entry>());
  }
  spent.generate += watch.lap();
  return made;
}

std::unique_ptr<LoadedObject> load_object(std::string_view bytes, std::string& why) {
  initialize_llvm();
  LinkErrors errors;
  llvm::Expected<std::string> name = object_name(bytes);
  if (!name) {
    errors.take(name.takeError());
    why = "the object cannot be read: " + errors.text();
    return nullptr;
  }
  if (name->empty()) {
    why = "the object is none of kernc for x86-64: it has no `kern_object_...`";
    return nullptr;
  }
  std::unique_ptr<orc::LLJIT> jit = link(bytes, false, errors);
  if (jit) {
    llvm::Expected<orc::ExecutorAddr> address = jit->lookup(*name);
    if (address) return std::make_unique<OrcObject>(std::move(jit), address->toPtr<const kern_object*>());
    errors.take(address.takeError());
    let_go(std::move(jit));
  }
  why = errors.is_memory() ? "" : "the object cannot be linked: " + errors.text();
  return nullptr;
}

} // namespace kern
