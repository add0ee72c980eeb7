// Acts on the proofs of analysis/guards/guards.h. A select that always goes one way becomes a copy. Every guard and fit
// stays in the IR with what became of it; lower/ emits the kept ones, and the shadow ones as assertions.
#include "compiler/analysis/guards/guards.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

class Placer {
public:
  Placer(GuardProofs proofs, GuardMode mode) : proofs_(std::move(proofs)), mode_(mode) {}

  void place(ir::Body& body) {
    for (std::size_t at = 0; at < body.size(); ++at) {
      auto* guard = std::get_if<ir::Guard>(&body[at].node);
      if (guard && place(*guard)) {
        ir::Stmt assertion = body[at];
        auto& shadow = std::get<ir::Guard>(assertion.node);
        shadow.state = ir::GuardState::Shadow;
        shadow.proof = "the axis has an element";
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(++at), std::move(assertion));
      }
      if (auto* fit = std::get_if<ir::Fit>(&body[at].node)) place(*fit);
      auto* assign = std::get_if<ir::Assign>(&body[at].node);
      if (assign) take_way(*assign);
      ir::visit_bodies(body[at], [&](ir::Body& inner) { place(inner); });
    }
  }

private:
  // Says whether a shadow is to stand behind the guard.
  bool place(ir::Guard& guard) {
    const GuardProof& proof = proofs_.guards[next_guard_++];
    bool proved = !proof.proof.empty(), shadow = mode_ == GuardMode::Shadow;
    if (guard.form != ir::GuardForm::InPlace) {
      guard.state = shadow ? ir::GuardState::Shadow : ir::GuardState::Proved;
      return false;
    }
    guard.proof = proved || mode_ != GuardMode::Off ? proof.proof : "not proved: --guards=off";
    if (proof.fails_if_empty) guard.state = ir::GuardState::Empty;
    if (proved) guard.state = shadow ? ir::GuardState::Shadow : ir::GuardState::Proved;
    if (mode_ == GuardMode::Off) guard.state = ir::GuardState::Proved;
    return guard.state == ir::GuardState::Empty && shadow;
  }

  void place(ir::Fit& fit) {
    const GuardProof& proof = proofs_.guards[next_guard_++];
    if (proof.proof.empty()) return;
    fit.proof = proof.proof;
    fit.state = mode_ == GuardMode::Shadow ? ir::GuardState::Shadow : ir::GuardState::Proved;
  }

  void take_way(ir::Assign& assign) {
    const auto* select = std::get_if<ir::Select>(&assign.value);
    if (!select) return;
    std::optional<bool> way = proofs_.selects[next_select_++];
    if (way) assign.value = ir::Copy{*way ? select->then_value : select->else_value};
  }

  GuardProofs proofs_;
  GuardMode mode_;
  std::size_t next_guard_ = 0, next_select_ = 0;
};

// A value that does not fit goes on with its low bits. So that no proof rests on its test, that goes first.
void drop_fits(ir::Body& body) {
  ir::walk(body, [](ir::Stmt& stmt) {
    auto* fit = std::get_if<ir::Fit>(&stmt.node);
    if (!fit || fit->state != ir::GuardState::Kept) return;
    fit->state = ir::GuardState::Proved;
    fit->proof = "not proved: --guards=off";
  });
}

} // namespace

void place_guards(ir::Module& module, GuardMode mode) {
  if (mode == GuardMode::Off)
    for (ir::Function& function : module.functions) drop_fits(function.body);
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    Placer(prove_guards(module, static_cast<ir::FunctionId>(i)), mode).place(module.functions[i].body);
}

} // namespace kern
