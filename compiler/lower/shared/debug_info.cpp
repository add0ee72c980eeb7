// DWARF. Without variables DebugDirectivesOnly is what ptxas calls -lineinfo; the CPU gets line tables, and a
// statement inlined from another file keeps its own file through a lexical block. Variables on the GPU need code
// that is not optimised: ptxas knows no other kind with them.
#include "compiler/lower/shared/debug_info.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <filesystem>

namespace kern::lowering {

using EmissionKind = llvm::DICompileUnit::DebugEmissionKind;

static EmissionKind emission_kind(const TargetOptions& options, bool has_variables) {
  if (has_variables) return EmissionKind::FullDebug;
  return options.target == Target::Cuda ? EmissionKind::DebugDirectivesOnly : EmissionKind::LineTablesOnly;
}

// Debuggers know no Kern, and less of Python than of C, in which `x.extent[0]` can be asked for.
static unsigned language(bool has_variables) {
  return has_variables ? llvm::dwarf::DW_LANG_C99 : llvm::dwarf::DW_LANG_Python;
}

DebugInfo::DebugInfo(llvm::Module& module, const SourceManager& sources, const TargetOptions& options)
    : sources_(sources), is_gpu_(options.target == Target::Cuda) {
  if (options.line_info == LineInfo::None || sources.size() == 0) return;
  has_variables_ = options.line_info == LineInfo::Full && (!is_gpu_ || options.optimization == 0);
  is_exact_ = is_for_debugger(options);
  builder_ = std::make_unique<llvm::DIBuilder>(module);
  // Old versions of PTX cannot say how long tables of names are, and debuggers make their own.
  auto names = has_variables_ ? llvm::DICompileUnit::DebugNameTableKind::None
                              : llvm::DICompileUnit::DebugNameTableKind::Default;
  constexpr bool splits_inlined = true, is_for_profiling = false;
  builder_->createCompileUnit(language(has_variables_), file(FileId{0}), "kernc", options.optimization > 0,
                              "", 0, "", emission_kind(options, has_variables_), 0, splits_inlined,
                              is_for_profiling, names);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", is_gpu_ ? 2 : 4);
}

llvm::DIFile* DebugInfo::file(FileId id) {
  auto [found, fresh] = files_.try_emplace(id, nullptr);
  if (fresh) {
    std::string name = sources_.stored_name(id);
    // No name in PTX can have a quote.
    if (is_gpu_) std::ranges::replace(name, '"', '\'');
    std::filesystem::path path(name);
    found->second = builder_->createFile(path.filename().string(), path.parent_path().string());
  }
  return found->second;
}

llvm::DISubprogram* DebugInfo::make_subprogram(const std::string& name, const std::string& symbol,
                                               Span span) {
  llvm::DIFile* in = file(span.file);
  unsigned line = sources_.locate(span).line;
  auto* type = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
  // In C a debugger would show the symbol.
  return builder_->createFunction(in, name, has_variables_ ? "" : symbol, in, line, type, line,
                                  llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
}

void DebugInfo::begin_function(llvm::Function& function, const ir::Function& source) {
  if (!builder_) return;
  llvm::DISubprogram* subprogram = make_subprogram(source.name, function.getName().str(), source.span);
  function.setSubprogram(subprogram);
  function_ = &source;
  frames_.assign(1 + source.inlined.size(), {});
  frames_[0] = {subprogram, nullptr, source.span.file};
}

llvm::DIScope* DebugInfo::scope_in(llvm::DISubprogram* subprogram, FileId own, FileId wanted) {
  if (own == wanted) return subprogram;
  auto [found, fresh] = scopes_.try_emplace({subprogram, wanted}, nullptr);
  if (fresh) found->second = builder_->createLexicalBlockFile(subprogram, file(wanted));
  return found->second;
}

// Each inlined call has a location of its own, from which debuggers tell calls apart.
const DebugInfo::Frame& DebugInfo::frame(ir::ScopeId scope) {
  auto index = static_cast<std::size_t>(scope);
  if (frames_[index].subprogram) return frames_[index];
  const ir::InlinedCall& call = function_->inlined[index - 1];
  llvm::DISubprogram*& callee = inlined_[call.symbol];
  if (!callee) callee = make_subprogram(call.name, call.symbol, call.function);
  const Frame& caller = frame(call.caller);
  Location at = sources_.locate(call.call);
  llvm::DIScope* in = scope_in(caller.subprogram, caller.file, call.call.file);
  auto* place = llvm::DILocation::getDistinct(in->getContext(), at.line, at.column, in, caller.inlined_at);
  return frames_[index] = {callee, place, call.function.file};
}

llvm::DILocation* DebugInfo::location(Span span, ir::ScopeId scope) {
  if (!has_variables_) scope = {};
  if (scope != ir::ScopeId{}) {
    const ir::InlinedCall& call = function_->inlined[static_cast<std::size_t>(scope) - 1];
    const bool hands_over = span == call.call;
    if (hands_over && call.last) span = *call.last;
    if (hands_over && !call.last) scope = call.caller;
  }
  const Frame& in = frame(scope);
  llvm::DIScope* place = scope_in(in.subprogram, in.file, span.file);
  Location at = sources_.locate(span);
  return llvm::DILocation::get(place->getContext(), at.line, at.column, place, in.inlined_at);
}

void DebugInfo::set_location(llvm::IRBuilder<>& builder, Span span, ir::ScopeId scope) {
  if (builder_) builder.SetCurrentDebugLocation(location(span, scope));
}

void DebugInfo::finish() {
  if (builder_) builder_->finalize();
}

} // namespace kern::lowering
