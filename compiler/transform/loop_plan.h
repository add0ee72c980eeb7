// Which guards of a loop may leave it, and how. Private to transform/.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/definitions.h"
#include "compiler/ir/ir.h"

namespace kern {

// Says of a guard, or of a fit, whose axis is 0, whether it would be tested where it stands.
using IsWanted = std::function<bool(ir::SiteId, int axis)>;

struct LoopPlan {
  // Every other wanted guard is deferred, every wanted fit, and every check; otherwise they stay.
  bool defers = false;
  // By the For before which they are tested: guards of each of its iterations.
  std::unordered_map<const ir::Stmt*, std::vector<const ir::Guard*>> hoisted;
  // Gives the operand that a guard, hoisted or deferred, reads instead of an index that may count from the
  // end.
  std::unordered_map<const ir::Guard*, ir::Operand> indices;
  // Gives the guard of each axis of a load, in a loop that defers.
  std::unordered_map<const ir::Load*, std::vector<const ir::Guard*>> loads;

  bool is_hoisted(const ir::Guard& guard) const;
};

// Returns what is done with a For, the outermost of its nest that qualifies; none where the guards stay, or leave
// loops inside of it. A loop that defers does nothing but read: no store, atomic, collective, call, print, return,
// raise, while or polled load. How often it goes round, and any loop inside, is decided by nothing that a deferred
// guard lets pass.
std::optional<LoopPlan> plan_loop(const ir::Function& function, const ir::Definitions& definitions,
                                  const ir::Stmt& loop, const IsWanted& is_wanted);

} // namespace kern
