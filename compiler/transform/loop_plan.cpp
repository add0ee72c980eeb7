// A hoisted test only has to be sufficient, since the loop as it was written runs where it fails: any loop may
// hoist. To defer, a copy that has met something bad must still end, soon, with nothing done that others see.
//
// Values behind a deferred guard, fit or check are `tainted`: they may be of element 0, or low bits. No break and no
// trip count may depend on one. Nor may an inner loop go round as often as some number of memory says, unless a hoisted guard
// bounds that: behind a deferred guard such a number has not been tested yet.
#include "compiler/transform/loop_plan.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/transform/affine_index.h"

namespace kern {

namespace {

using ir::Body;
using ir::Guard;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

std::size_t nesting_of(const Stmt& stmt) {
  std::size_t depth = 0;
  ir::visit_bodies(stmt, [&](const Body& body) {
    for (const Stmt& inner : body) depth = std::max(depth, 1 + nesting_of(inner));
  });
  return depth;
}

// Says whether a statement, inner ones apart, may be in a loop that defers.
bool only_reads(const Stmt& stmt) {
  if (const auto* load = std::get_if<ir::Load>(&stmt.node)) return !load->is_polled;
  // `raise` is a check of a constant.
  if (const auto* check = std::get_if<ir::Check>(&stmt.node))
    return check->condition.slot && !check->contract;
  if (const auto* fit = std::get_if<ir::Fit>(&stmt.node)) return fit->value.slot.has_value();
  if (const auto* assign = std::get_if<ir::Assign>(&stmt.node))
    return !std::holds_alternative<ir::LocalArray>(assign->value);
  return std::holds_alternative<Guard>(stmt.node) || std::holds_alternative<ir::If>(stmt.node) ||
         std::holds_alternative<ir::For>(stmt.node) || std::holds_alternative<ir::Break>(stmt.node) ||
         std::holds_alternative<ir::Continue>(stmt.node);
}

bool leaves_round(const Stmt& stmt) {
  return std::holds_alternative<ir::Break>(stmt.node) || std::holds_alternative<ir::Continue>(stmt.node) ||
         std::holds_alternative<ir::Return>(stmt.node);
}

class Planner {
public:
  Planner(const ir::Function& function, const ir::Definitions& definitions, const Stmt& loop,
          const IsWanted& is_wanted)
      : function_(function), definitions_(definitions), loop_(loop), is_wanted_(is_wanted),
        assigned_(assigned_slots(loop)) {}

  std::optional<LoopPlan> plan() {
    if (!fits()) return std::nullopt;
    const bool defers =
        !ir::any(loop_, [](const Stmt& stmt) { return !only_reads(stmt); }) && plan_deferral();
    if (defers || plan_hoisting()) return std::move(plan_);
    return std::nullopt;
  }

private:
  bool is_wanted(const Stmt& stmt) const {
    const auto* guard = std::get_if<Guard>(&stmt.node);
    return guard && is_wanted_(guard->site, guard->axis);
  }

  bool is_wanted_fit(const Stmt& stmt) const {
    const auto* fit = std::get_if<ir::Fit>(&stmt.node);
    return fit && is_wanted_(fit->site, 0);
  }

  bool fits() const {
    std::size_t statements = 0;
    bool has_wanted = false, has_collective = false;
    ir::any(loop_, [&](const Stmt& stmt) {
      // A program has more or fewer fits by the types that it declares.
      statements += std::holds_alternative<ir::Fit>(stmt.node) ? 0 : 1;
      has_wanted = has_wanted || is_wanted(stmt) || is_wanted_fit(stmt);
      // Threads of a warp that take different copies would come to different ones of them.
      // (Whether the launch is to end they may ask anywhere.)
      const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
      has_collective = has_collective || (call && call->builtin != Builtin::GoesOn) ||
                       std::holds_alternative<ir::Segment>(stmt.node);
      return has_collective || statements > limits::copied_statements;
    });
    return has_wanted && !has_collective && statements <= limits::copied_statements &&
           nesting_of(loop_) <= limits::copied_nesting;
  }

  // ---- Hoisting ----

  // Gathers the wanted guards that every round of a loop comes to.
  void hoist(const Stmt& loop) {
    AffineIndexes indices(function_, definitions_, loop);
    for (const Stmt& stmt : std::get<ir::For>(loop.node).body) {
      if (ir::any(stmt, leaves_round)) return;
      if (!is_wanted(stmt)) continue;
      const auto& guard = std::get<Guard>(stmt.node);
      const Operand index = from_start(guard);
      const AffineIndexes::Kind kind = indices.kind(index);
      if (kind == AffineIndexes::Kind::Other || !indices.is_fixed(guard.array)) continue;
      plan_.hoisted[&loop].push_back(&guard);
      plan_.indices.emplace(&guard, index);
      if (kind == AffineIndexes::Kind::Affine) bounded_.insert(&loop);
    }
  }

