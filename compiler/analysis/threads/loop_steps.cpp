// Only what stands in the loop's own body is a step: under a condition some lanes may take it and others not.
#include "compiler/analysis/threads/loop_steps.h"

#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"

namespace kern {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;

// A bound on how far a step is followed: `gridsize(1) // 32` is six assignments deep.
static constexpr int most_depth = 12;

LoopSteps::LoopSteps(const ir::Function& function, const Stmt& loop) : function_(function) {
  const auto note = [&](const Stmt& stmt) {
    ir::visit_results(stmt, [&](SlotId slot) { ++assignments_[slot]; });
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) values_[assign->slot] = assign;
    is_whole_ = is_whole_ && !std::holds_alternative<ir::Continue>(stmt.node);
  };
  ir::visit_results(loop, [&](SlotId slot) { ++assignments_[slot]; });
  ir::visit_bodies(loop, [&](const ir::Body& body) {
    ir::walk(body, note);
    scan(body);
  });
}

// Returns the assignment of a temporary, which is the only one; null of anything else.
const ir::Assign* LoopSteps::temporary(const Operand& operand) const {
  const auto value = operand.slot ? values_.find(*operand.slot) : values_.end();
  const bool is_one = value != values_.end() && assignments_.at(*operand.slot) == 1 &&
                      function_.slots[static_cast<std::size_t>(*operand.slot)].kind == ir::Slot::Kind::Temp;
  return is_one ? value->second : nullptr;
}

// Returns what a value was before temporaries made it narrower or wider: `i += 1` of an i32 adds in 64 bits, and is checked.
Operand LoopSteps::source(Operand operand) const {
  for (int depth = 0; depth < most_depth; ++depth) {
    const ir::Assign* assign = temporary(operand);
    const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    if (!convert || !is_integer(operand.type) || !is_integer(convert->value.type)) break;
    operand = convert->value;
  }
  return operand;
}

// Returns the sum or difference that an assignment stores, before it was made narrower.
const ir::Binary* LoopSteps::sum_of(const ir::Assign& assign) const {
  const ir::Expr* expr = &assign.value;
  if (const auto* convert = std::get_if<ir::Convert>(expr)) {
    const Operand from = source(convert->value);
    const ir::Assign* made = is_integer(from.type) ? temporary(from) : nullptr;
    if (!made) return nullptr;
    expr = &made->value;
  }
  const auto* sum = std::get_if<ir::Binary>(expr);
  return sum && (sum->op == ir::BinaryOp::Add || sum->op == ir::BinaryOp::Subtract) ? sum : nullptr;
}

void LoopSteps::scan(const ir::Body& body) {
  for (const Stmt& stmt : body) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const ir::Binary* sum = assign ? sum_of(*assign) : nullptr;
    if (!sum) continue;
    if (source(sum->left).slot == assign->slot)
      steps_[assign->slot].push_back({sum->right});
    else if (sum->op == ir::BinaryOp::Add && source(sum->right).slot == assign->slot)
      steps_[assign->slot].push_back({sum->left});
  }
}

bool LoopSteps::adds_only(SlotId slot) const {
  const auto count = assignments_.find(slot);
  return is_whole_ && count != assignments_.end() && count->second == of(slot).size();
}

const std::vector<LoopSteps::Step>& LoopSteps::of(SlotId slot) const {
  static const std::vector<Step> none;
  const auto found = steps_.find(slot);
  return found == steps_.end() ? none : found->second;
}

std::optional<LaneForm> LoopSteps::form(const LaneForms& forms, const Operand& operand, const Known& known,
                                        int depth) const {
  if (!operand.slot || !assignments_.contains(*operand.slot)) return known(operand);
  const auto count = assignments_.find(*operand.slot);
  const auto value = values_.find(*operand.slot);
  if (depth > most_depth || count->second != 1 || value == values_.end()) return std::nullopt;
  const auto& declaration = function_.slots[static_cast<std::size_t>(*operand.slot)];
  // A variable may be read before its assignment, and hold what another round left.
  if (declaration.kind != ir::Slot::Kind::Temp) return std::nullopt;
  const auto lookup = [&](const Operand& inner) { return form(forms, inner, known, depth + 1); };
  std::optional<LaneForm> result = forms.evaluate(value->second->value, declaration.type, lookup);
  const auto* call = std::get_if<ir::CallPure>(&value->second->value);
  const Effects effects = call ? row(call->builtin).effects : Effects::Thread;
  const bool is_same =
      call && call->args.empty() && (effects == Effects::PerBlock || effects == Effects::Pure);
  return !result && is_same ? std::optional(LaneForms::same()) : result;
}

} // namespace kern
