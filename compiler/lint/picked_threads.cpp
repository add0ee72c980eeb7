// `and`, `or` and chains like `0 <= b < n` are ifs that assign a value: the parts are asked, and what they pick is put
// together. So is a flag that a loop sets, by what is around its assignments.
#include "compiler/lint/picked_threads.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "compiler/ir/compare_op.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

// A bound on conditions that are made of shared parts.
static constexpr int most_steps = 64;
// And on the assignments of a flag.
static constexpr std::size_t most_ways = 32;

bool ends_by_atomic(const ir::Stmt& loop) {
  auto is_atomic = [](const ir::Stmt& stmt) { return std::holds_alternative<ir::Atomic>(stmt.node); };
  const auto* repeated = std::get_if<ir::While>(&loop.node);
  if (repeated && ir::any(repeated->head, is_atomic)) return true;
  return ir::is_loop(loop) && ir::any(loop, is_atomic) &&
         ir::any(loop, [](const ir::Stmt& stmt) { return std::holds_alternative<ir::Break>(stmt.node); });
}

bool waits_for_others(const ir::Module& module, const ir::Function& kernel) {
  return ir::any_reachable(module, kernel.body, [](const ir::Stmt& stmt) {
    const auto* repeated = std::get_if<ir::While>(&stmt.node);
    return ends_by_atomic(stmt) || (repeated && repeated->body.empty());
  });
}

std::vector<bool> find_waiting_functions(const ir::Module& module) {
  std::vector<bool> result;
  for (const ir::Function& function : module.functions)
    result.push_back(!function.is_kernel && ir::any_reachable(module, function.body, ends_by_atomic));
  return result;
}

Picked PickedThreads::by(const ir::Operand& condition, bool holds,
                         const std::vector<Updates::Sources>& params) const {
  Question question{params};
  return std::min(by(condition, holds, question), Picked::One);
}

Picked PickedThreads::by(const ir::Operand& condition, bool holds, Question& question) const {
  if (!condition.slot) return (ir::int_value(condition) != 0) == holds ? Picked::Many : Picked::Nobody;
  if (shapes_.of(condition).kind == Shape::Kind::Uniform) return Picked::Many;
  if (++question.steps > most_steps) return Picked::One;
  if (const ir::If* join = describe_.join(condition)) return by_join(*join, holds, question);
  const std::span<const ir::Stmt* const> made = updates_.choices().assignments(*condition.slot);
  if (made.empty()) return by_sources(condition, question);
  return made.size() > 1 ? by_flag(*condition.slot, holds, question)
                         : by_assignment(*condition.slot, *made.front(), holds, question);
}

Picked PickedThreads::by(const ir::Expr& condition, bool holds, Question& question) const {
  if (++question.steps > most_steps) return Picked::One;
  const auto pick = [&](const ir::Operand& part, bool part_holds) { return by(part, part_holds, question); };
  if (const auto* copy = std::get_if<ir::Copy>(&condition)) return pick(copy->value, holds);
  const auto* unary = std::get_if<ir::Unary>(&condition);
  if (unary && unary->op == ir::UnaryOp::Not) return pick(unary->value, !holds);
  if (const auto* test = std::get_if<ir::Compare>(&condition)) return by_test(*test, holds, question);
  const auto* both = std::get_if<ir::Binary>(&condition);
  if (both && (both->op == ir::BinaryOp::BitAnd || both->op == ir::BinaryOp::BitOr)) {
    const Picked left = pick(both->left, holds), right = pick(both->right, holds);
    return (both->op == ir::BinaryOp::BitAnd) == holds ? std::max(left, right) : std::min(left, right);
  }
  if (const auto* select = std::get_if<ir::Select>(&condition))
    return std::min(std::max(pick(select->condition, true), pick(select->then_value, holds)),
                    std::max(pick(select->condition, false), pick(select->else_value, holds)));
  bool is_data = false, is_own = false;
  ir::visit_operands(condition, [&](const ir::Operand& part) {
    const Updates::Sources sources = updates_.sources(part, question.params);
    is_data = is_data || sources.has_data;
    is_own = is_own || sources.tells_apart();
  });
  return is_data && !is_own ? Picked::Many : Picked::One;
}

