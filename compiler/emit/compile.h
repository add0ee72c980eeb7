// From IR to an optimised LLVM module: what every output begins with.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <chrono>
#include <optional>
#include <string>

#include "compiler/emit/emit.h"
#include "compiler/emit/local_arrays.h"
#include "compiler/lower/lower.h"

namespace llvm {
class LLVMTargetMachine;
class MachineModuleInfoWrapperPass;
namespace legacy {
class PassManager;
} // namespace legacy
} // namespace llvm

namespace kern::emitting {

// Measures wall-clock time, in milliseconds, from one lap to the next.
class Stopwatch {
public:
  Stopwatch();
  double lap();

private:
  std::chrono::steady_clock::time_point start_;
};

struct Compiled {
  Lowered lowered;
  llvm::TargetMachine* machine;
  std::string device_math = {};         // the library's name; GPU only
  std::vector<InMemory> in_memory = {}; // local arrays that loops keep there; GPU only
};

// The first half: lowers; nothing where an error was reported.
std::optional<Compiled> begin(const ir::Module& module, const SourceManager& sources,
                              const TargetOptions& options, llvm::LLVMContext& context,
                              Diagnostics& diagnostics, EmitTimes& times);

// The second half: links device math and optimises; false where an error was reported.
bool finish(Compiled& compiled, const TargetOptions& options, Diagnostics& diagnostics, EmitTimes& times);

// Both; nothing where an error was reported.
std::optional<Compiled> compile(const ir::Module& module, const SourceManager& sources,
                                const TargetOptions& options, llvm::LLVMContext& context,
                                Diagnostics& diagnostics, EmitTimes& times);

// Adds the passes that make machine code of a module, as TargetMachine::addPassesToEmitFile does, but for one that finds out where
// variables live, in a sixteenth of the time: without -g our code names none. Returns what holds the code; null where the
// target has none.
llvm::MachineModuleInfoWrapperPass* add_code_generator(llvm::legacy::PassManager& passes,
                                                       llvm::LLVMTargetMachine& machine,
                                                       bool follows_variables);

// Writes a module as assembly or as an object file.
bool generate(llvm::Module& module, llvm::TargetMachine& machine, bool object, llvm::raw_pwrite_stream& out);

} // namespace kern::emitting
