// Whether neighbouring threads, of which one vector of lanes is made, may wait at the same time. A condition
// lets at most one of them through where it compares an index that differs from thread to thread with
// something that is one for all: `threadIdx.x == 0`, `laneid == 0`, `grid(1) == n - 1`, `threadIdx.x % 32 ==
// 0`.
#include <algorithm>
#include <map>

#include "compiler/analysis/threads/row_values.h"
#include "compiler/analysis/threads/waiting.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

class Search {
public:
  Search(const ir::Module& module, const ir::Function& kernel)
      : module_(module), values_(kernel), seen_(kernel.slots.size()), is_lone_(kernel.slots.size(), true) {}

  // Whether threads wait in a body; at most one of a row's neighbours runs it where `is_lone`.
  bool waits(const ir::Body& body, bool is_lone) {
    return std::ranges::any_of(body, [&](const ir::Stmt& stmt) { return waits(stmt, is_lone); });
  }

private:
  bool waits(const ir::Stmt& stmt, bool is_lone) {
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) see(*assign, is_lone);
    if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
      if (waits(branch->then_body, is_lone || lets_one_through(branch->condition))) return true;
      false_.push_back(branch->condition);
      bool found = waits(branch->else_body, is_lone);
      false_.pop_back();
      return found;
    }
    const auto* effect = std::get_if<ir::CallEffect>(&stmt.node);
    const auto* call = std::get_if<ir::Call>(&stmt.node);
    bool found = effect && effect->builtin == Builtin::TakeTurn;
    found = found || (call && callee_waits(call->function));
    if (found && !is_lone) return true;
    found = false;
    ir::visit_bodies(stmt, [&](const ir::Body& body) { found = waits(body, is_lone) || found; });
    return found;
  }

  bool callee_waits(ir::FunctionId id) {
    auto [known, is_new] = callees_.try_emplace(id, false);
    if (is_new) known->second = has_waits(module_, module_.function(id).body);
    return known->second;
  }

  void see(const ir::Assign& assign, bool is_lone) {
    std::size_t slot = index_of(assign.slot);
    ++seen_[slot];
    values_.see(assign);
    is_lone_[slot] = is_lone_[slot] && (is_lone || lets_one_through(assign.value));
  }

  // Says whether a condition holds for at most one thread of a warp; every assignment to it must have been
  // seen.
  bool lets_one_through(const ir::Operand& condition) const {
    if (!condition.slot) return condition.bits == 0;
    std::size_t slot = index_of(*condition.slot);
    bool is_false = std::ranges::find(false_, condition) != false_.end();
    return is_false || (seen_[slot] > 0 && seen_[slot] == values_.definitions().writes(*condition.slot) &&
                        is_lone_[slot]);
  }

  bool lets_one_through(const ir::Expr& value) const {
    return match(
        value, [&](const ir::Copy& e) { return lets_one_through(e.value); },
        [&](const ir::Binary& e) {
          return e.op == ir::BinaryOp::BitAnd && (lets_one_through(e.left) || lets_one_through(e.right));
        },
        [&](const ir::Compare& e) {
          AlongRow left = values_.of(e.left).along, right = values_.of(e.right).along;
          return e.op == ir::CompareOp::Equal && left != right && left != AlongRow::Other &&
                 right != AlongRow::Other;
        },
        [](const auto&) { return false; });
  }

  const ir::Module& module_;
  std::map<ir::FunctionId, bool> callees_; // whether threads wait in them
  RowValues values_;
  std::vector<std::size_t> seen_;  // assignments so far, by slot
  std::vector<bool> is_lone_;      // of conditions, by what has been seen
  std::vector<ir::Operand> false_; // conditions at whose other side the present place is
};

} // namespace

bool neighbours_wait(const ir::Module& module, const ir::Function& kernel) {
  return has_waits(module, kernel.body) && Search(module, kernel).waits(kernel.body, false);
}

} // namespace kern
