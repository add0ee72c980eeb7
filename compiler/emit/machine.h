// The machines that code is made for: LLVM's target machines, made once a thread and kept, because making one
// costs more than compiling a small kernel.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <string>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/lower/target.h"

namespace kern::emitting {

// While it lives, this thread makes code; what begins with one needs no initialize_llvm(). Machines keep what they have looked
// up, such as which registers overlap. Where memory ends within that they have half of it, and would make wrong code
// without a word: an exception leaves no destructor run in this folder, by which the next one knows, and machines are made anew.
class MakingCode {
public:
  MakingCode();
  MakingCode(const MakingCode&) = delete;
  MakingCode& operator=(const MakingCode&) = delete;
  ~MakingCode();
};

// Returns the machine that the options name; null, and reported, where there is no such one.
llvm::TargetMachine* find_machine(const TargetOptions& options, Diagnostics& diagnostics);

} // namespace kern::emitting
