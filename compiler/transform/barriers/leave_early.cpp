// A barrier of the block waits for the threads that have not left. So a thread that comes to no barrier any
// more may as well leave, after doing what is left to do; for the others nothing differs any more:
//
//     if c: A; syncthreads(); B           if not c: C; R; return
//     else: C                       ->    A; syncthreads(); B
//     R                                   R
//
// Likewise a loop that holds a barrier, where threads leave it in different rounds: at its condition, at the
// end of its count, or by a break, they do what is behind it and return. This holds where no barrier is in C,
// R, or behind, and no collective of a warp in R, which all lanes of a warp come to together as it is
// written.
#include <functional>
#include <unordered_map>
#include <utility>

#include "compiler/analysis/threads/uniformity.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/barriers/barriers.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

// Bounds the statements that are copied in one kernel for the threads that leave.
constexpr std::size_t most_copied = 2'000; // statements

std::size_t count(const Body& body) {
  std::size_t statements = 0;
  ir::walk(body, [&](const Stmt&) { ++statements; });
  return statements;
}

class Leaver {
public:
  Leaver(ir::Module& module, ir::FunctionId id, const BarrierHolders& holders)
      : module_(module), id_(id), kernel_(module.function(id)), holders_(holders) {}

  void run() {
    do {
      changed_ = false;
      uniform_ = analyze_uniformity(module_, id_).block_uniform;
      rewrite(kernel_.body, {});
      if (changed_) kernel_.meeting = ir::Meeting::Leaving;
    } while (changed_);
  }

private:
  bool differs(const Operand& operand) const {
    return operand.slot && index_of(*operand.slot) < uniform_.size() && !uniform_[index_of(*operand.slot)];
  }

  // Rewrites the last statement of a body that holds a barrier; `behind` is what comes behind the body,
  // without one.
  void rewrite(Body& body, Body behind) {
    const std::optional<std::size_t> last = holders_.last(body);
    if (!last || holders_.holds_of_grid(body[*last])) return;
    behind.insert(behind.begin(), body.begin() + static_cast<std::ptrdiff_t>(*last) + 1, body.end());
    Stmt& stmt = body[*last];
    if (std::holds_alternative<ir::If>(stmt.node)) return rewrite_if(body, *last, std::move(behind));
    if (ir::is_loop(stmt)) rewrite_loop(body, *last, behind);
  }

  void rewrite_if(Body& body, std::size_t place, Body behind) {
    auto& branch = std::get<ir::If>(body[place].node);
    const bool in_then = holders_.holds(branch.then_body), in_else = holders_.holds(branch.else_body);
    if (!differs(branch.condition)) {
      if (in_then) rewrite(branch.then_body, behind);
      if (in_else) rewrite(branch.else_body, std::move(behind));
      return;
    }
    if ((in_then && in_else) || !may_copy(behind, 1)) return;
    const Span span = body[place].span;
    Body meeting = std::move(in_then ? branch.then_body : branch.else_body);
    Body leaving = std::move(in_then ? branch.else_body : branch.then_body);
    append(leaving, leave(behind, span));
    (in_then ? branch.then_body : branch.else_body) = {};
    (in_then ? branch.else_body : branch.then_body) = std::move(leaving);
    const auto next = body.begin() + static_cast<std::ptrdiff_t>(place) + 1;
    body.insert(next, std::make_move_iterator(meeting.begin()), std::make_move_iterator(meeting.end()));
    changed_ = true;
  }

  // ---- Loops ----

  void rewrite_loop(Body& body, std::size_t place, const Body& behind) {
    Stmt& stmt = body[place];
    auto* counted = std::get_if<ir::For>(&stmt.node);
    auto* loop = std::get_if<ir::While>(&stmt.node);
    const bool ends_apart = differs(counted ? counted->count : loop->condition);
    const std::size_t breaks = for_each_break(counted ? counted->body : loop->body, false, [](Body&) {});
    const std::size_t copies = breaks + (ends_apart ? 1 : 0);
    if (copies == 0 || !may_copy(behind, copies)) return;
    for_each_break(counted ? counted->body : loop->body, false, [&](Body& jump) {
      const Span span = jump.back().span;
      jump.pop_back();
      append(jump, leave(behind, span));
    });
    changed_ = true;
    if (!ends_apart) return;
    if (counted) return count_rounds(body, place, behind);
    const Operand condition = std::exchange(loop->condition, ir::constant_bool(true));
    loop->head.push_back({ir::If{condition, {}, leave(behind, stmt.span)}, stmt.span});
  }

