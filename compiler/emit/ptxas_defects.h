// Works around defects of NVIDIA's PTX compiler (ptxas_defects.def): writes PTX in other words, and holds
// programs that show whether a driver has a defect.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kern {

// A defect, with the smallest program that shows it: kernel `name` of `ptxas_probes()`, with parameters
// (where the result goes: u64, x: u32, y: u32, z: u32).
struct PtxasDefect {
  std::string_view name;
  std::string_view seen; // in which versions of ptxas, for which GPUs
  std::string_view what;
  std::string_view body;
  int x, y, z;
  int right; // the result of a compiler without it
};

std::span<const PtxasDefect> ptxas_defects();

// Returns one module of PTX, with a kernel for each defect in the form that shows it.
std::string ptxas_probes();

// Returns PTX that means the same, without what ptxas gets wrong; nothing else of the text changes.
std::string avoid_ptxas_defects(std::string ptx);

} // namespace kern
