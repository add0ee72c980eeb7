// The object file of CPU code for this process, made by LLVM or found in the kernel cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/compile.h"

namespace kern::emitting {

struct CpuObject {
  std::string bytes; // of the file
  std::vector<CpuKernelLayout> layouts;
};

// Compiles a module that was cut into segments, without line info whatever the options say; optimising and
// generating code, by far the most of it, happen only where the cache has no object of the same lowered
// module. Nothing where an error was reported.
std::optional<CpuObject> make_cpu_object(const ir::Module& module, const SourceManager& sources,
                                         const TargetOptions& options, Diagnostics& diagnostics,
                                         EmitTimes& times);

} // namespace kern::emitting
