// The walk that proves guards proves each assigned value small, at its assignment; a slot begins as zero. A
// counter that indices are made of stays wide: its addresses step by additions in 64 bits anyway, and in a
// sum that is widened behind an addition that may wrap no constant part is seen.
#include "compiler/analysis/narrow_counters.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/analysis/guard_walk.h"
#include "compiler/ir/walk.h"

namespace kern {

namespace {

std::size_t index_of(ir::SlotId slot) { return static_cast<std::size_t>(slot); }

class Candidates {
public:
  explicit Candidates(const ir::Function& function)
      : function_(function), refused_(function.slots.size()), counts_(function.slots.size()),
        made_of_(function.slots.size()) {
    scan(function.body, 0);
    spread();
  }

  bool is_one(ir::SlotId slot) const {
    const ir::Slot& declaration = function_.slots[index_of(slot)];
    return declaration.kind == ir::Slot::Kind::Variable && declaration.type == types::i64 &&
           counts_[index_of(slot)] && !refused_[index_of(slot)];
  }

private:
  void scan(const ir::Body& body, int loops) {
    for (const ir::Stmt& stmt : body) {
      see(stmt, loops);
      const bool is_loop = ir::is_loop(stmt);
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { scan(inner, loops + (is_loop ? 1 : 0)); });
    }
  }

  void see(const ir::Stmt& stmt, int loops) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      if (!assign && !loop) refused_[index_of(slot)] = true;
      if (loops > 0 || loop) counts_[index_of(slot)] = true;
    });
    if (assign) {
      see(*assign);
    } else if (loop) {
      for (const ir::Operand* operand : {&loop->start, &loop->step})
        if (operand->slot) made_of_[index_of(loop->variable)].push_back(*operand->slot);
    } else if (is_access(stmt)) {
      ir::visit_operands(stmt, [&](const ir::Operand& operand) {
        if (operand.slot && operand.type == types::i64 && is_index(stmt, operand)) refuse(*operand.slot);
      });
    }
  }

  void see(const ir::Assign& assign) {
    const bool is_place = std::holds_alternative<ir::View>(assign.value) ||
                          std::holds_alternative<ir::SharedArray>(assign.value);
    ir::visit_operands(assign.value, [&](const ir::Operand& operand) {
      if (!operand.slot || !is_integer(operand.type)) return;
      if (is_place) return refuse(*operand.slot);
      made_of_[index_of(assign.slot)].push_back(*operand.slot);
    });
  }

  static bool is_access(const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Guard>(stmt.node) || std::holds_alternative<ir::Load>(stmt.node) ||
           std::holds_alternative<ir::Store>(stmt.node) || std::holds_alternative<ir::Atomic>(stmt.node);
  }

  static bool is_index(const ir::Stmt& stmt, const ir::Operand& operand) {
    if (const auto* store = std::get_if<ir::Store>(&stmt.node)) return &operand != &store->value;
    const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
    if (!atomic) return true;
    return std::ranges::none_of(atomic->args, [&](const ir::Operand& arg) { return &arg == &operand; });
  }

  void refuse(ir::SlotId slot) {
    if (refused_[index_of(slot)]) return;
    refused_[index_of(slot)] = true;
    open_.push_back(slot);
  }

  // Refuses what an index is computed from, too: it is no candidate either.
  void spread() {
    while (!open_.empty()) {
      const ir::SlotId slot = open_.back();
      open_.pop_back();
      for (ir::SlotId part : made_of_[index_of(slot)]) refuse(part);
    }
  }

  const ir::Function& function_;
  std::vector<bool> refused_, counts_;
  std::vector<std::vector<ir::SlotId>> made_of_;
  std::vector<ir::SlotId> open_;
};

std::vector<ir::SlotId> find_candidates(const ir::Function& function) {
  const Candidates candidates(function);
  std::vector<ir::SlotId> slots;
  for (std::size_t slot = 0; slot < function.slots.size(); ++slot)
    if (candidates.is_one(ir::SlotId(slot))) slots.push_back(ir::SlotId(slot));
  return slots;
}

} // namespace

bool has_counters(const ir::Function& function) { return !find_candidates(function).empty(); }

NarrowCounters find_narrow_counters(const ir::Module& module, ir::FunctionId id) {
  const ir::Function& function = module.function(id);
  std::vector<ir::SlotId> slots = find_candidates(function);
  if (slots.empty()) return {};
  SmallValues small = GuardWalk(module, function).run_for_small_values();
  std::vector<bool> is_wide(function.slots.size());
  NarrowCounters result;
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    if (assign && !small.results.contains(assign)) is_wide[index_of(assign->slot)] = true;
    if (loop && !small.results.contains(loop)) is_wide[index_of(loop->variable)] = true;
  });
  std::erase_if(slots, [&](ir::SlotId slot) { return is_wide[index_of(slot)]; });
  result.slots = std::move(slots);
  result.small_operands = std::move(small.operands);
  return result;
}

} // namespace kern
