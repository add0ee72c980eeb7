// Each piece is lowered and optimised for its own CPU, marked with that CPU function by function, and linked
// into one LLVM module, so that one code generation makes one file without a linker. All symbols but the
// object's own are local: two objects, or two levels of CPU, never meet.
#include "compiler/emit/object.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/emit.h"
#include "compiler/emit/compile.h"
#include "compiler/emit/machine.h"
#include "kern/abi.h"
#include "kern/abi_hash.h"

namespace kern {

using namespace emitting;

namespace {

// The code of one entry, in the linked module.
struct Entry {
  std::string symbol, arch;
  CpuKernelLayout layout;
  std::string function; // its name in the linked module
};

void mark_cpu(llvm::Module& module, const llvm::TargetMachine& machine) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

class ObjectBuilder {
public:
  ObjectBuilder(llvm::LLVMContext& context) : context_(context) {}

  // Takes over a compiled piece, whose module has one entry.
  bool add(Compiled piece, const ObjectCode& code) {
    llvm::Module& module = *piece.lowered.module;
    Entry entry{code.symbol, code.target.arch, piece.lowered.layouts.at(0),
                code.symbol + "." + code.target.arch};
    mark_cpu(module, *piece.machine);
    for (llvm::Function& function : module)
      if (!function.isDeclaration() && function.getName() != entry.layout.symbol)
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    module.getFunction(entry.layout.symbol)->setName(entry.function);
    entries_.push_back(std::move(entry));
    machine_ = piece.machine;
    if (linker_) return !linker_->linkInModule(std::move(piece.lowered.module));
    whole_ = std::move(piece.lowered.module);
    linker_.emplace(*whole_);
    return true;
  }

  std::optional<std::string> write(const ObjectData& data) {
    for (llvm::Function& function : *whole_)
      if (!function.isDeclaration()) function.setLinkage(llvm::GlobalValue::InternalLinkage);
    add_object(data);
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    if (!generate(*whole_, *machine_, true, out)) return std::nullopt;
    return std::string(bytes.begin(), bytes.end());
  }

private:
  llvm::Constant* number(std::uint64_t value, unsigned bits) {
    return llvm::ConstantInt::get(llvm::IntegerType::get(context_, bits), value);
  }

  llvm::GlobalVariable* constant(llvm::Constant* value, const llvm::Twine& name) {
    return new llvm::GlobalVariable(*whole_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value,
                                    name);
  }

  llvm::Constant* text(const std::string& value, const llvm::Twine& name) {
    llvm::GlobalVariable* global = constant(llvm::ConstantDataArray::getString(context_, value), name);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return global;
  }

  // A kern_object_entry.
  llvm::Constant* entry_constant(const Entry& entry) {
    const CpuKernelLayout& layout = entry.layout;
    llvm::Constant* parts[] = {text(entry.symbol, "symbol"),
                               text(entry.arch, "cpu"),
                               whole_->getFunction(entry.function),
                               number(layout.scratch_bytes, 64),
                               number(layout.scratch_bytes_per_vector, 64),
                               number(static_cast<std::uint64_t>(layout.lanes), 32),
                               number(layout.linear_thread_id, 32),
                               number(layout.independent_rows, 32),
                               number(layout.follows_rows, 32),
                               number(layout.threads_in_call, 64)};
    return llvm::ConstantStruct::getAnon(parts);
  }

  // A kern_object_cubin.
  llvm::Constant* cubin_constant(const ObjectCubin& cubin) {
    llvm::GlobalVariable* code =
        constant(llvm::ConstantDataArray::getString(context_, cubin.bytes, /*AddNull=*/false), "cubin");
    code->setAlignment(llvm::Align(16));
    llvm::Constant* parts[] = {text(cubin.arch, "arch"), code, number(cubin.bytes.size(), 64)};
    return llvm::ConstantStruct::getAnon(parts);
  }

  // Returns the address of an array's first element; null for an array without elements.
  llvm::Constant* array(const std::vector<llvm::Constant*>& elements, const llvm::Twine& name) {
    if (elements.empty()) return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context_));
    auto* type = llvm::ArrayType::get(elements.front()->getType(), elements.size());
    return constant(llvm::ConstantArray::get(type, elements), name);
  }

  void add_object(const ObjectData& data) {
    std::vector<llvm::Constant*> entries, cubins;
    for (const Entry& entry : entries_) entries.push_back(entry_constant(entry));
    for (const ObjectCubin& cubin : data.cubins) cubins.push_back(cubin_constant(cubin));
    llvm::Constant* parts[] = {
        number(sizeof(kern_object), 32),  number(KERN_ABI_VERSION, 32),     number(abi_hash, 64),
        text(data.manifest, "manifest"),  number(data.manifest.size(), 64), text(data.ptx, "ptx"),
        number(data.ptx.size(), 64),      array(entries, "entries"),        number(entries.size(), 64),
        array(cubins, "cubins"),          number(cubins.size(), 64),        text(data.other_ptx, "other_ptx"),
        number(data.other_ptx.size(), 64)};
    llvm::Constant* object = llvm::ConstantStruct::getAnon(parts);
    auto* variable = new llvm::GlobalVariable(*whole_, object->getType(), true,
                                              llvm::GlobalValue::ExternalLinkage, object, data.symbol);
    // Two plugins may have libraries of one name: neither takes the other's.
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }

  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::Module> whole_;
  // One for all pieces: a new one would look through all that is there for types.
  std::optional<llvm::Linker> linker_;
  llvm::TargetMachine* machine_ = nullptr; // any piece's: functions say for which CPU they are
  std::vector<Entry> entries_;
};

} // namespace

std::optional<std::string> emit_object(const ir::Module& module, const SourceManager& sources,
                                       std::span<const ObjectCode> code, const ObjectData& data,
                                       Diagnostics& diagnostics, EmitTimes* times) {
  EmitTimes unwanted;
  EmitTimes& spent = times ? *times : unwanted;
  MakingCode making; // before anything of LLVM takes memory
  llvm::LLVMContext context;
  ObjectBuilder builder(context);
  for (const ObjectCode& piece : code) {
    std::optional<Compiled> compiled = compile(module, sources, piece.target, context, diagnostics, spent);
    if (!compiled) return std::nullopt;
    if (!builder.add(std::move(*compiled), piece)) {
      diagnostics.report(std::nullopt, diag::internal_error, "the pieces of an object do not link");
      return std::nullopt;
    }
  }
  Stopwatch watch;
  std::optional<std::string> object = builder.write(data);
  spent.generate += watch.lap();
  return object;
}

} // namespace kern
