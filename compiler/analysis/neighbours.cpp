// Whether neighbouring threads, of which one vector of lanes is made, may wait at the same time. A condition
// lets at most one of them through where it compares an index that differs from thread to thread with
// something that is one for all: `threadIdx.x == 0`, `laneid == 0`, `grid(1) == n - 1`, `threadIdx.x % 32 ==
// 0`.
#include <algorithm>
#include <map>

#include "compiler/analysis/waiting.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

std::size_t index_of(ir::SlotId slot) { return static_cast<std::size_t>(slot); }

// How a value changes along a row of threads.
enum class Along : std::uint8_t {
  Fixed, // not at all
  Apart, // each thread of a warp has another one
  Other,
};

class Search {
public:
  Search(const ir::Module& module, const ir::Function& kernel)
      : module_(module), writes_(ir::count_writes(kernel)), seen_(writes_.size()),
        along_(writes_.size(), Along::Other), is_lone_(writes_.size(), true) {
    for (std::uint32_t param = 0; param < kernel.param_count; ++param)
      if (writes_[param] == 0) along_[param] = Along::Fixed;
  }

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
    if (writes_[slot] == 1) along_[slot] = along(assign.value);
    is_lone_[slot] = is_lone_[slot] && (is_lone || lets_one_through(assign.value));
  }

  // Of a condition every assignment must be known.
  bool lets_one_through(const ir::Operand& condition) const {
    if (!condition.slot) return condition.bits == 0;
    std::size_t slot = index_of(*condition.slot);
    bool is_false = std::ranges::find(false_, condition) != false_.end();
    return is_false || (seen_[slot] > 0 && seen_[slot] == writes_[slot] && is_lone_[slot]);
  }

  bool lets_one_through(const ir::Expr& value) const {
    return match(
        value, [&](const ir::Copy& e) { return lets_one_through(e.value); },
        [&](const ir::Binary& e) {
          return e.op == ir::BinaryOp::BitAnd && (lets_one_through(e.left) || lets_one_through(e.right));
        },
        [&](const ir::Compare& e) {
          Along left = along(e.left), right = along(e.right);
          return e.op == ir::CompareOp::Equal && left != right && left != Along::Other &&
                 right != Along::Other;
        },
        [](const auto&) { return false; });
  }

  Along along(const ir::Operand& operand) const {
    return operand.slot ? along_[index_of(*operand.slot)] : Along::Fixed;
  }

  Along along(const ir::Expr& value) const {
    bool are_fixed = true;
    ir::visit_operands(
        value, [&](const ir::Operand& operand) { are_fixed = are_fixed && along(operand) == Along::Fixed; });
    return match(
        value, [&](const ir::Copy& e) { return along(e.value); },
        [&](const ir::Convert& e) { return along(e.value); },
        [&](const ir::Binary& e) { return are_fixed ? Along::Fixed : along(e); },
        [&](const ir::CallPure& e) { return along(e, are_fixed); },
        [&](const auto&) { return are_fixed ? Along::Fixed : Along::Other; });
  }

  static Along along(const ir::CallPure& call, bool are_fixed) {
    switch (call.builtin) {
    case Builtin::ThreadIndexX:
    case Builtin::LaneId: return Along::Apart;
    case Builtin::ThreadIndexY:
    case Builtin::ThreadIndexZ: return Along::Fixed;
    default: return are_fixed && row(call.builtin).effects != Effects::Thread ? Along::Fixed : Along::Other;
    }
  }

  // Of operands that are not both fixed.
  Along along(const ir::Binary& binary) const {
    Along left = along(binary.left), right = along(binary.right);
    bool is_apart = left == Along::Apart && right == Along::Fixed;
    bool is_number = !binary.right.slot && is_integer(binary.right.type);
    std::int64_t number = is_number ? ir::int_value(binary.right) : 0;
    switch (binary.op) {
    case ir::BinaryOp::Add: is_apart = is_apart || (left == Along::Fixed && right == Along::Apart); break;
    case ir::BinaryOp::Subtract: break;
    // A warp's threads are no more than that from each other.
    case ir::BinaryOp::Modulo: is_apart = is_apart && number >= limits::warp_size; break;
    case ir::BinaryOp::BitAnd:
      is_apart = is_apart && number >= limits::warp_size - 1 && (number & (number + 1)) == 0;
      break;
    default: is_apart = false;
    }
    return is_apart ? Along::Apart : Along::Other;
  }

  const ir::Module& module_;
  std::map<ir::FunctionId, bool> callees_; // whether threads wait in them
  std::vector<std::size_t> writes_, seen_; // assignments, by slot
  std::vector<Along> along_;               // of slots that are assigned once
  std::vector<bool> is_lone_;              // of conditions, by what has been seen
  std::vector<ir::Operand> false_;         // conditions at whose other side the present place is
};

} // namespace

bool neighbours_wait(const ir::Module& module, const ir::Function& kernel) {
  return has_waits(module, kernel.body) && Search(module, kernel).waits(kernel.body, false);
}

} // namespace kern
