// What is known of a local of a .kern file besides its type: that it grew from narrow integers, what its only
// assignment gives it, and that a loop adds to it.
#include <algorithm>

#include "compiler/check/narrow.h"

namespace kern::checker {

static bool is_typed_integer(const Value& value) {
  return value.kind == ValueKind::Runtime && is_scalar(value.type) && is_integer(value.type);
}

void note_growth(Local& local, const Value& value) {
  Growth& growth = local.growth_now;
  growth.derives = growth.derives || value.facts.grown;
  if (is_number(value) && is_narrow(value.type)) {
    if (growth.narrow == types::unknown) growth.narrow_span = value.span;
    growth.narrow = join(growth.narrow, value.type).value_or(types::i32);
  } else if (value.facts.promoted || value.facts.grown) {
    if (!growth.grows) growth.growth_span = value.span;
    growth.grows = true;
  } else if (!is_unknown(value) && value.type != types::int_literal && !is_boolean(value.type)) {
    growth.is_plain = true;
  }
}

bool finish_growth(Local& local) {
  const Growth &before = local.growth, &now = local.growth_now;
  bool changed = before.narrow != now.narrow || before.grows != now.grows || before.derives != now.derives ||
                 before.is_plain != now.is_plain;
  local.growth = now;
  return changed;
}

void note_mixed(Local& local, const Value& left, const Value& right, const Value& result) {
  if (local.mixed || local.annotated || local.starts_with != Span{} || local.joined != types::u32) return;
  if (result.type != types::i64 || !is_typed_integer(left) || !is_typed_integer(right)) return;
  if (left.type == types::u32 && is_signed(right.type)) local.mixed = right.span;
  if (right.type == types::u32 && is_signed(left.type)) local.mixed = left.span;
}

void read_growth(const Local& local, Value& value) {
  if (local.mixed && value.type == types::i64 && value.kind == ValueKind::Runtime) {
    value.facts.local = &local;
    return;
  }
  // In the round that makes it an i32 it is one from that assignment on.
  const Growth &before = local.growth, &now = local.growth_now;
  bool has_narrow = is_narrow(before.narrow) || is_narrow(now.narrow);
  bool grew = (before.grows || now.grows) && !before.is_plain && has_narrow && !local.annotated;
  bool derived = (before.derives || now.derives) && !before.is_plain && !local.annotated;
  // One that starts as a literal is an i32 as soon as it meets a narrow integer.
  bool from_literal =
      (before.grows || now.grows) && !before.is_plain && local.starts_with != Span{} && !local.annotated;
  if (!(grew || derived || from_literal) || value.type != types::i32 || value.kind != ValueKind::Runtime)
    return;
  value.facts.grown = true;
  if (grew) value.facts.local = &local;
}

bool sums_up(const Local& local) { return local.adds_up && !local.annotated && local.starts_with != Span{}; }

bool outgrows_literal(const Local& local) {
  return !local.annotated && local.is_assigned && local.starts_with != Span{} && local.growth.grows &&
         !local.growth.is_plain && local.type == types::i32;
}

void note_held(Checker& checker, Local& local, const Value& value, bool is_alone) {
  local.origin = std::max(local.origin, value.facts.origin);
  local.xors = local.xors || value.facts.xors;
  bool is_only = local.assignments == 1;
  bool is_whole = is_number(value) && (is_integer(value.type) || value.type == types::int_literal);
  // What is assigned by one of several statements is what the local holds behind it, until the next.
  bool is_next = is_alone && !checker.stored_sum;
  bool is_product = checker.stored_sum && checker.stored_sum->op == "*" && value.facts.by_product &&
                    !value.facts.wrapped.empty();
  if (checker.unrolled != 0 || !(is_only ? is_whole : is_next || is_product)) return;
  local.held.reset();
  if (!is_whole) return;
  local.held = Held{value.facts, interval_of(value), value.type, value.span, is_alone, is_only};
  if (is_product)
    local.held->wide_text =
        fmt::format("{} = {}", local.name,
                    exact_text(checker, value, checker.stored_sum, exact_type(value).value_or(types::i64)));
  // A local that is assigned again no longer holds what is spoken of.
  const Local*& from = local.held->facts.wrapped_in;
  if (from && !sums_up(*from) && from->held && !from->held->is_only) from = nullptr;
}

void read_held(const Local& local, Value& value) {
  value.facts.origin = local.origin;
  if (!is_typed_integer(value)) return;
  if (sums_up(local)) {
    value.facts.wrapped_in = &local;
    value.facts.by_count = true;
  }
  if (!local.held) return;
  const Held& held = *local.held;
  // Before the assignment it is 0, which every type holds.
  Interval interval = hull(held.interval, {0, 0});
  if (held.is_only && holds(interval_of(value.type), interval)) value.facts.interval = interval;
  if (local.annotated || held.type != value.type || sums_up(local)) return;
  value.facts.hides_wrap = held.facts.hides_wrap || !held.facts.wide.empty();
  value.facts.factors = held.facts.factors;
  value.facts.xors = held.facts.xors;
  value.facts.by_count = held.facts.by_count;
  value.facts.by_product = held.facts.by_product;
  value.facts.wrapped_in = held.facts.wrapped.empty() ? held.facts.wrapped_in : &local;
}

// Says whether 65,536 numbers of a type may add up to what 32 bits do not hold.
static bool adds_up_beyond(const Value& added) {
  Interval interval = interval_of(added), limits{-(WideInt(1) << 15) + 1, (WideInt(1) << 15) - 1};
  return !holds(limits, interval);
}

// Says whether multiplying by a number again and again passes 32 bits: by a literal too, of 2 or more.
static bool multiplies_beyond(const Value& factor) {
  return is_typed_integer(factor) || !holds({-1, 1}, interval_of(factor));
}

void note_sum(Checker& checker, Local& local, ast::BinaryOp op, const Value& added, const Value& sum) {
  warn_half_sum(checker, local, op, sum);
  bool is_sum = op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract;
  bool is_word = is_typed_integer(sum) && bit_width(sum.type->scalar) == 32;
  bool is_whole = is_typed_integer(added) || added.type == types::int_literal;
  if (checker.loops.empty() || !is_word || !is_whole) return;
  local.is_multiplied = local.is_multiplied || op == ast::BinaryOp::Multiply;
  if (local.adds_up) return;
  bool grows = op == ast::BinaryOp::Multiply ? multiplies_beyond(added)
                                             : is_sum && is_typed_integer(added) && adds_up_beyond(added);
  if (grows) local.adds_up = added.span;
}

// Says whether an operation is one that an expression is made of by sums and products: `v * 10` of `v * 10 + d`.
static bool is_part_of(const ast::Binary& node, const ast::Expr& expr) {
  if (&expr == &node) return true;
  const auto* binary = ast::as<ast::Binary>(&expr);
  bool is_sum = binary && (binary->op == ast::BinaryOp::Add || binary->op == ast::BinaryOp::Subtract ||
                           binary->op == ast::BinaryOp::Multiply);
  return is_sum && (is_part_of(node, *binary->left) || is_part_of(node, *binary->right));
}

void note_sum(Checker& checker, const ast::Binary& node, const Value& left, const Value& right,
              const Value& sum) {
  bool is_assigned =
      checker.assigned && !checker.target_name.empty() && is_part_of(node, *checker.assigned->value);
  if (!is_assigned) return;
  Local* local = checker.find_local(checker.target_name);
  if (local) note_mixed(*local, left, right, sum);
  const auto *first = ast::as<ast::Name>(node.left), *second = ast::as<ast::Name>(node.right);
  bool commutes = node.op == ast::BinaryOp::Add || node.op == ast::BinaryOp::Multiply;
  if (local && first && first->text == checker.target_name)
    note_sum(checker, *local, node.op, right, sum);
  else if (local && commutes && second && second->text == checker.target_name)
    note_sum(checker, *local, node.op, left, sum);
}

} // namespace kern::checker
