// Narrowing of counters: a variable of 64 bits that counts in a loop and always holds what 32 bits can is held
// in 32.
//
//     n: i64; while: c: bool = n < limit; do c: n = n + 1
//         ->   n: i32; while: l: i32 = i32(limit); c: bool = n < l; do c: w: i64 = i64(n); s: i64 = w + 1; n = i32(s)
//
// Values that are computed from it keep their 64 bits: LLVM narrows those by itself, but never what goes
// round a loop. Most counters of Numba's programs are such, since an int32 that 1 is added to is an int64
// there.
#include <unordered_map>
#include <utility>

#include "compiler/analysis/narrow_counters.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/assign_new.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

const Type narrow = types::i32, wide = types::i64;

class Narrower {
public:
  Narrower(ir::Function& function, NarrowCounters counters)
      : function_(function), counters_(std::move(counters)) {
    for (SlotId slot : counters_.slots) {
      function_.slots[static_cast<std::size_t>(slot)].type = narrow;
      narrow_.emplace(slot, Operand{narrow, slot, 0});
    }
    for (ir::InlinedCall& call : function_.inlined)
      for (ir::InlinedCall::Param& param : call.params)
        if (const Operand* held = narrowed(param.value)) param.value = *held;
  }

  void run() { rewrite(function_.body); }

private:
  // Returns the counter that an operand reads as it was.
  const Operand* narrowed(const Operand& operand) const {
    if (!operand.slot || operand.type != wide) return nullptr;
    auto found = narrow_.find(*operand.slot);
    return found == narrow_.end() ? nullptr : &found->second;
  }

  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      const bool was_small = is_small(stmt);
      ir::visit_bodies(stmt, [&](Body& inner) { rewrite(inner); });
      std::optional<Stmt> behind = rewrite(stmt, was_small, result);
      result.push_back(std::move(stmt));
      if (behind) result.push_back(std::move(*behind));
    }
    body = std::move(result);
  }

  bool is_small(const Operand& operand) const {
    return narrowed(operand) || counters_.small_operands.contains(&operand);
  }

  // Whether a statement compares a counter with what is as small, or counts one as often as 32 bits can say.
  bool is_small(const Stmt& stmt) const {
    if (const auto* loop = std::get_if<ir::For>(&stmt.node))
      return narrowed({wide, loop->variable, 0}) && loop->count.slot && is_small(loop->count);
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* compare = assign ? std::get_if<ir::Compare>(&assign->value) : nullptr;
    return compare && (narrowed(compare->left) || narrowed(compare->right)) && is_small(compare->left) &&
           is_small(compare->right);
  }

  // Puts in front of a statement what it now reads, and returns what is to stand behind it.
  std::optional<Stmt> rewrite(Stmt& stmt, bool was_small, Body& before) {
    auto* loop = std::get_if<ir::For>(&stmt.node);
    auto* assign = std::get_if<ir::Assign>(&stmt.node);
    auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    if (was_small && assign) {
      auto& compare = std::get<ir::Compare>(assign->value);
      for (Operand* operand : {&compare.left, &compare.right}) *operand = as_narrow(*operand, stmt, before);
    } else if (const Operand* held = convert ? narrowed(convert->value) : nullptr) {
      convert->value = *held;
    }
    if (loop && narrowed({wide, loop->variable, 0})) {
      for (Operand* operand : {&loop->start, &loop->step}) *operand = as_narrow(*operand, stmt, before);
      // Widened from 32 bits, for lower/ to see that it has no more.
      if (was_small)
        loop->count =
            assign_new(function_, ir::Convert{as_narrow(loop->count, stmt, before)}, wide, stmt, before);
    }
    ir::visit_operands(stmt, [&](Operand& operand) {
      if (const Operand* held = narrowed(operand))
        operand = assign_new(function_, ir::Convert{*held}, wide, stmt, before);
    });
    const Operand* target = assign ? narrowed({wide, assign->slot, 0}) : nullptr;
    if (!target) return std::nullopt;
    assign->slot = new_slot(function_, wide, stmt);
    return Stmt{ir::Assign{*target->slot, ir::Convert{{wide, assign->slot, 0}}}, stmt.span, stmt.scope};
  }

  Operand as_narrow(const Operand& operand, const Stmt& at, Body& before) {
    if (const Operand* held = narrowed(operand)) return *held;
    if (!operand.slot) return ir::constant_int(narrow, ir::int_value(operand));
    return assign_new(function_, ir::Convert{operand}, narrow, at, before);
  }

  ir::Function& function_;
  NarrowCounters counters_;
  std::unordered_map<SlotId, Operand> narrow_;
};

} // namespace

void narrow_counters(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    NarrowCounters counters = find_narrow_counters(module, static_cast<ir::FunctionId>(id));
    if (!counters.slots.empty()) Narrower(module.functions[id], std::move(counters)).run();
  }
}

} // namespace kern
