// Conditions whose mask waits until lanes part. A whole vector asks of `if 0 < i and i < n` only whether it
// holds in all lanes, which two scalars tell: the mask is computed on the way to the masked copy. That can be
// said of a condition which nobody reads but the `if` that follows, with nothing between them at which lanes
// could leave.
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

static bool is_temp(const Lowerer& lower, ir::SlotId slot) {
  return lower.ir.slots[static_cast<std::size_t>(slot)].kind == ir::Slot::Kind::Temp;
}

static bool joins_bools(const ir::Binary& binary) {
  return binary.left.type == types::boolean &&
         (binary.op == ir::BinaryOp::BitAnd || binary.op == ir::BinaryOp::BitOr);
}

namespace {

struct Search {
  const Lowerer& lower;
  std::vector<std::size_t> reads; // by slot
  std::vector<bool>& deferred;

  // Defers a condition that is assigned among `before`, and what it joins.
  void defer(const ir::Operand& condition, std::span<const ir::Stmt> before) {
    if (!condition.slot || reads[static_cast<std::size_t>(*condition.slot)] != 1) return;
    if (!is_varying(lower, condition) || !is_temp(lower, *condition.slot)) return;
    for (const ir::Stmt& stmt : before) {
      const auto& assign = std::get<ir::Assign>(stmt.node);
      if (assign.slot != *condition.slot) continue;
      deferred[static_cast<std::size_t>(*condition.slot)] = true;
      const auto* joint = std::get_if<ir::Binary>(&assign.value);
      if (!joint || !joins_bools(*joint)) return;
      defer(joint->left, before);
      defer(joint->right, before);
    }
  }

  void search(const ir::Body& body) {
    std::size_t first = 0; // of the assignments before a statement
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (std::holds_alternative<ir::Assign>(body[i].node)) continue;
      if (const auto* branch = std::get_if<ir::If>(&body[i].node))
        defer(branch->condition, std::span(body).subspan(first, i - first));
      ir::visit_bodies(body[i], [&](const ir::Body& inner) { search(inner); });
      first = i + 1;
    }
  }
};

} // namespace

void find_deferred(Lowerer& lower) {
  lower.lanes.deferred.assign(lower.slots.size(), false);
  Search{lower, ir::count_reads(lower.ir), lower.lanes.deferred}.search(lower.ir.body);
}

} // namespace kern::lowering
