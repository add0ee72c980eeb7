// A kernel whose threads do not ask which block they are in may run rows of several blocks as one.
#include "compiler/analysis/threads/rows.h"

#include "compiler/analysis/threads/row_values.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

// Asking whether the launch is to end is no word to other threads.
static bool is_effect(const ir::Stmt& stmt) {
  const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
  return call && call->builtin != Builtin::GoesOn;
}

bool has_independent_rows(const ir::Module& module, const ir::Function& kernel) {
  return !ir::any_reachable(module, kernel.body, [](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    return (assign && std::holds_alternative<ir::SharedArray>(assign->value)) ||
           std::holds_alternative<ir::Atomic>(stmt.node) || is_effect(stmt) ||
           std::holds_alternative<ir::Print>(stmt.node);
  });
}

bool shares_rows(const ir::Function& kernel) {
  return !ir::any(kernel.body, [](const ir::Stmt& stmt) {
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    return (loop && loop->count.slot) || std::holds_alternative<ir::While>(stmt.node) ||
           std::holds_alternative<ir::Call>(stmt.node);
  });
}

// Whether a value is a part of the sum that says which block of a row of blocks a thread is in.
static bool is_own(GridPart part) {
  return part == GridPart::Thread || part == GridPart::Block || part == GridPart::FirstOfBlock ||
         part == GridPart::InWarp;
}

// Parts may be read for the sum only: asked once all are known, since in a loop a statement reads what those
// below it assign.
bool sees_grid_only(const ir::Function& kernel) {
  RowValues values(kernel);
  ir::walk(kernel.body, [&](const ir::Stmt& stmt) {
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) values.see(*assign);
  });
  return !ir::any(kernel.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (assign && values.of({types::error, assign->slot, 0}).part != GridPart::Other) return false;
    bool uses = assign && is_own(values.of(assign->value).part);
    ir::visit_operands(stmt,
                       [&](const ir::Operand& operand) { uses = uses || is_own(values.of(operand).part); });
    return uses;
  });
}

// A small grid: so many threads have numbers of 32 bits.
bool joins_blocks(const ir::Module& module, const ir::Function& kernel, const LaneFacts& facts) {
  return facts.lanes > 1 && !facts.linear_thread_id && facts.small_grid &&
         has_independent_rows(module, kernel) && shares_rows(kernel) && sees_grid_only(kernel);
}

} // namespace kern
