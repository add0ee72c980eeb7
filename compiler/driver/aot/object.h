// Makes an ahead-of-time library: an object and the header that declares its kernels.
#pragma once

#include <optional>
#include <string>

#include "compiler/driver/session/commands.h"
#include "runtime/manifest/manifest.h"

namespace kern {

// Returns the C++ namespace of a library: --namespace, or FILE's name without folder and suffix, as an
// identifier.
std::string library_namespace(const Options& options, const std::string& file);
// Returns the symbol that its object exports: "kern_object_filters".
std::string object_symbol(const std::string& library);

// An object's code for GPUs.
struct GpuCode {
  std::string ptx;       // for the oldest that --arch names; of each kernel the variant that is tried first
  std::string other_ptx; // the other variants
  std::vector<ObjectCubin> cubins;
};

// Makes PTX of the first variant of each kernel that is wanted, and of the others; false where an error was
// reported.
bool make_ptx(Compilation& compilation, TargetOptions target, GpuCode& code);

// Makes PTX, and a cubin for each GPU that --arch names, with a warning where that cannot be; nothing where
// an error was reported.
std::optional<GpuCode> make_gpu_code(Compilation& compilation, const Options& options);

// Writes the object, with a manifest and code for GPUs that were made before; nothing where an error was
// reported.
std::optional<std::string> make_object(Compilation& compilation, const Options& options,
                                       const std::string& library, GpuCode gpu, std::string manifest);

// Makes the manifest of an object with code for both targets, the GPU's first; nothing where an error was reported.
std::optional<Manifest> whole_manifest(Compilation& compilation, const Options& options);
// Makes all parts of an object and writes it, as for `kernc -o FILE.o`; nothing where an error was reported.
std::optional<std::string> make_whole_object(Compilation& compilation, const Options& options,
                                             const std::string& library);

} // namespace kern
