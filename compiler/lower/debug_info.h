// Line tables: which line of the source each instruction came from. Enough for profilers and disassemblers;
// no variables.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <memory>
#include <utility>

#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"

namespace kern::lowering {

class DebugInfo {
public:
  DebugInfo(llvm::Module& module, const SourceManager& sources, const TargetOptions& options);
  // Makes the subprogram of a function and attaches it.
  void begin_function(llvm::Function& function, const ir::Function& source);
  // Says from where the instructions come that the builder makes next.
  void set_location(llvm::IRBuilder<>& builder, Span span);
  // Closes the tables; nothing can be added afterwards.
  void finish();

private:
  llvm::DIFile* file(FileId id);
  const SourceManager& sources_;
  std::unique_ptr<llvm::DIBuilder> builder_; // null without line information
  std::map<FileId, llvm::DIFile*> files_;
  std::map<std::pair<llvm::DISubprogram*, FileId>, llvm::DIScope*> scopes_;
  llvm::DISubprogram* subprogram_ = nullptr;
  FileId subprogram_file_{};
};

} // namespace kern::lowering
