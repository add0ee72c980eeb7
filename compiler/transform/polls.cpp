// A loop of a launch that may be stopped becomes
//
//     while:
//       goes_on = _goes_on(); check goes_on
//       ... what the head was
//
// The check stands in the head, which `continue` comes to as well; in a `for` it begins the body. It leaves the
// kernel as an assertion does, so that barriers, waiting loops and device functions need nothing of their own:
// whoever is waited for asks, and one that has left is waited for by nobody. Loops that are known to take few
// turns, inner ones together, do not ask. A kernel has a place for threads that do not even begin.
#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

// A loop of no more turns, those of loops in it included, is short.
constexpr std::int64_t most_turns = 1024;

class Poller {
public:
  Poller(ir::Module& module, ir::FunctionId id) : module_(module), id_(id) {}

  void run() {
    ir::Function& function = module_.function(id_);
    poll_in(function.body);
    if (function.is_kernel) function.start_site = add_site(function.span, "before this thread began");
  }

private:
  ir::SiteId add_site(Span span, const char* where) {
    module_.sites.push_back({ir::FaultKind::Stopped, span, where, "", {}, id_});
    return static_cast<ir::SiteId>(module_.sites.size() - 1);
  }

  // Returns how many turns the short loops of a body take together.
  std::int64_t poll_in(ir::Body& body) {
    std::int64_t turns = 0;
    for (ir::Stmt& stmt : body) turns = std::min(turns + poll_in(stmt), most_turns);
    return turns;
  }

  std::int64_t poll_in(ir::Stmt& stmt) {
    std::int64_t turns = 0;
    ir::visit_bodies(stmt, [&](ir::Body& body) { turns = std::min(turns + poll_in(body), most_turns); });
    auto* repeated = std::get_if<ir::While>(&stmt.node);
    auto* counted = std::get_if<ir::For>(&stmt.node);
    if (!repeated && !counted) return turns;
    if (counted && !counted->count.slot) {
      const std::int64_t count = std::clamp<std::int64_t>(ir::int_value(counted->count), 0, most_turns + 1);
      if (count * (1 + turns) <= most_turns) return count * (1 + turns);
    }
    ask(stmt.span, repeated ? repeated->head : counted->body);
    return 0;
  }

  void ask(Span span, ir::Body& body) {
    std::vector<ir::Slot>& slots = module_.function(id_).slots;
    const auto goes_on = static_cast<ir::SlotId>(slots.size());
    slots.push_back({"", types::boolean, ir::Slot::Kind::Temp, span});
    const auto* first = body.empty() ? nullptr : std::get_if<ir::CallEffect>(&body.front().node);
    const bool waits = first && first->builtin == Builtin::TakeTurn;
    ir::Body asking;
    asking.push_back({ir::CallEffect{goes_on, waits ? Builtin::WaitGoesOn : Builtin::GoesOn, {}}, span});
    asking.push_back({ir::Check{{types::boolean, goes_on}, add_site(span, "in this loop"), {}}, span});
    asking.insert(asking.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    body = std::move(asking);
  }

  ir::Module& module_;
  ir::FunctionId id_;
};

} // namespace

void poll_stops(ir::Module& module) {
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    Poller(module, static_cast<ir::FunctionId>(i)).run();
}

} // namespace kern
