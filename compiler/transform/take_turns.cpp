// A loop that waits becomes
//
//     turn = 0
//     while:
//       turn = _take_turn(turn); check turn >= 0
//       ... what the head was
//
// The check stands in the head, which `continue` comes to as well; in a `for` it begins the body. On a GPU
// the hardware shares out turns; there it leaves a loop whose end the thread that faulted would have brought.
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/analysis/threads/waiting.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

class TurnTaker {
public:
  TurnTaker(ir::Module& module, ir::FunctionId id, const std::vector<WaitingLoop>& loops)
      : module_(module), function_(module.function(id)), id_(id) {
    for (const WaitingLoop& waiting : loops) loops_.insert(waiting.loop);
  }

  void run() {
    if (!loops_.empty()) visit(function_.body);
  }

private:
  void visit(ir::Body& body) {
    ir::Body result;
    result.reserve(body.size());
    for (ir::Stmt& stmt : body) {
      bool waits = loops_.contains(&stmt);
      ir::visit_bodies(stmt, [&](ir::Body& inner) { visit(inner); });
      if (waits) wait_in(stmt, result);
      result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

  ir::SlotId add_slot(Type type, ir::Slot::Kind kind, Span span) {
    function_.slots.push_back({"", type, kind, span});
    return static_cast<ir::SlotId>(function_.slots.size() - 1);
  }

  void wait_in(ir::Stmt& loop, ir::Body& before) {
    Span span = loop.span;
    ir::SlotId turn = add_slot(types::i64, ir::Slot::Kind::Variable, span);
    ir::SlotId goes_on = add_slot(types::boolean, ir::Slot::Kind::Temp, span);
    const ir::Operand state{types::i64, turn}, zero = ir::constant_int(types::i64, 0);
    module_.sites.push_back({ir::FaultKind::NoProgress, span, "", "", {}, id_});
    auto site = static_cast<ir::SiteId>(module_.sites.size() - 1);
    before.push_back({ir::Assign{turn, ir::Copy{zero}}, span});
    ir::Body first;
    first.push_back({ir::CallEffect{turn, Builtin::TakeTurn, {state}}, span});
    first.push_back({ir::Assign{goes_on, ir::Compare{ir::CompareOp::GreaterEqual, state, zero}}, span});
    first.push_back({ir::Check{{types::boolean, goes_on}, site, {}}, span});
    auto* repeated = std::get_if<ir::While>(&loop.node);
    ir::Body& body = repeated ? repeated->head : std::get<ir::For>(loop.node).body;
    first.insert(first.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    body = std::move(first);
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::FunctionId id_;
  std::unordered_set<const ir::Stmt*> loops_;
};

} // namespace

void take_turns(ir::Module& module) {
  std::vector<std::vector<WaitingLoop>> loops = find_waiting_loops(module);
  std::unordered_set<const ir::Load*> polled;
  for (const std::vector<WaitingLoop>& of_function : loops)
    for (const WaitingLoop& waiting : of_function)
      polled.insert(waiting.polled.begin(), waiting.polled.end());
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (!polled.empty())
      ir::walk(module.functions[i].body, [&](ir::Stmt& stmt) {
        if (auto* load = std::get_if<ir::Load>(&stmt.node)) load->is_polled = polled.contains(load);
      });
    TurnTaker(module, static_cast<ir::FunctionId>(i), loops[i]).run();
  }
}

} // namespace kern
