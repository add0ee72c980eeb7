// Lazy predicates: conditions whose mask waits until lanes part. A whole vector asks of `if 0 < i and i < n`
// only whether it holds in all lanes, which two scalars tell: the mask is computed on the way to the masked
// copy. That can be said of a condition which nobody reads but the `if` that follows, with nothing between
// them at which lanes could leave. LLVM does not sink what masks keep in memory: a stencil takes 15 % longer
// without.
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

static bool is_temp(const Lowerer& lower, ir::SlotId slot) {
  return lower.ir.slots[static_cast<std::size_t>(slot)].kind == ir::Slot::Kind::Temp;
}

static bool joins_bools(const ir::Binary& binary) {
  return binary.left.type == types::boolean &&
         (binary.op == ir::BinaryOp::BitAnd || binary.op == ir::BinaryOp::BitOr);
}

// Finds a condition that is assigned among `before`, and what it joins.
static void find_condition(Lowerer& lower, const ir::Operand& condition, std::span<const ir::Stmt> before) {
  if (!condition.slot || lower.definitions.reads(*condition.slot) != 1) return;
  if (!is_varying(lower, condition) || !is_temp(lower, *condition.slot)) return;
  for (const ir::Stmt& stmt : before) {
    const auto& assign = std::get<ir::Assign>(stmt.node);
    if (assign.slot != *condition.slot) continue;
    lower.lanes.lazy_masks[static_cast<std::size_t>(*condition.slot)] = true;
    const auto* joint = std::get_if<ir::Binary>(&assign.value);
    if (!joint || !joins_bools(*joint)) return;
    find_condition(lower, joint->left, before);
    find_condition(lower, joint->right, before);
  }
}

static void find_in(Lowerer& lower, const ir::Body& body) {
  std::size_t first = 0; // of the assignments before a statement
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (std::holds_alternative<ir::Assign>(body[i].node)) continue;
    if (const auto* branch = std::get_if<ir::If>(&body[i].node))
      find_condition(lower, branch->condition, std::span(body).subspan(first, i - first));
    ir::visit_bodies(body[i], [&](const ir::Body& inner) { find_in(lower, inner); });
    first = i + 1;
  }
}

void find_lazy_masks(Lowerer& lower) {
  lower.lanes.lazy_masks.assign(lower.slots.size(), false);
  find_in(lower, lower.ir.body);
}

bool test_is_enough(const Lowerer& lower, ir::SlotId slot) {
  return !lower.lanes.masked && lower.lanes.lazy_masks[static_cast<std::size_t>(slot)] &&
         lower.lanes.tests.contains(slot);
}

} // namespace kern::lowering
