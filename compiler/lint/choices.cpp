// Bodies are numbered, each with the one around it: what is around all assignments of a slot decides nothing
// among them. The statements behind an `if` that leaves the round of a loop count as a body too.
#include "compiler/lint/choices.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/walk.h"

namespace kern {

static bool is_local(const ir::Operand& array) {
  return array.slot && is_array(array.type) && array.type->space == AddressSpace::Local;
}

Choices::Choices(const ir::Function& function) : function_(function), slots_(function.slots.size()) {
  regions_.push_back({0, 0, nullptr, true});
  visit(function.body, 0);
  // Which array a view is of is known only now.
  for (const auto& [stmt, region] : changes_) {
    std::vector<ir::SlotId> seen;
    ir::visit_operands(*stmt, [&, stmt = stmt, region = region](const ir::Operand& operand) {
      if (is_local(operand)) add_contents(operand, *stmt, region, seen);
    });
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) find_ways(slots_[i], i < function.param_count);
}

Choices::RegionId Choices::enter(RegionId outer, const ir::Stmt& stmt, bool is_then) {
  regions_.push_back({outer, regions_[outer].depth + 1, &stmt, is_then});
  return static_cast<RegionId>(regions_.size() - 1);
}

void Choices::add(ir::SlotId slot, const ir::Stmt& stmt, RegionId region) {
  slots_[index_of(slot)].assignments.push_back(&stmt);
  slots_[index_of(slot)].regions.push_back(region);
}

static bool leaves_round(const ir::Body& body) {
  return !body.empty() && (std::holds_alternative<ir::Break>(body.back().node) ||
                           std::holds_alternative<ir::Continue>(body.back().node));
}

void Choices::visit(const ir::Body& body, RegionId region) {
  for (const ir::Stmt& stmt : body) {
    ir::visit_results(stmt, [&](ir::SlotId slot) { add(slot, stmt, region); });
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
    if ((store && is_local(store->array)) || (atomic && is_local(atomic->array)) ||
        std::holds_alternative<ir::Call>(stmt.node))
      changes_.emplace_back(&stmt, region);
    if (std::holds_alternative<ir::Break>(stmt.node) || std::holds_alternative<ir::Continue>(stmt.node))
      add_jump(region);
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    ir::visit_bodies(stmt, [&](const ir::Body& inner) {
      visit(inner, enter(region, stmt, branch && &inner == &branch->then_body));
    });
    // The threads that go on with a round where others leave it do so by the same condition.
    if (branch && leaves_round(branch->then_body) != leaves_round(branch->else_body))
      region = enter(region, stmt, leaves_round(branch->else_body));
  }
}

void Choices::add_jump(RegionId region) {
  std::vector<ir::Operand> conditions;
  for (; region != 0 && !ir::is_loop(*regions_[region].stmt); region = regions_[region].outer)
    if (const auto* branch = std::get_if<ir::If>(&regions_[region].stmt->node))
      conditions.push_back(branch->condition);
  if (region == 0) return;
  std::vector<ir::Operand>& known = jumps_[regions_[region].stmt];
  known.insert(known.end(), conditions.begin(), conditions.end());
}

// Makes a statement an assignment of each local array that an operand may be a view of.
void Choices::add_contents(const ir::Operand& array, const ir::Stmt& stmt, RegionId region,
                           std::vector<ir::SlotId>& seen) {
  if (std::ranges::find(seen, *array.slot) != seen.end()) return;
  seen.push_back(*array.slot);
  bool is_base = index_of(*array.slot) < function_.param_count;
  std::vector<ir::Operand> views;
  for (const ir::Stmt* made : slots_[index_of(*array.slot)].assignments) {
    const auto* assign = std::get_if<ir::Assign>(&made->node);
    is_base = is_base || (assign && std::holds_alternative<ir::LocalArray>(assign->value));
    if (!assign && !std::holds_alternative<ir::Call>(made->node)) continue;
    ir::visit_operands(*made, [&](const ir::Operand& operand) {
      if (is_local(operand)) views.push_back(operand);
    });
  }
  for (const ir::Operand& view : views) add_contents(view, stmt, region, seen);
  if (is_base) add(*array.slot, stmt, region);
}

Choices::RegionId Choices::common(RegionId a, RegionId b) const {
  while (a != b) {
    RegionId& deeper = regions_[a].depth >= regions_[b].depth ? a : b;
    deeper = regions_[deeper].outer;
  }
  return a;
}

void Choices::find_ways(Slot& slot, bool is_param) const {
  if (slot.assignments.empty()) return;
  RegionId around = is_param ? 0 : slot.regions.front();
  for (const RegionId region : slot.regions) around = common(around, region);
  for (std::size_t i = 0; i < slot.assignments.size(); ++i) {
    Way way{slot.assignments[i], {}};
    for (RegionId region = slot.regions[i]; region != around; region = regions_[region].outer)
      way.steps.push_back({regions_[region].stmt, regions_[region].is_then});
    slot.ways.push_back(std::move(way));
  }
}

std::span<const ir::Operand> Choices::jumps(const ir::Stmt& loop) const {
  const auto found = jumps_.find(&loop);
  if (found == jumps_.end()) return {};
  return found->second;
}

} // namespace kern
