// One walk in program order with the set of variables that are assigned on every path so far. A body's
// assignments are kept on a stack and taken back at its end, so that merging two bodies costs what they
// assigned, not what there is.
//
// A back edge brings at least what the loop's entry has, so no iteration to a fixpoint is needed. It also
// makes the answer one for the innermost body that holds all uses: that body cannot be entered with the
// variable assigned.
#include "compiler/analysis/assignment.h"

#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {
namespace {

using ir::Body;
using ir::SlotId;
using ir::Stmt;

// Past so many steps of merging the breaks of loops, a loop counts as assigning nothing: a bound on hostile
// input.
constexpr std::size_t merge_budget = 50'000'000;

class Walker {
public:
  explicit Walker(const ir::Function& function)
      : function_(function), assigned_(function.slots.size()), unset_(function.slots.size()) {
    for (std::size_t i = 0; i < function.slots.size(); ++i)
      assigned_[i] = function.slots[i].kind != ir::Slot::Kind::Variable;
  }

  std::vector<std::optional<Span>> run() {
    visit(function_.body);
    return std::move(unset_);
  }

private:
  // The slots that a path has assigned since some point; a path that never gets here has assigned everything.
  struct Outcome {
    bool reached = true;
    std::vector<SlotId> slots;
  };
  struct Loop {
    std::size_t entry;       // the height of the stack
    bool continue_leaves;    // the loop's end is one of its exits
    Outcome exit{false, {}}; // over all exits so far
  };

  char& assigned(SlotId slot) { return assigned_[static_cast<std::size_t>(slot)]; }

  void assign(SlotId slot) {
    if (assigned(slot)) return;
    assigned(slot) = true;
    stack_.push_back(slot);
  }

  // Takes back what was assigned since the stack had that height, and returns it.
  Outcome take_back(std::size_t height) {
    Outcome outcome{reached_, {stack_.begin() + static_cast<std::ptrdiff_t>(height), stack_.end()}};
    for (SlotId slot : outcome.slots) assigned(slot) = false;
    stack_.resize(height);
    reached_ = true;
    return outcome;
  }

  // Goes on after two paths met.
  void join(const Outcome& first, const Outcome& second) {
    reached_ = first.reached || second.reached;
    if (!first.reached || !second.reached) {
      for (SlotId slot : (first.reached ? first : second).slots) assign(slot);
      return;
    }
    for (SlotId slot : second.slots) assigned(slot) = true;
    std::vector<SlotId> both;
    for (SlotId slot : first.slots)
      if (assigned(slot)) both.push_back(slot);
    for (SlotId slot : second.slots) assigned(slot) = false;
    for (SlotId slot : both) assign(slot);
  }

  // Joins the present path into what leaves the loop.
  void leave(Loop& loop) {
    if (!reached_) return;
    if (!loop.exit.reached) {
      loop.exit = {true, {stack_.begin() + static_cast<std::ptrdiff_t>(loop.entry), stack_.end()}};
      return;
    }
    merged_ += loop.exit.slots.size();
    if (merged_ > merge_budget) loop.exit.slots.clear();
    std::erase_if(loop.exit.slots, [&](SlotId slot) { return !assigned(slot); });
  }

  void read(const ir::Operand& operand, Span span) {
    if (!operand.slot || !reached_ || assigned(*operand.slot)) return;
    std::optional<Span>& first = unset_[static_cast<std::size_t>(*operand.slot)];
    if (!first) first = span;
  }

  void visit(const Body& body) {
    for (const Stmt& stmt : body) visit(stmt);
  }

  void visit(const Stmt& stmt) {
    const auto* loop = std::get_if<ir::While>(&stmt.node);
    if (!loop) ir::visit_operands(stmt, [&](const ir::Operand& operand) { read(operand, stmt.span); });
    match(
        stmt.node, [&](const ir::If& node) { visit_if(node); },
        [&](const ir::While& node) { visit_while(node, stmt.span); },
        [&](const ir::For& node) { visit_for(node); },
        [&](const ir::Break&) { leave(loops_.back()), reached_ = false; },
        [&](const ir::Continue&) {
          if (loops_.back().continue_leaves) leave(loops_.back());
          reached_ = false;
        },
        [&](const ir::Return&) { reached_ = false; }, [&](const ir::Segment& node) { visit(node.body); },
        [&](const auto&) { ir::visit_results(stmt, [&](SlotId slot) { assign(slot); }); });
  }

  void visit_if(const ir::If& node) {
    if (!node.condition.slot) return visit(node.condition.bits ? node.then_body : node.else_body);
    const bool reached = reached_;
    const std::size_t height = stack_.size();
    visit(node.then_body);
    Outcome then_outcome = take_back(height);
    reached_ = reached;
    visit(node.else_body);
    Outcome else_outcome = take_back(height);
    join(then_outcome, else_outcome);
  }

  void visit_while(const ir::While& node, Span span) {
    const bool reached = reached_;
    loops_.push_back({stack_.size(), false});
    visit(node.head);
    read(node.condition, span);
    if (node.condition.slot || !node.condition.bits) leave(loops_.back());
    visit(node.body);
    end_loop(reached);
  }

  void visit_for(const ir::For& node) {
    const bool reached = reached_;
    const bool runs = !node.count.slot && ir::int_value(node.count) > 0;
    loops_.push_back({stack_.size(), runs});
    if (!runs) leave(loops_.back());
    assign(node.variable);
    visit(node.body);
    if (runs) leave(loops_.back());
    end_loop(reached);
  }

  void end_loop(bool reached) {
    take_back(loops_.back().entry);
    Outcome exit = std::move(loops_.back().exit);
    loops_.pop_back();
    reached_ = reached && exit.reached;
    for (SlotId slot : exit.slots) assign(slot);
  }

  const ir::Function& function_;
  std::vector<char> assigned_; // not bool: it is written through references
  std::vector<std::optional<Span>> unset_;
  std::vector<SlotId> stack_;
  std::vector<Loop> loops_;
  std::size_t merged_ = 0;
  bool reached_ = true;
};

} // namespace

std::vector<std::optional<Span>> find_unset_reads(const ir::Function& function) {
  return Walker(function).run();
}

} // namespace kern