Picked PickedThreads::by_test(const ir::Compare& test, bool holds, const Question& question) const {
  const Updates::Sources left = updates_.sources(test.left, question.params),
                         right = updates_.sources(test.right, question.params);
  const bool has_data = left.has_data || right.has_data;
  const Picked chosen = left.is_own || right.is_own                     ? Picked::One
                        : left.is_of_picked || right.is_of_picked       ? Picked::ByElement
                        : has_data || left.is_of_own || right.is_of_own ? Picked::ByData
                                                                        : Picked::One;
  if (test.op == ir::CompareOp::Equal || test.op == ir::CompareOp::NotEqual)
    return (test.op == ir::CompareOp::Equal) == holds ? chosen : Picked::Many;
  // `t < 1` picks a thread, `0 < t` all others.
  const bool is_right = !test.right.slot;
  const ir::Operand& limit = is_right ? test.right : test.left;
  if (has_data || limit.slot || !is_integer(limit.type)) return Picked::Many;
  const ir::CompareOp op = is_right ? test.op : ir::mirrored(test.op);
  const bool is_below = (op == ir::CompareOp::Less || op == ir::CompareOp::LessEqual) == holds;
  return is_below && std::abs(ir::int_value(limit)) <= 1 ? chosen : Picked::Many;
}

// Returns whom one arm lets through.
Picked PickedThreads::by_arm(const ir::If& join, bool is_then, bool holds, Question& question) const {
  const ir::Expr& value = std::get<ir::Assign>((is_then ? join.then_body : join.else_body).back().node).value;
  const Picked entered = by(join.condition, is_then, question);
  const auto* copy = std::get_if<ir::Copy>(&value);
  if (copy && copy->value == join.condition) return is_then == holds ? entered : Picked::Nobody;
  return std::max(entered, by(value, holds, question));
}

Picked PickedThreads::by_join(const ir::If& join, bool holds, Question& question) const {
  return std::min(by_arm(join, true, holds, question), by_arm(join, false, holds, question));
}

// Returns whom a condition lets through that is known only by its sources: memory may hold anything.
Picked PickedThreads::by_sources(const ir::Operand& condition, const Question& question) const {
  return updates_.sources(condition, question.params).is_data_alone() ? Picked::ByData : Picked::One;
}

// Returns for whom an assignment gives a flag such a value.
Picked PickedThreads::by_assignment(ir::SlotId flag, const ir::Stmt& stmt, bool holds,
                                    Question& question) const {
  if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) return by(assign->value, holds, question);
  return by_sources({types::boolean, flag}, question);
}

// Returns whom a flag lets through: those that come to one of the assignments that give it such a value.
// Everybody comes to a loop at least once. The first assignment stands for the rounds before, if the flag is
// computed from itself: `found = found or x[k] == v`.
Picked PickedThreads::by_flag(ir::SlotId flag, bool holds, Question& question) const {
  const std::span<const Choices::Way> ways = updates_.choices().ways(flag);
  const auto given = [&](const Choices::Way& way) {
    return by_assignment(flag, *way.assignment, holds, question);
  };
  if (std::ranges::find(question.open, flag) != question.open.end())
    return ways.front().steps.empty() ? given(ways.front()) : Picked::Nobody;
  if (ways.size() > most_ways) return Picked::One;
  question.open.push_back(flag);
  Picked result = Picked::Nobody;
  for (const Choices::Way& way : ways) {
    Picked picked = given(way);
    for (const Choices::Step& step : way.steps)
      if (const auto* branch = std::get_if<ir::If>(&step.stmt->node))
        picked = std::max(picked, by(branch->condition, step.holds, question));
      else if (const auto* loop = std::get_if<ir::While>(&step.stmt->node))
        picked = std::max(picked, by(loop->condition, true, question));
    // The initial value of a flag stays if no other assignment changes it.
    if (&way == &ways.front() && way.steps.empty())
      for (const Choices::Way& other : std::span(ways).subspan(1)) {
        Picked stays = given(other);
        for (const Choices::Step& step : other.steps)
          if (const auto* branch = std::get_if<ir::If>(&step.stmt->node))
            stays = std::min(stays, by(branch->condition, !step.holds, question));
        picked = std::max(picked, stays);
      }
    result = std::min(result, picked);
  }
  question.open.pop_back();
  return result;
}

} // namespace kern
