// Finds barriers, and declares the rewrites of control flow around them, which arrange.cpp runs. Private to transform/barriers/.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Says of statements whether they are, hold, or call what holds, a barrier of the block or the grid.
class BarrierHolders {
public:
  explicit BarrierHolders(const ir::Module& module);

  bool holds(const ir::Stmt& stmt) const;
  bool holds(const ir::Body& body) const;
  // Likewise of barriers of the grid alone.
  bool holds_of_grid(const ir::Stmt& stmt) const;
  // Says whether a body holds, or calls what holds, a collective of a warp.
  bool holds_of_warp(const ir::Body& body) const;
  // Returns the place of the last statement of a body that holds one; none where there is none.
  std::optional<std::size_t> last(const ir::Body& body) const;

private:
  struct Kinds {
    bool any = false, of_grid = false; // barriers
    bool of_warp = false;              // collectives
  };
  Kinds kinds(const ir::Stmt& stmt) const;

  std::vector<Kinds> functions_; // by FunctionId
};

// Appends the statements of one body to another.
void append(ir::Body& to, ir::Body more);

// Makes `continue` behind the last barrier of a round structured control flow: threads that skip the rest of
// the round meet the others at its end. For every loop that holds a barrier.
void end_rounds(ir::Module& module);

// Lets threads leave the kernel that come to no barrier any more: an `if` that holds a barrier, or a loop,
// with none behind, becomes an early return of those that do not take part. Only where it decides differently
// in different threads; what is behind is copied for those that leave, and has no collective of a warp.
void leave_early(ir::Module& module);

} // namespace kern
