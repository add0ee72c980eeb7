// Variables of a loop that lanes leave one by one. Its assignments change all lanes, also those that are out:
// these compute on with what nobody asks for, and what each had when it left is kept apart. Chosen in the
// variable itself, each iteration would wait for the comparisons of the one before, which take as long as
// its arithmetic (the Mandelbrot set: half of the time).
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// How often each slot is assigned by statements of a loop's own bodies, and anywhere in it.
struct Assigned {
  std::vector<std::size_t> directly, anywhere;
};

static Assigned count_assigned(const Lowerer& lower, const ir::Stmt& loop) {
  Assigned assigned{std::vector<std::size_t>(lower.slots.size()),
                    std::vector<std::size_t>(lower.slots.size())};
  ir::visit_bodies(loop, [&](const ir::Body& body) {
    for (const ir::Stmt& stmt : body)
      if (const auto* assign = std::get_if<ir::Assign>(&stmt.node))
        ++assigned.directly[static_cast<std::size_t>(assign->slot)];
    ir::walk(body, [&](const ir::Stmt& stmt) {
      ir::visit_results(stmt, [&](ir::SlotId slot) { ++assigned.anywhere[static_cast<std::size_t>(slot)]; });
    });
  });
  return assigned;
}

// Whether a statement computes with floats what takes longer where they are tiny, infinite or no numbers: a
// division, a root, a function.
static bool computes_slowly(const Lowerer& lower, const ir::Stmt& stmt) {
  if (std::holds_alternative<ir::Call>(stmt.node)) return true;
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  if (!assign || !is_float(lower.ir.slots[static_cast<std::size_t>(assign->slot)].type)) return false;
  if (const auto* binary = std::get_if<ir::Binary>(&assign->value))
    return binary->op == ir::BinaryOp::Divide || binary->op == ir::BinaryOp::FloorDivide ||
           binary->op == ir::BinaryOp::Modulo;
  const auto* call = std::get_if<ir::CallPure>(&assign->value);
  return call && call->builtin != Builtin::Min && call->builtin != Builtin::Max &&
         call->builtin != Builtin::Abs;
}

// Loops with such statements mostly converge, and lanes that are out go on into denormals, of which each
// operation takes a hundred cycles: Newton's iteration took three to six times as long.
static bool converges(const Lowerer& lower, const ir::Stmt& loop) {
  bool slow = false;
  ir::visit_bodies(loop, [&](const ir::Body& body) {
    ir::walk(body, [&](const ir::Stmt& stmt) { slow = slow || computes_slowly(lower, stmt); });
  });
  return slow;
}

static bool can_run_on(const Lowerer& lower, std::size_t slot) {
  const ir::Slot& variable = lower.ir.slots[slot];
  return variable.kind == ir::Slot::Kind::Variable && slot >= lower.ir.param_count &&
         (is_integer(variable.type) || is_float(variable.type)) && !lower.slots[slot].crosses &&
         lower.slots[slot].cells[0].shape.kind == Shape::Kind::Varying;
}

static void copy(Lowerer& lower, const Cell& cell, llvm::Value* from, llvm::Value* to) {
  lower.builder.CreateStore(lower.builder.CreateLoad(cell.type, from), to);
}

std::vector<ir::SlotId> begin_running_on(Lowerer& lower, const ir::Stmt& loop) {
  std::vector<ir::SlotId> variables;
  // A lane that waits for the next iteration will need what it had.
  if (lower.shapes.control(loop).varying_continue || converges(lower, loop)) return variables;
  Assigned assigned = count_assigned(lower, loop);
  for (std::size_t slot = 0; slot < lower.slots.size(); ++slot) {
    auto id = static_cast<ir::SlotId>(slot);
    if (assigned.directly[slot] == 0 || assigned.directly[slot] != assigned.anywhere[slot]) continue;
    if (!can_run_on(lower, slot)) continue;
    const Cell& cell = lower.slots[slot].cells[0];
    llvm::Value*& kept = lower.lanes.kept_places[{&loop, id}];
    if (!kept) kept = entry_alloca(lower, cell.type, "kept");
    copy(lower, cell, cell.pointer, kept);
    lower.lanes.kept[id] = kept;
    lower.hidden_slots.insert(id);
    variables.push_back(id);
  }
  return variables;
}

void end_running_on(Lowerer& lower, const std::vector<ir::SlotId>& variables) {
  for (ir::SlotId id : variables) {
    const Cell& cell = lower.slots[static_cast<std::size_t>(id)].cells[0];
    copy(lower, cell, lower.lanes.kept.at(id), cell.pointer);
    lower.lanes.kept.erase(id);
  }
}

} // namespace kern::lowering
