// Runs ptxas of a CUDA toolkit, where there is one.
#pragma once

#include <string>

namespace kern {

// What ptxas made: the cubin, or what was against it.
struct Assembled {
  bool found = false; // whether there is a ptxas
  std::string cubin;  // empty where it refused
  std::string messages;
};

// Assembles PTX to a cubin.
Assembled assemble(const std::string& ptx, const std::string& arch);

} // namespace kern
