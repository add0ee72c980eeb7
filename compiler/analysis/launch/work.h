// How much a thread of a kernel does, for whoever divides a launch among the cores of a CPU.
#pragma once

#include <optional>

#include "compiler/ir/ir.h"

namespace kern {

struct Work {
  Expression operations; // of a thread, on average over those of a launch: an expression over it
  bool is_known = false; // else threads may do any amount more or less: what memory holds decides
};

// Returns the work of a kernel; nothing where it would be too long to say.
std::optional<Work> estimate_work(const ir::Function& kernel);

} // namespace kern
