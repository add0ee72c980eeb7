// A `continue` with no barrier behind it in its round holds nobody up: the round ends for its thread, and all
// meet at the next barrier. Left as a jump it would be one that threads of a block take differently, around a
// barrier. So what follows it moves under the condition that it was not taken:
//   * into the other arm of its `if`, where one arm never falls through: tests still dominate what they
//     guard;
//   * else, or past some depth of arms, under the flag that says that the round is over.
#include <algorithm>
#include <utility>

#include "compiler/ir/walk.h"
#include "compiler/transform/barriers/barriers.h"

namespace kern {
namespace {

using ir::Body;
using ir::SlotId;
using ir::Stmt;

constexpr int arm_depth = 32;

// Says whether a statement is, or holds, a Continue of the loop around it.
bool continues(const Stmt& stmt) {
  if (std::holds_alternative<ir::Continue>(stmt.node)) return true;
  const auto* branch = std::get_if<ir::If>(&stmt.node);
  if (!branch) return false;
  auto any = [](const Body& body) {
    for (const Stmt& inner : body)
      if (continues(inner)) return true;
    return false;
  };
  return any(branch->then_body) || any(branch->else_body);
}

bool never_falls_through(const Body& body) {
  for (const Stmt& stmt : body) {
    if (std::holds_alternative<ir::Continue>(stmt.node) || std::holds_alternative<ir::Break>(stmt.node) ||
        std::holds_alternative<ir::Return>(stmt.node))
      return true;
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    if (branch && never_falls_through(branch->then_body) && never_falls_through(branch->else_body))
      return true;
  }
  return false;
}

Body take_from(Body& body, std::size_t first) {
  const auto from = body.begin() + static_cast<std::ptrdiff_t>(first);
  Body rest(std::make_move_iterator(from), std::make_move_iterator(body.end()));
  body.erase(from, body.end());
  return rest;
}

// Moves what follows an `if` into the arm that alone reaches it; false where both do.
bool move_into_arm(ir::If& branch, Body& rest) {
  const bool then_leaves = never_falls_through(branch.then_body);
  if (!then_leaves && !never_falls_through(branch.else_body)) return false;
  append(then_leaves ? branch.else_body : branch.then_body, std::move(rest));
  return true;
}

class RoundEnder {
public:
  RoundEnder(ir::Function& function, const BarrierHolders& holders)
      : function_(function), holders_(holders) {}

  void visit(Body& body) {
    for (Stmt& stmt : body) {
      if (!holders_.holds(stmt)) continue;
      ir::visit_bodies(stmt, [&](Body& inner) { visit(inner); });
      if (auto* loop = std::get_if<ir::While>(&stmt.node)) end_round(loop->body, stmt.span);
      if (auto* loop = std::get_if<ir::For>(&stmt.node)) end_round(loop->body, stmt.span);
    }
  }

private:
  void end_round(Body& round, Span span) {
    flag_.reset();
    const std::size_t first = holders_.last(round).value_or(0);
    end_behind(round, false);
    if (flag_)
      round.insert(round.begin() + static_cast<std::ptrdiff_t>(first),
                   {ir::Assign{*flag_, ir::Copy{ir::constant_bool(false)}}, span});
  }

  // Rewrites what is behind the last barrier of a body; `sets_flag` says that something comes behind the
  // body. Returns whether a thread may have ended its round there.
  bool end_behind(Body& body, bool sets_flag) {
    const std::optional<std::size_t> last = holders_.last(body);
    if (!last) {
      const bool ends = std::any_of(body.begin(), body.end(), continues);
      if (ends) body = end(std::move(body), sets_flag, 0);
      return ends;
    }
    Body rest = take_from(body, *last + 1);
    bool ends = false;
    if (auto* branch = std::get_if<ir::If>(&body.back().node)) {
      const bool flagged = sets_flag || !rest.empty();
      ends = end_behind(branch->then_body, flagged);
      ends = end_behind(branch->else_body, flagged) || ends;
    }
    if (!ends || rest.empty()) {
      const bool rest_ends = std::any_of(rest.begin(), rest.end(), continues);
      append(body, rest_ends ? end(std::move(rest), sets_flag, 0) : std::move(rest));
      return ends || rest_ends;
    }
    unless_over(std::move(rest), 0, body);
    return true;
  }

  ir::Operand flag() {
    if (!flag_) {
      function_.slots.push_back({"", types::boolean, ir::Slot::Kind::Variable, function_.span});
      flag_ = static_cast<SlotId>(function_.slots.size() - 1);
    }
    return {types::boolean, *flag_};
  }

  // Rewrites a body that holds no barrier.
  Body end(Body body, bool sets_flag, int depth) {
    Body result;
    for (std::size_t i = 0; i < body.size(); ++i) {
      Stmt& stmt = body[i];
      const Span span = stmt.span;
      if (std::holds_alternative<ir::Continue>(stmt.node)) {
        if (sets_flag) result.push_back({ir::Assign{*flag().slot, ir::Copy{ir::constant_bool(true)}}, span});
        return result;
      }
      if (!continues(stmt)) {
        result.push_back(std::move(stmt));
        continue;
      }
      Body rest = take_from(body, i + 1);
      auto& branch = std::get<ir::If>(stmt.node);
      const bool moved = depth < arm_depth && move_into_arm(branch, rest);
      if (moved) rest.clear();
      const bool flagged = sets_flag || !rest.empty();
      branch.then_body = end(std::move(branch.then_body), flagged, depth + 1);
      branch.else_body = end(std::move(branch.else_body), flagged, depth + 1);
      result.push_back(std::move(stmt));
      if (!rest.empty()) unless_over(std::move(rest), depth, result);
      return result;
    }
    return result;
  }

  // Appends statements that run unless the round is over, side by side: a long chain must not become a deep
  // nest.
  void unless_over(Body rest, int depth, Body& result) {
    std::size_t parts = 0;
    for (std::size_t i = 0; i + 1 < rest.size(); ++i) parts += continues(rest[i]) ? 1 : 0;
    if (parts > 0) share_temps(rest);
    Body part;
    for (Stmt& stmt : rest) {
      const bool is_end = continues(stmt);
      part.push_back(std::move(stmt));
      if (is_end) add_part(std::exchange(part, {}), depth, result);
    }
    if (!part.empty()) add_part(std::move(part), depth, result);
  }

  void add_part(Body part, int depth, Body& result) {
    const Span span = part.front().span;
    result.push_back({ir::If{flag(), {}, end(std::move(part), true, depth + 1)}, span});
  }

  // Values that one part computes and another uses are in no body that encloses both.
  void share_temps(const Body& rest) {
    for (const Stmt& stmt : rest)
      ir::visit_results(stmt, [&](SlotId id) {
        ir::Slot& slot = function_.slots[static_cast<std::size_t>(id)];
        if (slot.kind == ir::Slot::Kind::Temp) slot.kind = ir::Slot::Kind::Variable;
      });
  }

  ir::Function& function_;
  const BarrierHolders& holders_;
  std::optional<SlotId> flag_; // of the loop at hand: this thread's round is over
};

} // namespace

void end_rounds(ir::Module& module) {
  const BarrierHolders holders(module);
  for (ir::Function& function : module.functions) RoundEnder(function, holders).visit(function.body);
}

} // namespace kern
