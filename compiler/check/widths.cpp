// Computes what an integer expression would be if none of its operators had wrapped: where it lies then, and
// the operands of which a cast to 64 bits makes it so. A text that saturates is made of these, so that it
// does for every value.
#include "compiler/check/narrow.h"

namespace kern::checker {

static constexpr Interval anything{-(WideInt(1) << 120), WideInt(1) << 120};

Interval exact_of(const Value& value) { return value.facts.exact.value_or(interval_of(value)); }

static Interval reach_of(const Value& value) { return value.facts.reach.value_or(exact_of(value)); }

static void take_widths(IntegerFacts& facts, const Value& value) {
  Interval reach = reach_of(value);
  facts.reach = facts.reach ? hull(*facts.reach, reach) : reach;
  facts.hides_wrap = facts.hides_wrap || value.facts.hides_wrap;
  append_spans(facts.wide, value.facts.wide);
}

static void reach_to(IntegerFacts& facts, const Interval& exact) {
  facts.exact = exact;
  facts.reach = facts.reach ? hull(*facts.reach, exact) : exact;
}

// Says whether the bits that a mask lets through are those of an exact result.
static bool masks(ast::BinaryOp op, const Value& mask, Type type) {
  return op == ast::BinaryOp::BitAnd && mask.facts.wide.empty() && interval_of(mask).least >= 0 &&
         holds(interval_of(type), interval_of(mask));
}

void note_widths(IntegerFacts& facts, ast::BinaryOp op, const Value& left, const Value& right, Type type,
                 const std::vector<Span>& leaf) {
  bool shift = op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight;
  const Value* mask = masks(op, right, type) ? &right : masks(op, left, type) ? &left : nullptr;
  if (mask) {
    facts.exact = facts.reach = Interval{0, interval_of(*mask).greatest};
    if (interval_of(left).least >= 0 && interval_of(right).least >= 0)
      facts.exact = facts.reach = interval_of(op, interval_of(left), interval_of(right), 64);
    return;
  }
  take_widths(facts, left);
  take_widths(facts, right);
  reach_to(facts, interval_of(op, exact_of(left), exact_of(right), 64));
  // Beside an operand of 64 bits the operator computes in them already.
  bool is_wide = !left.facts.wide.empty() || (!shift && !right.facts.wide.empty());
  if (!is_wide && !holds(interval_of(type), *facts.exact)) append_spans(facts.wide, leaf);
}

void note_widths(IntegerFacts& facts, ast::UnaryOp op, const Value& operand, Type type,
                 const std::vector<Span>& leaves) {
  facts.exact.reset(), facts.reach.reset(), facts.wide.clear();
  take_widths(facts, operand);
  bool negates = op == ast::UnaryOp::Negative;
  reach_to(facts, negates ? negated(exact_of(operand)) : inverted(exact_of(operand), type));
  // In 64 bits there are more ones.
  if (!negates && !is_signed(type) && !facts.wide.empty()) facts.hides_wrap = true;
  if (facts.wide.empty() && !holds(interval_of(type), *facts.exact)) append_spans(facts.wide, leaves);
}

void note_widths_of_size(IntegerFacts& facts, const Value& operand, Type type) {
  take_widths(facts, operand);
  reach_to(facts, absolute(exact_of(operand)));
  if (facts.wide.empty() && !holds(interval_of(type), *facts.exact)) facts.wide = {operand.span};
}

void note_widths_of_extremum(IntegerFacts& facts, bool greatest, const std::vector<Value>& values) {
  std::optional<Interval> exact;
  for (const Value& value : values) {
    take_widths(facts, value);
    exact = exact ? extremum(greatest, *exact, exact_of(value)) : exact_of(value);
  }
  if (exact) reach_to(facts, *exact);
}

void note_widths_of_either(IntegerFacts& facts, const Value& a, const Value& b) {
  take_widths(facts, a);
  take_widths(facts, b);
  reach_to(facts, hull(exact_of(a), exact_of(b)));
}

std::optional<Type> exact_type(const Value& value) {
  const IntegerFacts& facts = value.facts;
  if (facts.hides_wrap) return std::nullopt;
  if (facts.wide.empty()) return value.type;
  Interval reach = facts.reach.value_or(anything);
  bool too_many = facts.wide.size() > most_leaves;
  // A u64 meets no signed integer, and what 64 bits do not hold nothing does.
  if (too_many || value.type == types::u64) return std::nullopt;
  if (holds(interval_of(types::i64), reach)) return types::i64;
  bool is_natural = value.type == types::u32 && holds(interval_of(types::u64), reach);
  return is_natural ? std::optional(types::u64) : std::nullopt;
}

} // namespace kern::checker
