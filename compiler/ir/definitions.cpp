// Two walks: steadiness needs to know of the first statement that assigns a slot whether it is the only one.
#include "compiler/ir/definitions.h"

#include "compiler/ir/walk.h"

namespace kern::ir {

// Returns the slot whose value a proved guard or fit would have read.
static std::optional<SlotId> proved_value(const Stmt& stmt) {
  if (guard_state(stmt) != GuardState::Proved) return std::nullopt;
  const auto* guard = std::get_if<Guard>(&stmt.node);
  return guard ? guard->index.slot : std::get<Fit>(stmt.node).value.slot;
}

Definitions::Definitions(const Function& function) : slots_(function.slots.size()) {
  walk(function.body, [&](const Stmt& stmt) {
    visit_operands(stmt, [&](const Operand& operand) {
      if (operand.slot) ++slots_[index_of(*operand.slot)].reads;
    });
    if (std::optional<SlotId> value = proved_value(stmt)) ++slots_[index_of(*value)].proved;
    visit_results(stmt, [&](SlotId slot) {
      ++slots_[index_of(slot)].writes;
      slots_[index_of(slot)].last = &stmt;
    });
  });
  std::vector<bool> seen(slots_.size());
  for (std::size_t param = 0; param < function.param_count; ++param) seen[param] = slots_[param].writes == 0;
  find_steady(function.body, seen);
}

// `seen` are the slots whose one assignment stands before the statement at hand, where it has run.
void Definitions::find_steady(const Body& body, std::vector<bool>& seen) {
  std::vector<std::size_t> assigned;
  for (const Stmt& stmt : body) {
    visit_operands(stmt, [&](const Operand& operand) {
      if (operand.slot && !seen[index_of(*operand.slot)]) slots_[index_of(*operand.slot)].is_steady = false;
    });
    visit_results(stmt, [&](SlotId slot) {
      if (slots_[index_of(slot)].writes != 1) return;
      seen[index_of(slot)] = true;
      assigned.push_back(index_of(slot));
    });
    visit_bodies(stmt, [&](const Body& inner) { find_steady(inner, seen); });
  }
  for (std::size_t slot : assigned) seen[slot] = false;
}

const Assign* Definitions::sole_assign(SlotId slot) const {
  const Stmt* stmt = sole(slot);
  return stmt ? std::get_if<Assign>(&stmt->node) : nullptr;
}

} // namespace kern::ir
