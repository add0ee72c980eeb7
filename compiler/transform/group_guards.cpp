// Moves guards and fits up to the one before them, so that code for several lanes tests them together and leaves by
// one branch where one fails:
//
//     guard x[0] i; a = x[i]; j = i + 1; guard x[0] j; b = x[j]
//         ->   guard x[0] i; j = i + 1; guard x[0] j; a = x[i]; b = x[j]
//
// Guards keep their order, and pass over loads and assignments only: nobody can tell. What a guard needs
// comes along where it is a Temp that is computed from what is there.
#include <algorithm>
#include <utility>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::SlotId;
using ir::Stmt;

bool is_kept_guard(const Stmt& stmt) {
  const std::optional<ir::GuardState> state = ir::guard_state(stmt);
  return state && *state != ir::GuardState::Proved;
}

// Says whether a guard may move up past a statement.
bool is_silent(const Stmt& stmt) {
  return std::holds_alternative<ir::Assign>(stmt.node) || std::holds_alternative<ir::Load>(stmt.node) ||
         ir::guard_state(stmt);
}

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

class Grouper {
public:
  explicit Grouper(ir::Function& function) : function_(function), definitions_(function) {}

  void group(Body& body) {
    Body result;
    result.reserve(body.size());
    std::size_t end = nowhere; // of the guards that stand together, in the result
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { group(inner); });
      if (!is_silent(stmt)) end = nowhere;
      bool kept = is_kept_guard(stmt);
      result.push_back(std::move(stmt));
      if (!kept) continue;
      end = end == nowhere ? result.size() : move_up(result, end);
    }
    body = std::move(result);
  }

private:
  // Moves the guard at the end of a body, and what it needs, to a place where another guard ends. Returns
  // where the last guard ends now.
  std::size_t move_up(Body& body, std::size_t place) const {
    std::vector<bool> comes(body.size());
    std::vector<SlotId> needed;
    for (std::size_t at = body.size(); at-- > place;) {
      bool writes = at + 1 == body.size();
      ir::visit_results(body[at], [&](SlotId slot) {
        writes = writes || std::find(needed.begin(), needed.end(), slot) != needed.end();
      });
      if (!writes) continue;
      if (at + 1 < body.size() && !can_move(body[at])) return body.size();
      comes[at] = true;
      ir::visit_operands(body[at], [&](const ir::Operand& operand) {
        if (operand.slot) needed.push_back(*operand.slot);
      });
    }
    Body moved, stays;
    for (std::size_t at = place; at < body.size(); ++at)
      (comes[at] ? moved : stays).push_back(std::move(body[at]));
    auto from = body.begin() + static_cast<std::ptrdiff_t>(place);
    from = std::move(moved.begin(), moved.end(), from);
    std::move(stays.begin(), stays.end(), from);
    return place + moved.size();
  }

  // A Temp is assigned before every use.
  bool can_move(const Stmt& stmt) const {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign || std::holds_alternative<ir::LocalArray>(assign->value)) return false;
    auto slot = static_cast<std::size_t>(assign->slot);
    return function_.slots[slot].kind == ir::Slot::Kind::Temp && definitions_.writes(assign->slot) == 1;
  }

  const ir::Function& function_;
  ir::Definitions definitions_; // before anything moved
};

} // namespace

void group_guards(ir::Module& module) {
  for (ir::Function& function : module.functions) Grouper(function).group(function.body);
}

} // namespace kern
