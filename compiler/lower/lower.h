// IR to LLVM IR, for a GPU thread or for the lanes of a CPU vector. What a program means, which values differ
// between lanes and which guards are proved was decided before. What is decided here is the form of code among
// those of one meaning, where IR has no words for the difference: masks or branches, one access or a gather,
// copies of a loop for whole vectors, the order of vectors and blocks, places in registers and records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace kern {

// The needs of a CPU kernel that whoever runs it must meet; docs/abi.md describes the vectors of a block.
struct CpuKernelLayout {
  std::string symbol;
  std::uint64_t scratch_bytes = 0;            // once a block
  std::uint64_t scratch_bytes_per_vector = 0; // for each vector of lanes of the block
  int lanes = 1;
  bool linear_thread_id = false;     // vectors follow the linear thread id, not rows
  bool independent_rows = false;     // a call may run some of a block's rows of threads
  bool follows_rows = false;         // these go along rows of memory, best to their ends
  std::uint64_t threads_in_call = 0; // of neighbouring blocks, that a call best runs; 0: it does not matter
};

struct Lowered {
  std::unique_ptr<llvm::Module> module;
  std::vector<CpuKernelLayout> layouts; // CPU only
};

// The attribute of a GPU's function that holds loops twice: once more for when their guards fail.
inline constexpr const char* holds_reruns = "kern-reruns";

// Says whether a CPU has AVX-512 as code is made for it: masks are in registers of their own.
bool has_mask_registers(const llvm::TargetMachine& machine);

// Says whether code of a function is wanted: of a kernel, and of this variant of it.
bool is_wanted(const ir::Function& function, const TargetOptions& options);

// Lowers every kernel of a module for a machine; for the CPU it must have been cut into segments.
Lowered lower(const ir::Module& module, const SourceManager& sources, const TargetOptions& options,
              const llvm::TargetMachine& machine, llvm::LLVMContext& context);

} // namespace kern
