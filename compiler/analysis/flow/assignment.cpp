// A back edge brings at least what is assigned where the loop is entered, so the first round of a loop is its last. That also
// makes the answer one for the innermost body that holds all uses: that body cannot be entered with the variable assigned.
#include "compiler/analysis/flow/assignment.h"

#include "compiler/analysis/flow/walk.h"
#include "compiler/ir/walk.h"

namespace kern {
namespace {

using ir::SlotId;
using ir::Stmt;

// Whether every way to a place assigns a variable.
enum class Assigned : bool { No, Yes };
using Slots = flow::Slots<Assigned>;

class UnsetReads : public flow::Domain<Assigned> {
public:
  std::vector<std::optional<Span>> find(const ir::Function& function) {
    found_.resize(function.slots.size());
    std::vector<Assigned> first;
    for (const ir::Slot& slot : function.slots)
      first.push_back(slot.kind == ir::Slot::Kind::Variable ? Assigned::No : Assigned::Yes);
    // Where that takes too long, everything is read unset.
    const Slots none(first);
    if (!flow::Walk(*this, std::move(first)).run(function.body))
      ir::walk(function.body, [&](const Stmt& stmt) { read(stmt, none); });
    return std::move(found_);
  }

  void transfer(const Stmt& stmt, Slots& slots) {
    read(stmt, slots);
    if (!std::holds_alternative<ir::For>(stmt.node))
      ir::visit_results(stmt, [&](SlotId slot) { assign(slot, slots); });
  }
  static void start_round(const ir::For& loop, Slots& slots) { assign(loop.variable, slots); }

  // Returns what constants say; a body that is never entered is looked at as if it were.
  static std::optional<bool> decide(const Stmt& stmt) {
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    if (branch && !branch->condition.slot) return branch->condition.bits != 0;
    const auto* loop = std::get_if<ir::While>(&stmt.node);
    const auto* counted = std::get_if<ir::For>(&stmt.node);
    const bool is_entered = (loop && !loop->condition.slot && loop->condition.bits) ||
                            (counted && !counted->count.slot && ir::int_value(counted->count) > 0);
    return is_entered ? std::optional(true) : std::nullopt;
  }

  static Assigned join(SlotId, Assigned left, Assigned right) { return std::min(left, right); }
  static Assigned widen(SlotId, Assigned, Assigned now) { return now; }

private:
  static void assign(SlotId slot, Slots& slots) {
    if (slots[slot] == Assigned::No) slots.set(slot, Assigned::Yes);
  }

  void read(const Stmt& stmt, const Slots& slots) {
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (!operand.slot || slots[*operand.slot] == Assigned::Yes) return;
      std::optional<Span>& first = found_[index_of(*operand.slot)];
      if (!first) first = stmt.span;
    });
  }

  std::vector<std::optional<Span>> found_; // by slot
};

} // namespace

std::vector<std::optional<Span>> find_unset_reads(const ir::Function& function) {
  return UnsetReads().find(function);
}

} // namespace kern
