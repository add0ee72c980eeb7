// Acts on the proofs of analysis/guards.h. Every guard stays in the IR with what became of it; lower/ emits
// the kept ones, and the shadow ones as assertions.
#include "compiler/analysis/guards.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {

static void place_guards(ir::Function& function, const std::vector<GuardProof>& proofs, GuardMode mode) {
  std::size_t next = 0;
  ir::walk(function.body, [&](ir::Stmt& stmt) {
    auto* guard = std::get_if<ir::Guard>(&stmt.node);
    if (!guard) return;
    const GuardProof& proof = proofs[next++];
    bool proved = !proof.proof.empty();
    guard->proof = proved || mode != GuardMode::Off ? proof.proof : "not proved: --guards=off";
    if (proved) guard->state = mode == GuardMode::Shadow ? ir::GuardState::Shadow : ir::GuardState::Proved;
    if (mode == GuardMode::Off) guard->state = ir::GuardState::Proved;
  });
}

void place_guards(ir::Module& module, GuardMode mode) {
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    place_guards(module.functions[i], prove_guards(module, static_cast<ir::FunctionId>(i)), mode);
}

} // namespace kern
