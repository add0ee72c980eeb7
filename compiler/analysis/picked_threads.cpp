// `and`, `or` and chains like `0 <= b < n` are ifs that assign a value: the parts are asked, and what they pick is put
// together.
#include "compiler/analysis/picked_threads.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/ir/compare_op.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

// A bound on conditions that are made of shared parts.
static constexpr int most_steps = 64;

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
  return by(condition, holds, question);
}

Picked PickedThreads::by(const ir::Operand& condition, bool holds, Question& question) const {
  if (!condition.slot || shapes_.of(condition).kind == Shape::Kind::Uniform) return Picked::Many;
  if (++question.steps > most_steps) return Picked::One;
  if (const ir::If* join = describe_.join(condition)) return by_join(*join, holds, question);
  const ir::Stmt* made = describe_.definitions().sole(*condition.slot);
  if (!made) return Picked::One;
  if (const auto* assign = std::get_if<ir::Assign>(&made->node)) return by(assign->value, holds, question);
  const bool is_data =
      std::holds_alternative<ir::Load>(made->node) && updates_.sources(condition).is_data_alone();
  return is_data ? Picked::ByData : Picked::One;
}

Picked PickedThreads::by(const ir::Expr& condition, bool holds, Question& question) const {
  if (const auto* copy = std::get_if<ir::Copy>(&condition)) return by(copy->value, holds, question);
  const auto* unary = std::get_if<ir::Unary>(&condition);
  if (unary && unary->op == ir::UnaryOp::Not) return by(unary->value, !holds, question);
  const auto* test = std::get_if<ir::Compare>(&condition);
  return test ? by_test(*test, holds, question) : Picked::One;
}

Picked PickedThreads::by_test(const ir::Compare& test, bool holds, const Question& question) const {
  const Updates::Sources left = updates_.sources(test.left, question.params),
                         right = updates_.sources(test.right, question.params);
  const bool has_data = left.has_data || right.has_data;
  if (test.op == ir::CompareOp::Equal || test.op == ir::CompareOp::NotEqual) {
    if ((test.op == ir::CompareOp::Equal) != holds) return Picked::Many;
    return has_data && !left.is_own && !right.is_own ? Picked::ByData : Picked::One;
  }
  // `t < 1` picks a thread, `0 < t` all others.
  const bool is_right = !test.right.slot;
  const ir::Operand& limit = is_right ? test.right : test.left;
  if (has_data || limit.slot || !is_integer(limit.type)) return Picked::Many;
  const ir::CompareOp op = is_right ? test.op : ir::mirrored(test.op);
  const bool is_below = (op == ir::CompareOp::Less || op == ir::CompareOp::LessEqual) == holds;
  return is_below && std::abs(ir::int_value(limit)) <= 1 ? Picked::One : Picked::Many;
}

// Returns whom one arm lets through; nothing where its value never comes out so.
std::optional<Picked> PickedThreads::by_way(const ir::If& join, bool is_then, bool holds,
                                            Question& question) const {
  const ir::Expr& value = std::get<ir::Assign>((is_then ? join.then_body : join.else_body).back().node).value;
  const Picked entered = by(join.condition, is_then, question);
  const auto* copy = std::get_if<ir::Copy>(&value);
  const bool is_condition = copy && copy->value == join.condition;
  const bool is_constant = copy && !copy->value.slot;
  if (!is_condition && !is_constant) return std::max(entered, by(value, holds, question));
  const bool is_true = is_condition ? is_then : ir::int_value(copy->value) != 0;
  return is_true == holds ? std::optional(entered) : std::nullopt;
}

Picked PickedThreads::by_join(const ir::If& join, bool holds, Question& question) const {
  const std::optional<Picked> taken = by_way(join, true, holds, question),
                              other = by_way(join, false, holds, question);
  if (taken && other) return std::min(*taken, *other);
  return taken ? *taken : other.value_or(Picked::One);
}

} // namespace kern
