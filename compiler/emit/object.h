// One object file for a module: its CPU code for several levels of CPU and several variants, the PTX, cubins
// and the manifest, behind one exported symbol, a kern_object (kern/abi.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"

namespace kern {

// Code of one kernel for one level of CPU.
struct ObjectCode {
  TargetOptions target; // for the CPU, with the level as its arch; names the one kernel
  std::string symbol;   // of the variant, as the manifest has it
};

// Machine code of all kernels for one architecture of GPU.
struct ObjectCubin {
  std::string arch;
  std::string bytes;
};

struct ObjectData {
  std::string symbol; // of the kern_object
  std::string manifest, ptx;
  std::string other_ptx; // of the variants of kernels that a launch does not try first
  std::vector<ObjectCubin> cubins;
};

// Compiles every piece of code of a module that was cut into segments, and writes the object; nothing where
// an error was reported.
std::optional<std::string> emit_object(const ir::Module& module, const SourceManager& sources,
                                       std::span<const ObjectCode> code, const ObjectData& data,
                                       Diagnostics& diagnostics, EmitTimes* times = nullptr);

} // namespace kern
