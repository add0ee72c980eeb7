// A slot used in one segment only stays inside it, unless the segment runs again and may read the slot before
// it assigns it.
#include "compiler/analysis/flow/crossing.h"

#include "compiler/analysis/flow/assignment.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"

namespace kern {
namespace {

class Finder {
public:
  explicit Finder(const ir::Function& function)
      : function_(function), unset_(find_unset_reads(function)), seen_in_(function.slots.size(), unseen),
        crossing_(function.slots.size()), definitions_(function) {}

  std::vector<bool> run() {
    visit(function_.body, outside, false);
    return std::move(crossing_);
  }

private:
  static constexpr int unseen = -1, outside = 0;

  void see(ir::SlotId id, int place, bool in_loop) {
    const auto index = static_cast<std::size_t>(id);
    const bool param = function_.slots[index].kind == ir::Slot::Kind::Param;
    if (param && definitions_.writes(id) == 0) return;
    int& seen = seen_in_[index];
    if (seen == unseen) seen = place;
    if (place == outside || seen != place || (in_loop && (param || unset_[index]))) crossing_[index] = true;
  }

  void visit(const ir::Body& body, int place, bool in_loop) {
    for (const ir::Stmt& stmt : body) {
      ir::visit_operands(stmt, [&](const ir::Operand& operand) {
        if (operand.slot) see(*operand.slot, place, in_loop);
      });
      ir::visit_results(stmt, [&](ir::SlotId slot) { see(slot, place, in_loop); });
      const bool loop = ir::is_loop(stmt);
      const int inner = std::holds_alternative<ir::Segment>(stmt.node) ? ++segments_ : place;
      const bool inner_loop = in_loop || (loop && place == outside);
      ir::visit_bodies(stmt, [&](const ir::Body& nested) { visit(nested, inner, inner_loop); });
    }
  }

  const ir::Function& function_;
  std::vector<std::optional<Span>> unset_;
  std::vector<int> seen_in_;
  std::vector<bool> crossing_;
  ir::Definitions definitions_;
  int segments_ = 0;
};

} // namespace

std::vector<bool> find_crossing_slots(const ir::Function& function) { return Finder(function).run(); }

} // namespace kern
