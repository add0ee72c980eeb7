// Which integers of 64 bits fit an i32. A body is walked in several rounds, of which the last one counts, so each
// visit says anew what its statement holds.
#include "compiler/analysis/guards/small_values.h"

#include <utility>

#include "compiler/analysis/guards/guard_walk.h"

namespace kern {

static void note(std::unordered_set<const void*>& known, const void* node, bool is_small) {
  if (is_small)
    known.insert(node);
  else
    known.erase(node);
}

bool GuardWalk::is_within(Value value, Interval range) {
  return value.kind == Value::Kind::Integer && (symbolic_.facts.fits(symbolic_.form(value), range) ||
                                                symbolic_.extremes.fits(symbolic_.form(value), range));
}

bool GuardWalk::is_small(Value value) { return is_within(value, type_interval(types::i32)); }

bool GuardWalk::is_small(const ir::Operand& operand) { return is_small(symbolic_.value(operand)); }

void GuardWalk::note_operands(const ir::Assign& node) {
  const auto* binary = std::get_if<ir::Binary>(&node.value);
  if (binary && binary->left.type == types::i64) {
    const Wide most = type_interval(types::i32).high;
    for (const auto& [operand, least] :
         {std::pair(&binary->left, Wide{0}), std::pair(&binary->right, Wide{1})}) {
      note(small_.operands, operand, is_small(*operand));
      note(small_.naturals, operand, is_within(symbolic_.value(*operand), {least, most}));
      if (binary->op == ir::BinaryOp::Add || binary->op == ir::BinaryOp::Subtract) note_range(*operand);
    }
  }
  const auto* compare = std::get_if<ir::Compare>(&node.value);
  if (!compare || compare->left.type != types::i64) return;
  for (const ir::Operand* operand : {&compare->left, &compare->right})
    note(small_.operands, operand, is_small(*operand));
}

void GuardWalk::note_result(const ir::Assign& node) {
  if (symbolic_.declaration(node.slot).type != types::i64) return;
  note(small_.results, &node, is_small(symbolic_.slot(node.slot)));
}

void GuardWalk::note_range(const ir::Operand& operand) {
  const Value value = symbolic_.value(operand);
  const bool is_known = value.kind == Value::Kind::Integer;
  small_.ranges.insert_or_assign(&operand, is_known ? symbolic_.facts.bounds(symbolic_.form(value))
                                                    : type_interval(operand.type));
}

void GuardWalk::note_count(const ir::For& node) {
  note(small_.operands, &node.count, is_small(node.count));
  note_range(node.count);
}

void GuardWalk::note_variable(const ir::For& node) {
  if (symbolic_.declaration(node.variable).type != types::i64) return;
  const bool steps = is_small(node.start) && is_small(node.step);
  note(small_.results, &node, steps && is_small(symbolic_.slot(node.variable)));
}

SmallValues GuardWalk::run_for_small_values() {
  asks_small_ = true;
  run();
  // A walk that was given up has shown nothing.
  if (visits_ > most_visits * (statements_ + 100)) return {};
  return std::move(small_);
}

SmallValues find_small_values(const ir::Module& module, const ir::Function& function) {
  return GuardWalk(module, function).run_for_small_values();
}

} // namespace kern
