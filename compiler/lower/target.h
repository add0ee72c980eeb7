// Describes what code is made for: the machine, and the options that change the code.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/analysis/threads/shape.h"

namespace kern {

enum class Target : std::uint8_t { Cuda, Cpu };
enum class LineInfo : std::uint8_t { None, Lines, Full }; // -g0, the default, -g

// Threads to a vector where neither --lanes nor a warp collective decides.
inline constexpr int default_lanes = 16;

// Which variants of a kernel are wanted, where it has several on a GPU.
enum class VariantChoice : std::uint8_t {
  All,
  First, // the one that a launch tries first
  Others
};

struct TargetOptions {
  Target target = Target::Cuda;
  std::string arch;     // "sm_90"; "x86-64-v3", "x86-64-v4", "native"; empty: the default of the target
  int optimization = 3; // 0 or 3
  LineInfo line_info = LineInfo::Lines;
  LaneFacts lanes;               // CPU; lanes.lanes is 1, 16 or 32; a kernel with warp collectives takes 32
  bool lanes_are_chosen = false; // by the user: with -O0 -g it is one where it can be, else
  bool fast_math = false;
  std::string kernel; // the symbol of the one kernel that is wanted; empty: all of them
  VariantChoice variants = VariantChoice::All;
};

// Says whether a debugger sees every variable at every line: -O0 -g.
inline bool is_for_debugger(const TargetOptions& options) {
  return options.optimization == 0 && options.line_info == LineInfo::Full;
}

} // namespace kern
