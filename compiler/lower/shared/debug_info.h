// Describes code to debuggers and profilers. Line tables say which line of the source each instruction came
// from; with -g there are variables as well (variables.cpp), and inlined calls are frames of their own.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"

namespace kern::lowering {

class DebugInfo {
public:
  DebugInfo(llvm::Module& module, const SourceManager& sources, const TargetOptions& options);
  // Makes the subprogram of a function and attaches it.
  void begin_function(llvm::Function& function, const ir::Function& source);
  // Says from where the instructions come that the builder makes next.
  void set_location(llvm::IRBuilder<>& builder, Span span, ir::ScopeId scope);
  // Closes the tables; nothing can be added afterwards.
  void finish();

  // Says whether variables are described, of the GPU only without optimisation.
  bool has_variables() const { return has_variables_; }
  // Says whether what they hold is in memory at every line.
  bool is_exact() const { return is_exact_; }
  // Returns a place in the function that was begun last; of variables or of statements of that scope.
  llvm::DILocation* location(Span span, ir::ScopeId scope);
  // Returns what makes types and variables.
  llvm::DIBuilder& builder() { return *builder_; }
  // Returns the file of a place.
  llvm::DIFile* file(FileId id);
  // Returns types of variables: a scalar, so many of it, an array value with its extents and strides.
  llvm::DIType* scalar(ScalarKind kind);
  llvm::DIType* vector(ScalarKind kind, unsigned lanes);
  llvm::DIType* array(Type type);

private:
  // The frame that a debugger shows for a scope.
  struct Frame {
    llvm::DISubprogram* subprogram = nullptr;
    llvm::DILocation* inlined_at = nullptr;
    FileId file{};
  };
  llvm::DISubprogram* make_subprogram(const std::string& name, const std::string& symbol, Span span);
  llvm::DIScope* scope_in(llvm::DISubprogram* subprogram, FileId own, FileId wanted);
  const Frame& frame(ir::ScopeId scope);
  llvm::DIType* extents(unsigned rank);

  const SourceManager& sources_;
  bool is_gpu_;
  bool has_variables_ = false, is_exact_ = false;
  std::unique_ptr<llvm::DIBuilder> builder_; // null without line information
  std::map<FileId, llvm::DIFile*> files_;
  std::map<std::pair<llvm::DISubprogram*, FileId>, llvm::DIScope*> scopes_;
  std::map<std::string, llvm::DISubprogram*> inlined_; // by symbol
  std::map<std::pair<ScalarKind, unsigned>, llvm::DIType*> types_;
  std::map<const void*, llvm::DIType*> arrays_;
  const ir::Function* function_ = nullptr; // that was begun last
  std::vector<Frame> frames_;              // of it, by scope
};

} // namespace kern::lowering
