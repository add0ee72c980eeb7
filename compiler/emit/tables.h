// Makes early what LLVM's code generators make when they first need it: tables, and entries in its registry
// of passes.
#pragma once

#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace kern::emitting {

// Generates the code of a small function, with `generate`, which makes the tables. Nobody wants the code.
void make_tables(llvm::TargetMachine& machine,
                 bool (*generate)(llvm::Module&, llvm::TargetMachine&, bool, llvm::raw_pwrite_stream&));

// Enters all passes in the registry that our code generators use; the targets are known.
void register_passes();

} // namespace kern::emitting
