// Computes in 32 bits what is computed in 64 and never needs more:
//
//     a: i64 = i64(x); b: i64 = i64(y); s: i64 = a + b; m: i64 = s // 2; r: u8 = u8(m)      of u8 x, y
//         ->   a: i32 = i32(x); b: i32 = i32(y); s: i32 = a + b; m: i32 = s // 2; r: u8 = u8(m)
//
// Where 64 bits of one are asked for, it is widened there.
#include <algorithm>
#include <vector>

#include "compiler/analysis/narrow_values.h"
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
  Narrower(ir::Function& function, NarrowValues found)
      : function_(function), narrows_(std::move(found.slots)), quotients_(std::move(found.quotients)) {
    narrows_.resize(function.slots.size());
    for (std::size_t slot = 0; slot < narrows_.size(); ++slot)
      if (narrows_[slot]) function_.slots[slot].type = narrow;
    for (ir::InlinedCall& call : function_.inlined)
      for (ir::InlinedCall::Param& param : call.params) take_narrow(param.value);
  }

  void run() { rewrite(function_.body); }

private:
  bool is_narrow(const Operand& operand) const {
    const std::size_t slot = operand.slot ? static_cast<std::size_t>(*operand.slot) : narrows_.size();
    return slot < narrows_.size() && narrows_[slot];
  }

  // Says whether an operand is one of them, or a constant that may be.
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
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign && quotients_.contains(assign))
        assign->value = divide(std::get<ir::Binary>(assign->value), stmt, result);
      rewrite(stmt);
      ir::visit_operands(stmt, [&](Operand& operand) {
        if (!is_narrow(operand) || operand.type == narrow) return;
        operand.type = narrow;
        operand = assign_new(function_, ir::Convert{operand}, wide, stmt, result);
      });
      result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

  // Returns a quotient as a choice: -1 as a divisor turns the sign in 64 bits, any other gives what an i32 holds.
  ir::Expr divide(ir::Binary quotient, const Stmt& at, Body& before) {
    for (Operand* operand : {&quotient.left, &quotient.right}) operand->type = narrow;
    const Operand dividend = quotient.left, divisor = quotient.right;
    auto make = [&](ir::Expr value, Type type) {
      return assign_new(function_, std::move(value), type, at, before);
    };
    const Operand is_turned =
        make(ir::Compare{ir::CompareOp::Equal, divisor, ir::constant_int(narrow, -1)}, types::boolean);
    const Operand turned = make(ir::Unary{ir::UnaryOp::Negate, make(ir::Convert{dividend}, wide)}, wide);
    const Operand whole = make(ir::Convert{make(quotient, narrow)}, wide);
    return ir::Select{is_turned, turned, whole};
  }

  // Has a statement take values as they are, where it can.
  void rewrite(Stmt& stmt) {
    if (auto* fit = std::get_if<ir::Fit>(&stmt.node); fit && !keeps_value(narrow, fit->type))
      take_narrow(fit->value);
    auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign) return;
    if (auto* convert = std::get_if<ir::Convert>(&assign->value)) {
      take_narrow(convert->value);
      const Operand value = convert->value;
      if (value.type == function_.slots[static_cast<std::size_t>(assign->slot)].type)
        assign->value = ir::Copy{value};
    } else if (auto* compare = std::get_if<ir::Compare>(&assign->value)) {
      const bool is_one = is_narrow(compare->left) || is_narrow(compare->right);
      if (!is_one || !fits(compare->left) || !fits(compare->right)) return;
      compare->left.type = compare->right.type = narrow;
    } else if (is_narrow({wide, assign->slot, 0})) {
      visit_narrowed(assign->value, [](Operand& operand) { operand.type = narrow; });
    }
  }

  ir::Function& function_;
  std::vector<bool> narrows_; // by slot, of those that were there
  std::unordered_set<const void*> quotients_;
};

} // namespace

void narrow_values(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    NarrowValues found = find_narrow_values(module, static_cast<ir::FunctionId>(id));
    if (std::ranges::find(found.slots, true) != found.slots.end())
      Narrower(module.functions[id], std::move(found)).run();
  }
}

} // namespace kern
