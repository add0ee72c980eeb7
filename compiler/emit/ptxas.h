// Runs ptxas of a CUDA toolkit, where there is one.
#pragma once

#include <optional>
#include <string>

namespace kern {

// Returns the path of ptxas: on PATH, in $CUDA_HOME or $CUDA_PATH, in /usr/local/cuda; nothing where there is
// none.
std::optional<std::string> find_ptxas();

// The result of ptxas: the cubin, or its objections.
struct Assembled {
  bool found = false; // whether there is a ptxas
  std::string cubin;  // empty where it refused
  std::string messages;
};

// Assembles PTX to a cubin; `verbose` has ptxas say what kernels take.
Assembled assemble(const std::string& ptx, const std::string& arch, bool for_debugger = false,
                   bool verbose = false);

} // namespace kern
