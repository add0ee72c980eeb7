// Computes in 32 bits what is computed in 64 and never needs more (analysis/narrow.h):
//
//     a: i64 = i64(x); b: i64 = i64(y); s: i64 = a + b; m: i64 = s // 2; r: u8 = u8(m)      of u8 x, y
//         ->   a: i32 = i32(x); b: i32 = i32(y); s: i32 = a + b; m: i32 = s // 2; r: u8 = u8(m)
//     n: i64; while: c: bool = n < limit; do c: n = n + k
//         ->   n: i32; while: l: i32 = i32(limit); c: bool = n < l; do c: w: i64 = i64(n); s: i64 = w + k; n = i32(s)
//     c: bool = i < n; if c: v: f32 = load u[i, j]
//         ->   p: i32 = i32(i); q: i32 = i32(n); c: bool = p < q; if c: r: i32 = i32(i); s: i32 = i32(j); v: f32 = load u[r, s]
//
// Where 64 bits of one are asked for, it is widened there.
#include "compiler/transform/widths/narrow.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/walk.h"
#include "compiler/transform/assign_new.h"
#include "compiler/transform/transform.h"
#include "compiler/types/convert.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

const Type narrow = types::i32, wide = types::i64;

class Narrower {
public:
  Narrower(ir::Function& function, Narrow found) : function_(function), found_(std::move(found)) {
    for (std::size_t slot = 0; slot < found_.slots.size(); ++slot)
      if (found_.slots[slot]) function_.slots[slot].type = narrow;
    for (ir::InlinedCall& call : function_.inlined)
      for (ir::InlinedCall::Param& param : call.params) take_narrow(param.value);
    rewrite(function_.body);
  }

private:
  bool is_narrow(SlotId slot) const {
    const auto index = static_cast<std::size_t>(slot);
    return index < found_.slots.size() && found_.slots[index];
  }
  bool is_narrow(const Operand& operand) const { return operand.slot && is_narrow(*operand.slot); }

  // Says whether an operand is a narrow slot, or a constant that could be in one.
  bool fits(const Operand& operand) const {
    return operand.slot ? is_narrow(operand) : literal_fits(WideInt(ir::int_value(operand)), narrow);
  }

