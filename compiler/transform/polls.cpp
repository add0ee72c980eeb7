// A loop of a launch that may be stopped becomes
//
//     while:
//       goes_on = _goes_on(); check goes_on
//       ... what the head was
//
// The check stands in the head, which `continue` comes to as well; in a `for` it begins the body. It leaves the
// kernel as an assertion does, so that barriers, waiting loops and device functions need nothing of their own.
#include <iterator>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {

static void poll_in(ir::Module& module, ir::FunctionId id, ir::Stmt& stmt) {
  ir::visit_bodies(stmt, [&](ir::Body& body) {
    for (ir::Stmt& inner : body) poll_in(module, id, inner);
  });
  auto* repeated = std::get_if<ir::While>(&stmt.node);
  auto* counted = std::get_if<ir::For>(&stmt.node);
  if (!repeated && !counted) return;
  std::vector<ir::Slot>& slots = module.function(id).slots;
  auto goes_on = static_cast<ir::SlotId>(slots.size());
  slots.push_back({"", types::boolean, ir::Slot::Kind::Temp, stmt.span});
  auto site = static_cast<ir::SiteId>(module.sites.size());
  module.sites.push_back({ir::FaultKind::Stopped, stmt.span, "", "", {}, id});
  ir::Body& body = repeated ? repeated->head : counted->body;
  ir::Body polling;
  polling.push_back({ir::CallEffect{goes_on, Builtin::GoesOn, {}}, stmt.span});
  polling.push_back({ir::Check{{types::boolean, goes_on}, site, {}}, stmt.span});
  polling.insert(polling.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
  body = std::move(polling);
}

void poll_stops(ir::Module& module) {
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    for (ir::Stmt& stmt : module.functions[i].body) poll_in(module, static_cast<ir::FunctionId>(i), stmt);
}

} // namespace kern
