// What kernels take of a GPU, as ptxas tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"

namespace kern {

// What a thread or block of a kernel takes; bytes but for the registers.
struct KernelResources {
  std::string symbol;
  std::int64_t registers = 0;
  std::int64_t local = 0; // the stack frame: local arrays and spilled registers
  std::int64_t spill_stores = 0, spill_loads = 0;
  std::int64_t shared = 0; // static
  std::int64_t constant = 0;
};

// Reads what `ptxas -v` says of each kernel.
std::vector<KernelResources> read_resources(std::string_view messages);

// Asks ptxas about PTX; nothing where there is none, or where it refuses, which is reported.
std::optional<std::vector<KernelResources>> find_resources(const std::string& ptx, const std::string& arch,
                                                           bool for_debugger, Diagnostics& diagnostics);

// Reports the kernels of PTX that spill registers, where that is asked for and ptxas is there.
void report_spills(const std::string& ptx, const std::string& arch, bool for_debugger,
                   const ir::Module& module, Diagnostics& diagnostics);

} // namespace kern
