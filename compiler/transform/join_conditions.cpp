// Makes one operation of `and` and `or`, which the checker spells as ifs so that the right side is evaluated
// only where the left one does not decide. Where the right side is a few cheap operations nobody can tell,
// and lanes need neither branches nor masks for it:
//
//     if a: t = x < y; c = t   else: c = a      ->   t = x < y; c = a & t
//     if a: c = a   else: t = x < y; c = t      ->   t = x < y; c = a | t
#include <utility>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

// Operations that a thread may do in vain.
constexpr std::size_t most_in_vain = 12;

bool is_cheap(const ir::Expr& expr) {
  return match(
      expr,
      [](const ir::Binary& e) {
        return e.op != ir::BinaryOp::Divide && e.op != ir::BinaryOp::FloorDivide &&
               e.op != ir::BinaryOp::Modulo;
      },
      [](const ir::CallPure& e) {
        return row(e.builtin).effects == Effects::Thread || row(e.builtin).effects == Effects::PerBlock;
      },
      [](const ir::View&) { return false; }, [](const ir::Restride&) { return false; },
      [](const ir::SharedArray&) { return false; }, [](const ir::LocalArray&) { return false; },
      [](const ir::ConstantArray&) { return false; }, [](const auto&) { return true; });
}

class Joiner {
public:
  explicit Joiner(ir::Function& function) : function_(function), definitions_(function) {}

  // Inner conditions first, so that a chain of them becomes cheap from the inside out.
  void join_in(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { join_in(inner); });
      if (!join(stmt, result)) result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

private:
  // Appends what an `and` or `or` becomes; false where the statement is neither.
  bool join(Stmt& stmt, Body& result) {
    auto* branch = std::get_if<ir::If>(&stmt.node);
    if (!branch || !branch->condition.slot) return false;
    if (decides(branch->else_body, branch->condition, false))
      return append(branch->then_body, branch->else_body, branch->condition, ir::BinaryOp::BitAnd, result);
    if (decides(branch->then_body, branch->condition, true))
      return append(branch->else_body, branch->then_body, branch->condition, ir::BinaryOp::BitOr, result);
    return false;
  }

  const ir::Assign* last_assign(const Body& body) const {
    return body.empty() ? nullptr : std::get_if<ir::Assign>(&body.back().node);
  }

  // Whether all that a side does is to assign the condition, or what it is there, to a temporary bool.
  bool decides(const Body& side, const Operand& condition, bool holds) const {
    const ir::Assign* assign = side.size() == 1 ? last_assign(side) : nullptr;
    const auto* copy = assign ? std::get_if<ir::Copy>(&assign->value) : nullptr;
    if (!copy || !is_condition(assign->slot)) return false;
    return copy->value == condition || copy->value == ir::constant_bool(holds);
  }

  // The checker's own name for a condition: nothing but the two sides assigns it.
  bool is_condition(SlotId id) const {
    const ir::Slot& slot = function_.slots[static_cast<std::size_t>(id)];
    return slot.type == types::boolean && slot.name.empty() && slot.kind == ir::Slot::Kind::Variable &&
           definitions_.writes(id) == 2;
  }

  bool is_in_vain(const Stmt& stmt) const {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    return assign && is_cheap(assign->value) &&
           function_.slots[static_cast<std::size_t>(assign->slot)].kind == ir::Slot::Kind::Temp;
  }

  bool append(Body& computed, const Body& decided, const Operand& condition, ir::BinaryOp op, Body& result) {
    const ir::Assign* last = last_assign(computed);
    if (!last || last->slot != last_assign(decided)->slot || !is_cheap(last->value)) return false;
    if (computed.size() > most_in_vain) return false;
    for (std::size_t i = 0; i + 1 < computed.size(); ++i)
      if (!is_in_vain(computed[i])) return false;
    Stmt joined = std::move(computed.back());
    computed.pop_back();
    result.insert(result.end(), std::make_move_iterator(computed.begin()),
                  std::make_move_iterator(computed.end()));
    auto& assign = std::get<ir::Assign>(joined.node);
    Operand right = operand_of(assign.value, joined, result);
    assign.value = ir::Binary{op, condition, right};
    function_.slots[static_cast<std::size_t>(assign.slot)].kind = ir::Slot::Kind::Temp;
    result.push_back(std::move(joined));
    return true;
  }

  // Returns what holds the value: its operand, or a new temporary.
  Operand operand_of(ir::Expr& value, const Stmt& joined, Body& result) {
    if (const auto* copy = std::get_if<ir::Copy>(&value)) return copy->value;
    Operand right{types::boolean, static_cast<SlotId>(function_.slots.size())};
    function_.slots.push_back({"", types::boolean, ir::Slot::Kind::Temp, joined.span});
    result.push_back({ir::Assign{*right.slot, std::move(value)}, joined.span, joined.scope});
    return right;
  }

  ir::Function& function_;
  ir::Definitions definitions_; // before anything was joined
};

} // namespace

void join_conditions(ir::Module& module) {
  for (ir::Function& function : module.functions) Joiner(function).join_in(function.body);
}

} // namespace kern