  void take_narrow(Operand& operand) const {
    if (is_narrow(operand)) operand.type = narrow;
  }

  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { rewrite(inner); });
      std::optional<Stmt> behind = rewrite(stmt, result);
      result.push_back(std::move(stmt));
      if (behind) result.push_back(std::move(*behind));
    }
    body = std::move(result);
  }

  // Puts in front of a statement what it now reads, and returns what is to stand behind it.
  std::optional<Stmt> rewrite(Stmt& stmt, Body& before) {
    auto* assign = std::get_if<ir::Assign>(&stmt.node);
    std::optional<Stmt> behind;
    if (assign) behind = rewrite(*assign, stmt, before);
    if (auto* loop = std::get_if<ir::For>(&stmt.node)) rewrite(*loop, stmt, before);
    if (auto* load = std::get_if<ir::Load>(&stmt.node); load && is_narrow(load->slot)) {
      const SlotId target = std::exchange(load->slot, new_slot(function_, wide, stmt));
      behind = Stmt{ir::Assign{target, ir::Convert{{wide, load->slot, 0}}}, stmt.span, stmt.scope};
    }
    // A check that any i32 passes is left as it was.
    if (auto* fit = std::get_if<ir::Fit>(&stmt.node); fit && !keeps_value(narrow, fit->type))
      take_narrow(fit->value);
    if (found_.accesses.contains(&stmt)) rewrite_access(stmt, before);
    ir::visit_operands(stmt, [&](Operand& operand) {
      if (is_narrow(operand) && operand.type == wide) operand = as_wide(operand, stmt, before);
    });
    return behind;
  }

  std::optional<Stmt> rewrite(ir::Assign& assign, const Stmt& at, Body& before) {
    if (found_.turning.contains(&assign))
      assign.value = divide(std::get<ir::Binary>(assign.value), at, before);
    if (auto* compare = std::get_if<ir::Compare>(&assign.value)) {
      if (!found_.compares.contains(&assign) && !compares_narrow(*compare)) return std::nullopt;
      for (Operand* operand : {&compare->left, &compare->right}) *operand = as_narrow(*operand, at, before);
      return std::nullopt;
    }
    if (auto* convert = std::get_if<ir::Convert>(&assign.value)) take_narrow(convert->value);
    if (is_narrow(assign.slot) && !computes_narrow(assign.value)) {
      const SlotId target = std::exchange(assign.slot, new_slot(function_, wide, at));
      rewrite_wide(assign, at, before);
      return Stmt{ir::Assign{target, ir::Convert{{wide, assign.slot, 0}}}, at.span, at.scope};
    }
    if (is_narrow(assign.slot))
      visit_narrowed(assign.value, [](Operand& operand) { operand.type = narrow; });
    else
      rewrite_wide(assign, at, before);
    const auto* convert = std::get_if<ir::Convert>(&assign.value);
    if (convert && convert->value.type == function_.slots[static_cast<std::size_t>(assign.slot)].type)
      assign.value = ir::Copy{convert->value};
    return std::nullopt;
  }

  bool computes_narrow(const ir::Expr& expr) const {
    return is_narrowed(expr, [&](const Operand& operand) { return fits(operand); });
  }

  // Says whether a comparison of a narrow slot can be one of 32 bits.
  bool compares_narrow(const ir::Compare& compare) const {
    auto is_small = [&](const Operand& operand) {
      return fits(operand) || found_.small_operands.contains(&operand);
    };
    return (is_narrow(compare.left) || is_narrow(compare.right)) && is_small(compare.left) &&
           is_small(compare.right);
  }

  // Computes in part in 32 bits what stays an i64: the factors of a product, a quotient.
  void rewrite_wide(ir::Assign& assign, const Stmt& at, Body& before) {
    if (found_.products.contains(&assign)) {
      auto& product = std::get<ir::Binary>(assign.value);
      for (Operand* operand : {&product.left, &product.right})
        *operand = as_wide(as_narrow(*operand, at, before), at, before);
    } else if (const auto found = found_.quotients.find(&assign); found != found_.quotients.end()) {
      auto quotient = std::get<ir::Binary>(assign.value);
      for (Operand* operand : {&quotient.left, &quotient.right}) {
        take_narrow(*operand);
        *operand = assign_new(function_, ir::Convert{*operand}, found->second, at, before);
      }
      assign.value = ir::Convert{assign_new(function_, quotient, found->second, at, before)};
    }
  }

  // Returns a quotient as a choice: -1 as a divisor turns the sign in 64 bits, any other gives what an i32 holds.
  ir::Expr divide(ir::Binary quotient, const Stmt& at, Body& before) {
    for (Operand* operand : {&quotient.left, &quotient.right}) operand->type = narrow;
    auto make = [&](ir::Expr value, Type type) {
      return assign_new(function_, std::move(value), type, at, before);
    };
    const Operand is_turned =
        make(ir::Compare{ir::CompareOp::Equal, quotient.right, ir::constant_int(narrow, -1)}, types::boolean);
    const Operand turned = make(ir::Unary{ir::UnaryOp::Negate, make(ir::Convert{quotient.left}, wide)}, wide);
    const Operand whole = make(ir::Convert{make(quotient, narrow)}, wide);
    return ir::Select{is_turned, turned, whole};
  }

  void rewrite(ir::For& loop, const Stmt& at, Body& before) {
    if (!is_narrow(loop.variable)) return;
    for (Operand* operand : {&loop.start, &loop.step}) *operand = as_narrow(*operand, at, before);
    // Widened from 32 bits, for lower/ to see that it has no more.
    const bool is_small =
        loop.count.slot && (is_narrow(loop.count) || found_.small_operands.contains(&loop.count));
    if (is_small) loop.count = as_wide(as_narrow(loop.count, at, before), at, before);
  }

  void rewrite_access(Stmt& stmt, Body& before) {
    auto rewrite = [&](std::vector<Operand>& indices) {
      for (Operand& index : indices) index = as_narrow(index, stmt, before);
    };
    if (auto* load = std::get_if<ir::Load>(&stmt.node)) rewrite(load->indices);
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) rewrite(store->indices);
    if (auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) rewrite(atomic->indices);
  }

  // Returns the low 32 bits of an operand.
  Operand as_narrow(const Operand& operand, const Stmt& at, Body& before) {
    if (is_narrow(operand)) return {narrow, operand.slot, 0};
    if (!operand.slot) return ir::constant_int(narrow, static_cast<std::int32_t>(ir::int_value(operand)));
    return assign_new(function_, ir::Convert{operand}, narrow, at, before);
  }

  Operand as_wide(const Operand& operand, const Stmt& at, Body& before) {
    return assign_new(function_, ir::Convert{{narrow, operand.slot, operand.bits}}, wide, at, before);
  }

  ir::Function& function_;
  Narrow found_; // of the slots and statements that were there
};

void narrow_module(ir::Module& module, NarrowFor target) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    Narrow found = find_narrow(module, static_cast<ir::FunctionId>(id), target);
    const bool finds_any = std::ranges::find(found.slots, true) != found.slots.end() ||
                           !found.turning.empty() || !found.accesses.empty() || !found.compares.empty() ||
                           !found.products.empty() || !found.quotients.empty();
    if (finds_any) Narrower(module.functions[id], std::move(found));
  }
}

} // namespace

void narrow_for_gpu(ir::Module& module) { narrow_module(module, NarrowFor::Gpu); }

void narrow_for_cpu(ir::Module& module) {
  narrow_module(module, NarrowFor::Cpu);
  narrow_words(module);
}

} // namespace kern