  Operand from_start(const Guard& guard) const {
    auto is_stable = [&](SlotId slot) { return !assigned_.contains(slot) || counters_.contains(slot); };
    return index_from_start(guard.index, definitions_, is_stable);
  }

  // Notes counters that their loops leave alone, among them one that several loops use.
  void find_counters() {
    std::unordered_set<SlotId> changed;
    auto look = [&](const Stmt& stmt) {
      if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
        counters_.insert(loop->variable);
        if (ir::assigns(loop->body, loop->variable)) changed.insert(loop->variable);
      } else {
        ir::visit_results(stmt, [&](SlotId slot) { changed.insert(slot); });
      }
      return false;
    };
    ir::any(loop_, look);
    for (SlotId slot : changed) counters_.erase(slot);
  }

  bool plan_hoisting() {
    plan_ = {};
    find_counters();
    const Body& body = std::get<ir::For>(loop_.node).body;
    // The copy is for the hot loop, and that is an inner one.
    const bool inner_wants = std::ranges::any_of(body, [&](const Stmt& stmt) {
      return ir::any(stmt, [&](const Stmt& inner) {
        return ir::is_loop(inner) && ir::any(inner, [&](const Stmt& each) { return is_wanted(each); });
      });
    });
    if (!inner_wants) hoist(loop_);
    return !plan_.hoisted.empty();
  }

  // ---- Deferral ----

  bool plan_deferral() {
    plan_.defers = true;
    find_counters();
    ir::any(loop_, [&](const Stmt& stmt) {
      if (std::holds_alternative<ir::For>(stmt.node)) hoist(stmt);
      return false;
    });
    if (!match_guards(std::get<ir::For>(loop_.node).body, {})) return false;
    ir::any(loop_, [&](const Stmt& stmt) {
      if (is_wanted(stmt)) {
        const auto& guard = std::get<Guard>(stmt.node);
        const bool is_named_before = !assigned_.contains(*guard.array.slot);
        if (!plan_.is_hoisted(guard)) is_sound_ = is_sound_ && is_named_before;
        plan_.indices.emplace(&guard, from_start(guard));
      }
      has_checks_ = has_checks_ || std::holds_alternative<ir::Check>(stmt.node) || is_wanted_fit(stmt);
      return false;
    });
    return is_sound_ && ends();
  }

  // Finds the guards of each load: the last ones before it of the same array, axis and index. An access without
  // them is not understood.
  bool match_guards(const Body& body, std::vector<const Guard*> open) {
    auto close = [&](const Stmt& stmt) {
      ir::visit_results(stmt, [&](SlotId slot) {
        std::erase_if(
            open, [&](const Guard* guard) { return guard->index.slot == slot || guard->array.slot == slot; });
      });
    };
    for (const Stmt& stmt : body) {
      if (const auto* guard = std::get_if<Guard>(&stmt.node)) open.push_back(guard);
      if (const auto* load = std::get_if<ir::Load>(&stmt.node)) {
        for (std::size_t axis = 0; axis < load->indices.size(); ++axis) {
          const Guard* guard = find_guard(open, load->array, axis, load->indices[axis]);
          if (!guard) return false;
          plan_.loads[load].push_back(guard);
        }
      }
      if (const auto* assign = std::get_if<ir::Assign>(&stmt.node))
        if (const auto* view = std::get_if<ir::View>(&assign->value); view && !is_proved(*view, open))
          return false;
      // An earlier round of a loop may have assigned whatever an inner body assigns.
      ir::any(stmt, [&](const Stmt& inner) { return close(inner), false; });
      bool understood = true;
      ir::visit_bodies(stmt,
                       [&](const Body& inner) { understood = understood && match_guards(inner, open); });
      if (!understood) return false;
    }
    return true;
  }

  // Returns the array whose guards stand before an access: that of the parts of complex elements is the whole.
  Operand guarded_array(const Operand& array) const {
    const ir::Assign* made = definitions_.sole_assign(*array.slot);
    const auto* view = made ? std::get_if<ir::View>(&made->value) : nullptr;
    return view && view->part ? view->array : array;
  }

  const Guard* find_guard(const std::vector<const Guard*>& open, const Operand& access, std::size_t axis,
                          const Operand& index) const {
    const Operand array = guarded_array(access);
    auto found = std::find_if(open.rbegin(), open.rend(), [&](const Guard* guard) {
      return (guard->array == access || guard->array == array) && guard->axis == static_cast<int>(axis) &&
             guard->index == index;
    });
    return found == open.rend() ? nullptr : *found;
  }

