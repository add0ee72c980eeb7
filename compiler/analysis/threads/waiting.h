// Loops in which a thread waits for others: they ask for the same element again and again until memory that
// others write lets them go, whatever they count or compute beside. A loop that goes on to other elements
// waits for nobody.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct WaitingLoop {
  const ir::Stmt* loop;                // a While or For
  std::vector<const ir::Load*> polled; // plain loads that say when it ends, in callees too
};

// Returns, by function, the loops in which threads wait, outer before inner.
std::vector<std::vector<WaitingLoop>> find_waiting_loops(const ir::Module& module);

// Says whether statements, or what they call, hold such a loop, once it is marked (transform/take_turns.cpp).
bool has_waits(const ir::Module& module, const ir::Body& body);

// Says whether it may do so in two neighbouring threads at once, of which one may wait for the other: not
// where each such loop is under a condition like `threadIdx.x == 0`.
bool neighbours_wait(const ir::Module& module, const ir::Function& kernel);

} // namespace kern
