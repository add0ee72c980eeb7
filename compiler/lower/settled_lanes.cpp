// Slots whose assignments need not keep what other lanes had. An assignment under a mask must, where a lane
// that is not active may yet read the slot: but a variable of the body of an `if`, or of a loop, is mostly
// used nowhere else, and then all lanes that will ever read what stands in it are active when it is assigned.
#include "compiler/analysis/assignment.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

namespace {

// A body that not all lanes which come to its statement enter together; 0 is the function's.
using Part = std::size_t;

class Finder {
public:
  explicit Finder(const Lowerer& lower) : lower_(lower), homes_(lower.slots.size()) {
    // Parameters are assigned before everything.
    for (std::size_t slot = 0; slot < lower.ir.param_count; ++slot) homes_[slot] = Part{0};
  }

  std::vector<bool> run() {
    visit(lower_.ir.body, 0);
    auto unset = find_unset_reads(lower_.ir);
    std::vector<bool> settled(homes_.size(), true);
    for (auto [slot, part] : writes_) {
      // In the function's own body those that are not active have left. Elsewhere a lane that has gone on to
      // the next turn of a loop, or comes back to it, must find nothing there that it still needs.
      bool at_home = part == *homes_[slot] && (part == 0 || !unset[slot]);
      settled[slot] = settled[slot] && at_home;
    }
    return settled;
  }

private:
  bool parts_lanes(const ir::Stmt& stmt) const {
    if (const auto* branch = std::get_if<ir::If>(&stmt.node)) return is_varying(lower_, branch->condition);
    bool loop = std::holds_alternative<ir::For>(stmt.node) || std::holds_alternative<ir::While>(stmt.node);
    return loop && is_divergent_loop(lower_, stmt);
  }

  // The innermost part that holds both; an outer one has a lower number.
  Part common(Part left, Part right) const {
    while (left != right) (left > right ? left : right) = outer_[std::max(left, right)];
    return left;
  }

  void see(ir::SlotId id, Part part) {
    std::optional<Part>& home = homes_[static_cast<std::size_t>(id)];
    home = home ? common(*home, part) : part;
  }

  void see_written(ir::SlotId id, Part part) {
    see(id, part);
    writes_.emplace_back(static_cast<std::size_t>(id), part);
  }

  void visit(const ir::Body& body, Part part) {
    for (const ir::Stmt& stmt : body) {
      ir::visit_operands(stmt, [&](const ir::Operand& operand) {
        if (operand.slot) see(*operand.slot, part);
      });
      // A `for` assigns its variable in its body.
      const auto* loop = std::get_if<ir::For>(&stmt.node);
      if (!loop) ir::visit_results(stmt, [&](ir::SlotId slot) { see_written(slot, part); });
      bool parts = parts_lanes(stmt);
      ir::visit_bodies(stmt, [&](const ir::Body& inner) {
        if (parts) outer_.push_back(part);
        Part inside = parts ? outer_.size() - 1 : part;
        if (loop) see_written(loop->variable, inside);
        visit(inner, inside);
      });
    }
  }

  const Lowerer& lower_;
  std::vector<Part> outer_{0};             // by part
  std::vector<std::optional<Part>> homes_; // by slot: the innermost that holds every use
  std::vector<std::pair<std::size_t, Part>> writes_;
};

} // namespace

void find_settled(Lowerer& lower) { lower.lanes.settled = Finder(lower).run(); }

} // namespace kern::lowering
