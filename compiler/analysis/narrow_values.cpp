// The slots are the greatest set in which each is assigned only what 32 bits compute of others in it: all are taken to be
// in it at first, and leave it until nothing changes. That values fit is proved by the walk that proves guards, which is made
// only where something is computed of memory: numbers of threads and launches are few, and scalars in vectors.
#include "compiler/analysis/narrow_values.h"

#include <algorithm>
#include <utility>

#include "compiler/analysis/guard_walk.h"
#include "compiler/ir/walk.h"

namespace kern {

namespace {

std::size_t index_of(ir::SlotId slot) { return static_cast<std::size_t>(slot); }

bool is_word(Type type) {
  return is_boolean(type) || (is_scalar(type) && is_integer(type) && bit_width(type->scalar) <= 32);
}

bool is_small_constant(const ir::Operand& operand) {
  return !operand.slot &&
         contains(type_interval(types::i32), {ir::int_value(operand), ir::int_value(operand)});
}

class Finder {
public:
  explicit Finder(const ir::Function& function) : function_(function), out_(function.slots.size()) {
    for (std::size_t slot = 0; slot < function.slots.size(); ++slot) {
      const ir::Slot& declaration = function.slots[slot];
      out_[slot] = declaration.type != types::i64 || declaration.kind == ir::Slot::Kind::Param;
    }
    ir::walk(function.body, [&](const ir::Stmt& stmt) { see(stmt); });
    spread_indices();
    settle();
  }

  // Says whether there is anything to narrow that is worth it: a sum of what memory gives.
  bool computes() const {
    const std::vector<bool> loaded = of_memory();
    return std::ranges::any_of(assigns_, [&](const ir::Assign* assign) {
      return !out_[index_of(assign->slot)] && computes(*assign) && loaded[index_of(assign->slot)];
    });
  }

