// DWARF line tables. DebugDirectivesOnly is what ptxas calls -lineinfo; the CPU gets line tables. A statement
// inlined from another file keeps its own file through a lexical block.
#include "compiler/lower/debug_info.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

#include <filesystem>

namespace kern::lowering {

DebugInfo::DebugInfo(llvm::Module& module, const SourceManager& sources, const TargetOptions& options)
    : sources_(sources) {
  if (options.line_info == LineInfo::None || sources.size() == 0) return;
  builder_ = std::make_unique<llvm::DIBuilder>(module);
  auto kind = options.target == Target::Cuda ? llvm::DICompileUnit::DebugDirectivesOnly
                                             : llvm::DICompileUnit::LineTablesOnly;
  builder_->createCompileUnit(llvm::dwarf::DW_LANG_Python, file(FileId{0}), "kernc", options.optimization > 0,
                              "", 0, "", kind);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", options.target == Target::Cuda ? 2 : 4);
}

llvm::DIFile* DebugInfo::file(FileId id) {
  auto [found, fresh] = files_.try_emplace(id, nullptr);
  if (fresh) {
    std::filesystem::path path(sources_.stored_name(id));
    found->second = builder_->createFile(path.filename().string(), path.parent_path().string());
  }
  return found->second;
}

void DebugInfo::begin_function(llvm::Function& function, const ir::Function& source) {
  if (!builder_) return;
  llvm::DIFile* in = file(source.span.file);
  unsigned line = sources_.locate(source.span).line;
  auto* type = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
  subprogram_ = builder_->createFunction(in, source.name, function.getName(), in, line, type, line,
                                         llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  subprogram_file_ = source.span.file;
  function.setSubprogram(subprogram_);
}

void DebugInfo::set_location(llvm::IRBuilder<>& builder, Span span) {
  if (!builder_) return;
  llvm::DIScope* scope = subprogram_;
  if (span.file != subprogram_file_) {
    auto [found, fresh] = scopes_.try_emplace({subprogram_, span.file}, nullptr);
    if (fresh) found->second = builder_->createLexicalBlockFile(subprogram_, file(span.file));
    scope = found->second;
  }
  Location at = sources_.locate(span);
  builder.SetCurrentDebugLocation(llvm::DILocation::get(scope->getContext(), at.line, at.column, scope));
}

void DebugInfo::finish() {
  if (builder_) builder_->finalize();
}

} // namespace kern::lowering
