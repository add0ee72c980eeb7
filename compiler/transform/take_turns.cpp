// A loop that waits becomes
//
//     turn = 0
//     while:
//       turn = _take_turn(turn); check turn >= 0
//       ... what the head was
//
// The check stands in the head, which `continue` comes to as well. On a GPU the hardware shares out turns,
// and nothing of this is left.
#include <unordered_set>
#include <utility>

#include "compiler/analysis/waiting.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

class TurnTaker {
public:
  TurnTaker(ir::Module& module, ir::FunctionId id)
      : module_(module), function_(module.functions[index_of(id)]), id_(id) {
    for (const WaitingLoop& waiting : find_waiting_loops(module, function_)) {
      loops_.insert(waiting.loop);
      polled_.insert(waiting.polled.begin(), waiting.polled.end());
    }
  }

  void run() {
    if (loops_.empty()) return;
    ir::walk(function_.body, [&](ir::Stmt& stmt) {
      if (auto* load = std::get_if<ir::Load>(&stmt.node)) load->is_polled = polled_.contains(load);
    });
    visit(function_.body);
  }

private:
  static std::size_t index_of(ir::FunctionId id) { return static_cast<std::size_t>(id); }

  void visit(ir::Body& body) {
    ir::Body result;
    result.reserve(body.size());
    for (ir::Stmt& stmt : body) {
      bool waits = loops_.contains(&stmt);
      ir::visit_bodies(stmt, [&](ir::Body& inner) { visit(inner); });
      if (waits) wait_in(std::get<ir::While>(stmt.node), stmt.span, result);
      result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

  ir::SlotId add_slot(Type type, ir::Slot::Kind kind, Span span) {
    function_.slots.push_back({"", type, kind, span});
    return static_cast<ir::SlotId>(function_.slots.size() - 1);
  }

  void wait_in(ir::While& loop, Span span, ir::Body& before) {
    ir::SlotId turn = add_slot(types::i64, ir::Slot::Kind::Variable, span);
    ir::SlotId goes_on = add_slot(types::boolean, ir::Slot::Kind::Temp, span);
    const ir::Operand state{types::i64, turn}, zero = ir::constant_int(types::i64, 0);
    module_.sites.push_back({ir::FaultKind::NoProgress, span, "", "", {}, id_});
    auto site = static_cast<ir::SiteId>(module_.sites.size() - 1);
    before.push_back({ir::Assign{turn, ir::Copy{zero}}, span});
    ir::Body head;
    head.push_back({ir::CallEffect{turn, Builtin::TakeTurn, {state}}, span});
    head.push_back({ir::Assign{goes_on, ir::Compare{ir::CompareOp::GreaterEqual, state, zero}}, span});
    head.push_back({ir::Check{{types::boolean, goes_on}, site, {}}, span});
    head.insert(head.end(), std::make_move_iterator(loop.head.begin()),
                std::make_move_iterator(loop.head.end()));
    loop.head = std::move(head);
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::FunctionId id_;
  std::unordered_set<const ir::Stmt*> loops_;
  std::unordered_set<const ir::Load*> polled_;
};

} // namespace

void take_turns(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id)
    TurnTaker(module, static_cast<ir::FunctionId>(id)).run();
}

} // namespace kern
