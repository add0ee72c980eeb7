// Whether a kernel goes by vectors at all, and of how many lanes: lower/ asks it for each kernel, and objects
// for their variants. `kernc run` takes vectors twice as long where a launch fills them (run/execute.cpp).
#include "compiler/analysis/threads/kernel_lanes.h"

#include "compiler/analysis/threads/waiting.h"
#include "compiler/ir/reachable.h"
#include "compiler/support/limits.h"

namespace kern {

bool uses_warps(const ir::Module& module, const ir::Function& kernel) {
  return ir::has_effects(module, kernel, Effects::Warp);
}

// Code of vectors is several times as long as that of one lane, and what LLVM takes grows with the square: 10
// s for 4,000 statements. The longest kernel of the examples has a hundred.
static constexpr std::size_t most_statements = 2'000;

static bool is_long(const ir::Module& module, const ir::Function& kernel) {
  std::size_t count = 0;
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt&) { ++count; });
  return count > most_statements;
}

LaneFacts kernel_lanes(const ir::Module& module, const ir::Function& kernel, LaneFacts asked) {
  LaneFacts facts = asked;
  if (kernel.meeting == ir::Meeting::Apart) {
    facts.lanes = 1;
  } else if (facts.lanes > 1 && uses_warps(module, kernel)) {
    facts.block_x_multiple = facts.block_x_multiple && facts.lanes == limits::warp_size;
    facts.lanes = limits::warp_size;
    facts.linear_thread_id = true;
  } else if (facts.lanes > 1 && (neighbours_wait(module, kernel) || is_long(module, kernel))) {
    facts.lanes = 1;
  }
  const std::optional<std::array<std::int64_t, 3>>& block = kernel.options.block;
  if (block) facts.block_x_multiple = (*block)[0] % facts.lanes == 0;
  return facts;
}

} // namespace kern