  // A view keeps its guards.
  bool is_proved(const ir::View& view, const std::vector<const Guard*>& open) const {
    for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
      if (view.axes[axis].kind != ir::ViewAxis::Kind::Index) continue;
      const Guard* guard = find_guard(open, view.array, axis, view.axes[axis].start);
      if (!guard || is_wanted_(guard->site, guard->axis)) return false;
    }
    return true;
  }

  // ---- Whether the copy ends ----

  bool is_tainted(const Operand& operand) const { return operand.slot && tainted_.contains(*operand.slot); }

  bool reads_tainted(const Stmt& stmt) const {
    bool found = false;
    ir::visit_operands(stmt, [&](const Operand& operand) { found = found || is_tainted(operand); });
    return found;
  }

  bool takes_low_bits(const Stmt& stmt) const {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    return convert && convert->value.slot && unfit_.contains(*convert->value.slot);
  }

  bool is_deferred(const ir::Load& load) const {
    return std::ranges::any_of(plan_.loads.at(&load), [&](const Guard* guard) {
      return is_wanted_(guard->site, guard->axis) && !plan_.is_hoisted(*guard);
    });
  }

  // Spreads taint until nothing changes.
  bool ends() {
    const Body& body = std::get<ir::For>(loop_.node).body;
    for (std::size_t before = SIZE_MAX; before != tainted_.size() + loaded_.size();) {
      before = tainted_.size() + loaded_.size();
      spread(body, false);
    }
    return is_sound_;
  }

  void spread(const Body& body, bool is_controlled) {
    for (const Stmt& stmt : body) {
      const auto* load = std::get_if<ir::Load>(&stmt.node);
      if (is_wanted_fit(stmt)) unfit_.insert(*std::get<ir::Fit>(stmt.node).value.slot);
      const bool taints =
          is_controlled || reads_tainted(stmt) || (load && is_deferred(*load)) || takes_low_bits(stmt);
      bool is_loaded = load != nullptr;
      ir::visit_operands(stmt, [&](const Operand& operand) {
        is_loaded = is_loaded || (operand.slot && loaded_.contains(*operand.slot));
      });
      ir::visit_results(stmt, [&](SlotId slot) {
        if (taints) tainted_.insert(slot);
        if (is_loaded) loaded_.insert(slot);
      });
      if (leaves_round(stmt) && is_controlled) leave_round(stmt);
      if (std::holds_alternative<ir::For>(stmt.node)) check_count(stmt);
      const bool decides = std::holds_alternative<ir::If>(stmt.node) && taints;
      ir::visit_bodies(stmt, [&](const Body& inner) { spread(inner, is_controlled || decides); });
    }
  }

  // Behind a tainted `continue` everything may be as an earlier round left it.
  void leave_round(const Stmt& stmt) {
    if (std::holds_alternative<ir::Break>(stmt.node)) is_sound_ = false;
    is_sound_ = is_sound_ && !ir::any(loop_, [](const Stmt& inner) {
                  return std::holds_alternative<ir::Break>(inner.node);
                });
    tainted_.insert(assigned_.begin(), assigned_.end());
  }

  void check_count(const Stmt& stmt) {
    const auto& loop = std::get<ir::For>(stmt.node);
    if (reads_tainted(stmt)) is_sound_ = false;
    const bool is_loaded = loop.count.slot && loaded_.contains(*loop.count.slot);
    if ((is_loaded || (has_checks_ && loop.count.slot)) && !bounded_.contains(&stmt)) is_sound_ = false;
  }

  const ir::Function& function_;
  const ir::Definitions& definitions_;
  const Stmt& loop_;
  const IsWanted& is_wanted_;
  std::unordered_set<SlotId> assigned_, counters_;
  std::unordered_set<const Stmt*> bounded_; // by the extent of an array, or they do not run
  std::unordered_set<SlotId> tainted_;
  std::unordered_set<SlotId> loaded_; // values that depend on memory
  std::unordered_set<SlotId> unfit_;  // what a deferred fit tests
  bool has_checks_ = false, is_sound_ = true;
  LoopPlan plan_;
};

} // namespace

bool LoopPlan::is_hoisted(const Guard& guard) const {
  return std::ranges::any_of(
      hoisted, [&](const auto& loop) { return std::ranges::find(loop.second, &guard) != loop.second.end(); });
}

std::optional<LoopPlan> plan_loop(const ir::Function& function, const ir::Definitions& definitions,
                                  const Stmt& loop, const IsWanted& is_wanted) {
  return Planner(function, definitions, loop, is_wanted).plan();
}

} // namespace kern