  // Takes out what is not proved to fit.
  NarrowValues run(const SmallValues& small) {
    for (const ir::Assign* assign : assigns_)
      if (!small.results.contains(assign)) out_[index_of(assign->slot)] = true;
    settle();
    NarrowValues result;
    for (const ir::Assign* assign : assigns_)
      if (is_quotient(*assign)) result.quotients.insert(assign);
    leave_converted(result);
    result.slots = out_;
    result.slots.flip();
    return result;
  }

private:
  void see(const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      if (!assign) out_[index_of(slot)] = true;
    });
    if (assign) {
      see(*assign);
    } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      for (const ir::Operand& index : store->indices) refuse(index);
    } else if (const auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) {
      for (const ir::Operand& index : atomic->indices) refuse(index);
    } else if (std::holds_alternative<ir::Load>(stmt.node) || std::holds_alternative<ir::Guard>(stmt.node) ||
               std::holds_alternative<ir::For>(stmt.node)) {
      ir::visit_operands(stmt, [&](const ir::Operand& operand) { refuse(operand); });
    }
  }

  void see(const ir::Assign& assign) {
    if (function_.slots[index_of(assign.slot)].type == types::i64) {
      assigns_.push_back(&assign);
      return;
    }
    const bool is_scalar_value = is_scalar(function_.slots[index_of(assign.slot)].type);
    if (!is_scalar_value)
      ir::visit_operands(assign.value, [&](const ir::Operand& operand) { refuse(operand); });
  }

  void refuse(const ir::Operand& operand) {
    if (operand.slot && operand.type == types::i64) indices_.push_back(*operand.slot);
  }

  // Takes out what indices are computed from.
  void spread_indices() {
    std::vector<std::vector<ir::SlotId>> made_of(out_.size());
    for (const ir::Assign* assign : assigns_)
      ir::visit_operands(assign->value, [&](const ir::Operand& operand) {
        if (operand.slot && operand.type == types::i64)
          made_of[index_of(assign->slot)].push_back(*operand.slot);
      });
    std::vector<bool> seen(out_.size());
    while (!indices_.empty()) {
      const std::size_t slot = index_of(indices_.back());
      indices_.pop_back();
      out_[slot] = true;
      if (seen[slot]) continue;
      seen[slot] = true;
      indices_.insert(indices_.end(), made_of[slot].begin(), made_of[slot].end());
    }
  }

  bool stays(const ir::Assign& assign) const {
    if (const auto* convert = std::get_if<ir::Convert>(&assign.value)) return is_word(convert->value.type);
    if (!is_narrowable(assign.value)) return false;
    bool all = true;
    visit_narrowed(assign.value, [&](const ir::Operand& operand) {
      all = all && (operand.slot ? !out_[index_of(*operand.slot)] : is_small_constant(operand));
    });
    return all;
  }

  void settle() {
    for (bool more = true; std::exchange(more, false);)
      for (const ir::Assign* assign : assigns_) {
        if (out_[index_of(assign->slot)] || stays(*assign)) continue;
        out_[index_of(assign->slot)] = more = true;
      }
  }

  static bool computes(const ir::Assign& assign) {
    return !std::holds_alternative<ir::Convert>(assign.value) &&
           !std::holds_alternative<ir::Copy>(assign.value);
  }

  // Returns the slots that depend on a load, or on what a call gives.
  std::vector<bool> of_memory() const {
    std::vector<bool> result(out_.size());
    for (bool more = true; std::exchange(more, false);)
      ir::walk(function_.body, [&](const ir::Stmt& stmt) {
        const auto* assign = std::get_if<ir::Assign>(&stmt.node);
        bool depends = !assign && !std::holds_alternative<ir::For>(stmt.node);
        if (assign)
          ir::visit_operands(stmt, [&](const ir::Operand& operand) {
            depends = depends || (operand.slot && result[index_of(*operand.slot)]);
          });
        ir::visit_results(stmt, [&](ir::SlotId slot) {
          more = more || (depends && !result[index_of(slot)]);
          result[index_of(slot)] = result[index_of(slot)] || depends;
        });
      });
    return result;
  }

  // Says whether an assignment divides by what is no constant, in 64 bits for the sake of one quotient.
  bool is_quotient(const ir::Assign& assign) const {
    const auto* binary = std::get_if<ir::Binary>(&assign.value);
    return out_[index_of(assign.slot)] && binary && binary->op == ir::BinaryOp::FloorDivide &&
           binary->right.slot && stays(assign);
  }

  // Takes out what is only converted, and of which nothing is computed in 32 bits.
  void leave_converted(const NarrowValues& found) {
    std::vector<bool> is_needed(out_.size());
    for (const ir::Assign* assign : assigns_) {
      if (!found.quotients.contains(assign) && (out_[index_of(assign->slot)] || !computes(*assign))) continue;
      is_needed[index_of(assign->slot)] = true;
      visit_narrowed(assign->value, [&](const ir::Operand& operand) {
        if (operand.slot) is_needed[index_of(*operand.slot)] = true;
      });
    }
    for (std::size_t slot = 0; slot < out_.size(); ++slot) out_[slot] = out_[slot] || !is_needed[slot];
    settle();
  }

  const ir::Function& function_;
  std::vector<bool> out_;
  std::vector<const ir::Assign*> assigns_; // of i64s
  std::vector<ir::SlotId> indices_;
};

} // namespace

bool is_narrowable(const ir::Expr& expr) {
  if (const auto* binary = std::get_if<ir::Binary>(&expr)) {
    const bool shifts = binary->op == ir::BinaryOp::ShiftLeft || binary->op == ir::BinaryOp::ShiftRight;
    return !shifts || (!binary->right.slot && binary->right.bits < 32);
  }
  if (const auto* unary = std::get_if<ir::Unary>(&expr)) return unary->op != ir::UnaryOp::Not;
  if (const auto* call = std::get_if<ir::CallPure>(&expr))
    return call->builtin == Builtin::Min || call->builtin == Builtin::Max || call->builtin == Builtin::Abs;
  return std::holds_alternative<ir::Copy>(expr) || std::holds_alternative<ir::Select>(expr);
}

NarrowValues find_narrow_values(const ir::Module& module, ir::FunctionId id) {
  const ir::Function& function = module.function(id);
  Finder finder(function);
  if (!finder.computes()) return {std::vector<bool>(function.slots.size()), {}};
  return finder.run(GuardWalk(module, function).run_for_small_values());
}

} // namespace kern
