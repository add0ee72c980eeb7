// LLVM IR to what is written or run. Nothing of LLVM shows here, so that whoever emits need not compile its
// headers.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"
#include "kern/abi.h"

namespace kern {

class Diagnostics;

enum class OutputKind : std::uint8_t { Llvm, Bitcode, Ptx, Cubin, Assembly, Object };

// Milliseconds spent, for --time-report.
struct EmitTimes {
  double lower = 0, optimize = 0, generate = 0;
};

// Lowers, optimises and prints a module; nothing where an error was reported (no such arch, no device math,
// no ptxas).
std::optional<std::string> emit(const ir::Module& module, const SourceManager& sources,
                                const TargetOptions& options, OutputKind kind, Diagnostics& diagnostics,
                                EmitTimes* times = nullptr);

// Target machines of LLVM are kept by each thread until it ends. Whoever joins threads that compiled when the process ends calls
// this before it registers that with atexit.
void prepare_machines();

// Returns the newest arch that code is made for and a GPU of that compute capability runs.
std::string newest_gpu_arch(unsigned major, unsigned minor);

// Says whether CPU code is made for AVX-512: 32 registers of 512 bits, and registers for masks.
bool has_wide_vectors(const TargetOptions& options);

// The exception for a process in which the first use of LLVM ran out of memory; everything else throws
// std::bad_alloc.
struct LlvmNotReady : std::bad_alloc {
  const char* what() const noexcept override;
};
// The exception for memory that ended within what LLVM does under a lock of the process when it makes code
// for a GPU.
struct GpuCodeLost : LlvmNotReady {
  const char* what() const noexcept override;
};

// A module compiled into this process.
class CpuModule {
public:
  virtual ~CpuModule() = default;
  // Returns a kernel's entry with what it needs, or null where there is no such symbol. It lives as long as
  // the code; its CPU is "native".
  virtual const kern_object_entry* entry(const std::string& symbol) const = 0;
};

// Compiles a module (cut into segments) for the CPU of this machine; null where an error was reported.
std::unique_ptr<CpuModule> compile_for_cpu(const ir::Module& module, const SourceManager& sources,
                                           const TargetOptions& options, Diagnostics& diagnostics,
                                           EmitTimes* times = nullptr);

// An object that kernc wrote, in this process.
class LoadedObject {
public:
  virtual ~LoadedObject() = default;
  virtual const kern_object& get() const = 0;
};

// Links such an object; null where that cannot be, with the reason, which is empty where there is not enough memory.
std::unique_ptr<LoadedObject> load_object(std::string_view bytes, std::string& why);

// Which library device math comes from, and where: for `kernc doctor` and a comment in the PTX.
struct DeviceMathLibrary {
  std::string name; // "libdevice", "libclc"; empty where there is none
  std::string path;
};
DeviceMathLibrary find_device_math();

} // namespace kern
