// `and` and `or` are ifs that assign a value: the parts are asked, and what they pick is put together.
#include "compiler/analysis/picked_threads.h"

#include <algorithm>
#include <cstdlib>

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
  auto small = [](const ir::Operand& operand) {
    return !operand.slot && is_integer(operand.type) && std::abs(ir::int_value(operand)) <= 1;
  };
  return !has_data && (small(test.left) || small(test.right)) ? Picked::One : Picked::Many;
}

Picked PickedThreads::by_join(const ir::If& join, bool holds, Question& question) const {
  const auto value_of = [](const ir::Body& arm) -> const ir::Expr& {
    return std::get<ir::Assign>(arm.back().node).value;
  };
  const auto is_condition = [&](const ir::Expr& value) {
    const auto* copy = std::get_if<ir::Copy>(&value);
    return copy && copy->value == join.condition;
  };
  const ir::Expr &taken = value_of(join.then_body), &other = value_of(join.else_body);
  const bool is_or = is_condition(taken), is_and = is_condition(other);
  if (!is_or && !is_and) return Picked::One;
  const Picked first = by(join.condition, holds, question),
               second = by(is_or ? other : taken, holds, question);
  return is_and == holds ? std::max(first, second) : std::min(first, second);
}

} // namespace kern
