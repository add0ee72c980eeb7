// Counts that no loop asks for. A vector of them is a division for each lane, which LLVM would take out
// again, in more time than it takes to see that here.
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

namespace {

// The temporaries of a function: how often each is read, and by what each is assigned.
struct Uses {
  std::vector<std::size_t> reads;
  std::vector<const ir::Assign*> assigns;
};

} // namespace

// A temporary is assigned once; without a read its operands are read once less.
static void drop(const Lowerer& lower, std::size_t slot, Uses& uses, std::vector<bool>& unused) {
  bool temp = lower.ir.slots[slot].kind == ir::Slot::Kind::Temp;
  if (unused[slot] || !temp || !uses.assigns[slot] || uses.reads[slot] > 0) return;
  unused[slot] = true;
  ir::visit_operands(uses.assigns[slot]->value, [&](const ir::Operand& operand) {
    if (!operand.slot) return;
    --uses.reads[static_cast<std::size_t>(*operand.slot)];
    drop(lower, static_cast<std::size_t>(*operand.slot), uses, unused);
  });
}

void find_unused(Lowerer& lower) {
  Uses uses{ir::count_reads(lower.ir), std::vector<const ir::Assign*>(lower.slots.size())};
  std::vector<std::size_t> counts;
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node))
      uses.assigns[static_cast<std::size_t>(assign->slot)] = assign;
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    if (!loop || !loop->count.slot || !counts_by_distance(lower, *loop)) return;
    counts.push_back(static_cast<std::size_t>(*loop->count.slot));
    --uses.reads[counts.back()];
  });
  lower.lanes.unused.assign(lower.slots.size(), false);
  for (std::size_t count : counts) drop(lower, count, uses, lower.lanes.unused);
}

} // namespace kern::lowering