  // Visits the bodies that end in a break of the loop at hand which only some threads come to; returns how
  // many.
  std::size_t for_each_break(Body& body, bool apart, const std::function<void(Body&)>& visit) {
    std::size_t breaks = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (apart && std::holds_alternative<ir::Break>(body[i].node)) {
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(i) + 1, body.end());
        visit(body);
        return breaks + 1;
      }
      auto* branch = std::get_if<ir::If>(&body[i].node);
      if (!branch) continue;
      const bool inner = apart || differs(branch->condition);
      breaks += for_each_break(branch->then_body, inner, visit);
      breaks += for_each_break(branch->else_body, inner, visit);
    }
    return breaks;
  }

  // Makes a While of a For whose count differs: its head counts, and lets threads leave that are at the end.
  void count_rounds(Body& body, std::size_t place, const Body& behind) {
    const Span span = body[place].span;
    auto counted = std::get<ir::For>(std::move(body[place].node));
    Body before;
    for (Operand* operand : {&counted.start, &counted.step, &counted.count})
      if (operand->slot) *operand = compute(operand->type, ir::Copy{*operand}, span, before);
    const SlotId counter = add_slot(types::i64, ir::Slot::Kind::Variable, span);
    const Operand round{types::i64, counter};
    before.push_back({ir::Assign{counter, ir::Copy{ir::constant_int(types::i64, -1)}}, span});
    ir::While loop{{}, ir::constant_bool(true), std::move(counted.body)};
    loop.head.push_back(
        {ir::Assign{counter, ir::Binary{ir::BinaryOp::Add, round, ir::constant_int(types::i64, 1)}}, span});
    const Operand goes_on =
        compute(types::boolean, ir::Compare{ir::CompareOp::Less, round, counted.count}, span, loop.head);
    loop.head.push_back({ir::If{goes_on, {}, leave(behind, span)}, span});
    const Type type = kernel_.slots[index_of(counted.variable)].type;
    Operand value = round;
    if (type != types::i64) value = compute(type, ir::Convert{value}, span, loop.head);
    value = compute(type, ir::Binary{ir::BinaryOp::Multiply, value, counted.step}, span, loop.head);
    value = compute(type, ir::Binary{ir::BinaryOp::Add, counted.start, value}, span, loop.head);
    loop.head.push_back({ir::Assign{counted.variable, ir::Copy{value}}, span});
    body[place].node = std::move(loop);
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(place), std::make_move_iterator(before.begin()),
                std::make_move_iterator(before.end()));
  }

  // ---- Statements ----

  SlotId add_slot(Type type, ir::Slot::Kind kind, Span span) {
    kernel_.slots.push_back({"", type, kind, span});
    return static_cast<SlotId>(kernel_.slots.size() - 1);
  }

  Operand compute(Type type, ir::Expr expr, Span span, Body& body) {
    const SlotId slot = add_slot(type, ir::Slot::Kind::Temp, span);
    body.push_back({ir::Assign{slot, std::move(expr)}, span});
    return {type, slot};
  }

  bool may_copy(const Body& body, std::size_t times) {
    // Lanes that leave would meet there without the others of their warp.
    if (holders_.holds_of_warp(body)) return false;
    const std::size_t statements = (count(body) + 1) * times;
    if (copied_ + statements > most_copied) return false;
    copied_ += statements;
    return true;
  }

  // Returns a copy of a body, and a return. It has its own Temps, each of which is assigned in one place.
  Body leave(const Body& body, Span span) {
    Body copy = body;
    std::unordered_map<std::size_t, SlotId> own;
    ir::walk(copy, [&](Stmt& stmt) {
      ir::visit_results(stmt, [&](SlotId& id) {
        const ir::Slot slot = kernel_.slots[index_of(id)];
        if (slot.kind != ir::Slot::Kind::Temp) return;
        kernel_.slots.push_back(slot);
        const auto fresh = static_cast<SlotId>(kernel_.slots.size() - 1);
        own.emplace(index_of(id), fresh);
        id = fresh;
      });
    });
    ir::walk(copy, [&](Stmt& stmt) {
      ir::visit_operands(stmt, [&](Operand& operand) {
        if (!operand.slot) return;
        if (auto found = own.find(index_of(*operand.slot)); found != own.end()) operand.slot = found->second;
      });
    });
    copy.push_back({ir::Return{}, span});
    return copy;
  }

  ir::Module& module_;
  ir::FunctionId id_;
  ir::Function& kernel_;
  const BarrierHolders& holders_;
  std::vector<bool> uniform_; // by slot, without those that are new
  std::size_t copied_ = 0;
  bool changed_ = false;
};

} // namespace

void leave_early(ir::Module& module) {
  const BarrierHolders holders(module);
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    const ir::Function& kernel = module.functions[id];
    const auto last = kernel.is_kernel ? holders.last(kernel.body) : std::nullopt;
    bool around = false; // there is control flow around the last barrier
    if (last) ir::visit_bodies(kernel.body[*last], [&](const ir::Body&) { around = true; });
    if (around) Leaver(module, static_cast<ir::FunctionId>(id), holders).run();
  }
}

} // namespace kern
