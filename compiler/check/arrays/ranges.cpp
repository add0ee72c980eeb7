// The numbers of a range. How often a loop over it runs, and how many places a slice takes, is computed without a number that wraps.
#include <algorithm>
#include <limits>

#include "compiler/advice/advice.h"
#include "compiler/check/arrays/iteration.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

// The facts about the arguments of a range.
struct RangeFacts {
  bool ascends; // the step is not negative
  bool narrow;  // they have fewer than 64 bits
  StepFacts steps;
};

// Returns the steps of a width that begin before a distance is over. At least one does; another distance
// gives what nobody reads.
static ir::Operand steps_in(Checker& checker, ir::Operand distance, ir::Operand width, Span span) {
  if (!width.slot && width.bits == 1) return distance;
  ir::Operand one = ir::constant_int(distance.type, 1);
  ir::Operand before_last = checker.binary(ir::BinaryOp::Subtract, distance, one, span);
  return checker.binary(ir::BinaryOp::Add,
                        checker.binary(ir::BinaryOp::FloorDivide, before_last, width, span), one, span);
}

// Returns the steps of an i64, which may go down, over a distance. `near` where the distance is an i64: else
// both are computed as u64s, and the result may be one.
ir::Operand steps_over(Checker& checker, ir::Operand distance, ir::Operand step, ir::Operand up,
                       const StepFacts& facts, Span span) {
  bool by_one = !step.slot && (ir::int_value(step) == 1 || ir::int_value(step) == -1);
  if (by_one) return distance;
  ir::Operand down = step;
  if (facts.near && !facts.turns) {
    // No distance is as long as the longest step, nor as its neighbour, whose negative is an i64.
    ir::Operand limit = number(-std::numeric_limits<std::int64_t>::max());
    down = checker.select(checker.compare(ir::CompareOp::Less, step, limit, span), limit, step, span);
  }
  bool always_up = !up.slot && up.bits != 0;
  ir::Operand back = always_up ? step : checker.binary(ir::BinaryOp::Subtract, number(0), down, span);
  Type type = facts.near ? types::i64 : types::u64;
  ir::Operand width = cast(checker, checker.select(up, step, back, span), type, span);
  return cast(checker, steps_in(checker, cast(checker, distance, type, span), width, span), types::i64, span);
}

// Returns how often a loop runs; 0 or less is never. Everything is i64; a count beyond that is cut to the
// greatest, to which nobody comes.
static ir::Operand trip_count(Checker& checker, ir::Operand start, ir::Operand stop, ir::Operand step,
                              const RangeFacts& facts, Span span) {
  std::int64_t by = step.slot ? 0 : ir::int_value(step);
  ir::Operand zero = number(0);
  if (!step.slot && facts.narrow) {
    // Bounds of at most 32 bits: nothing overflows, and a negative result means none.
    ir::Operand distance = by > 0 ? checker.binary(ir::BinaryOp::Subtract, stop, start, span)
                                  : checker.binary(ir::BinaryOp::Subtract, start, stop, span);
    std::int64_t width = by > 0 ? by : -by;
    ir::Operand rounded = checker.binary(ir::BinaryOp::Add, distance, number(width - 1), span);
    return width == 1 ? distance : checker.binary(ir::BinaryOp::FloorDivide, rounded, number(width), span);
  }
  ir::Operand up =
      facts.ascends ? ir::constant_bool(true) : checker.compare(ir::CompareOp::Greater, step, zero, span);
  ir::Operand low = checker.select(up, start, stop, span), high = checker.select(up, stop, start, span);
  ir::Operand distance = checker.binary(ir::BinaryOp::Subtract, high, low, span);
  ir::Operand count = steps_over(checker, distance, step, up, facts.steps, span);
  if (!facts.steps.near) {
    ir::Operand beyond = checker.compare(ir::CompareOp::Less, count, zero, span);
    count = checker.select(beyond, number(std::numeric_limits<std::int64_t>::max()), count, span);
  }
  bool cannot_overflow = !low.slot && ir::int_value(low) == 0 && by == 1;
  if (cannot_overflow) return count;
  return checker.select(checker.compare(ir::CompareOp::Less, low, high, span), count, zero, span);
}

// The same of u64.
static ir::Operand trip_count_unsigned(Checker& checker, ir::Operand start, ir::Operand stop,
                                       ir::Operand step, Span span) {
  ir::Operand count =
      steps_in(checker, checker.binary(ir::BinaryOp::Subtract, stop, start, span), step, span);
  ir::Operand runs = checker.compare(ir::CompareOp::Less, start, stop, span);
  ir::Operand most = ir::constant_int(types::u64, std::numeric_limits<std::int64_t>::max());
  count = checker.pure(Builtin::Min, types::u64, {count, most}, span);
  return checker.select(runs, cast(checker, count, types::i64, span), number(0), span);
}

// Returns the type of a range's numbers: the widest of its arguments, literals not counted.
static std::optional<Type> range_type(Checker& checker, const Value& range, std::optional<Type> of_literals) {
  Type type = types::int_literal;
  for (const Value& part : range.elements) {
    bool fits = is_number(part) && (is_integer(part.type) || is_boolean(part.type));
    if (!fits && checker.rules.casts_numbers && is_number(part) && is_float(part.type)) continue;
    if (!fits) {
      checker.report(part.span, diag::not_an_integer, describe(checker, part));
      return std::nullopt;
    }
    std::optional<Type> joined = join(type, is_boolean(part.type) ? types::i64 : part.type);
    bool has_u64 = type == types::u64 || part.type == types::u64;
    if (!joined && (checker.rules.casts_numbers || !has_u64)) joined = types::i64;
    if (!joined) {
      auto unsigned_part = std::ranges::find(range.elements, types::u64, &Value::type);
      checker.report(range.span, diag::operands_need_cast, "range", to_string(type), to_string(part.type),
                     advice::cast(checker.context.source(unsigned_part->span), types::i64));
      return std::nullopt;
    }
    type = *joined;
  }
  bool provisional = std::ranges::any_of(range.elements, [](const Value& part) {
    return part.kind == ValueKind::Runtime && is_literal(part.type);
  });
  if (auto* own = checker.rules.functions->range_type; own && !provisional) return own(checker, range);
  if (type == types::int_literal && of_literals) return of_literals;
  type = default_type(type);
  for (const Value& part : range.elements) {
    if (!is_int_literal(part) || literal_fits(part.integer, type)) continue;
    type = types::i64;
  }
  return type;
}

std::optional<Range> range_of(Checker& checker, const Value& value, std::optional<Type> of_literals) {
  if (value.integer != 0) {
    checker.report(value.span, diag::unroll_range, "one that a function takes");
    return std::nullopt;
  }
  for (const Value& part : value.elements)
    if (is_error(part) || is_unknown(part)) return std::nullopt;
  std::optional<Type> type = range_type(checker, value, of_literals);
  if (!type) return std::nullopt;
  Range range;
  range.type = *type;
  const Value &start = value.elements[0], &stop = value.elements[1], &step = value.elements[2];
  auto operand = [&](const Value& part, Type to) {
    if (is_number(part) && is_float(part.type)) return explicit_cast(checker, to, part, part.span).operand;
    ir::Operand own =
        is_int_literal(part)
            ? convert(checker, part, is_signed(to) || part.integer >= 0 ? to : types::i64, Purpose::Operand)
            : as_operand(checker, part);
    return cast(checker, own, to, part.span);
  };
  range.start = operand(start, *type);
  range.step = operand(step, *type);
  // The last number of a range of literals is of the type; where it stops need not be.
  bool stops_beyond = is_int_literal(stop) && !literal_fits(stop.integer, *type);
  ir::Operand last = operand(stop, stops_beyond ? types::i64 : *type);
  if (!range.step.slot ? range.step.bits == 0 : !step.positive) {
    ir::Operand zero = ir::constant_int(*type, 0);
    checker.check_condition(checker.compare(ir::CompareOp::NotEqual, range.step, zero, step.span),
                            ir::FaultKind::StepZero, step.span, "");
    if (!range.step.slot) {
      checker.report(step.span, diag::step_zero);
      return std::nullopt;
    }
  }
  auto nonnegative = [&](const Value& part) { return most_bits_as(part, *type) <= greatest_bits(*type); };
  bool ascends = step.positive || nonnegative(step);
  if (*type == types::u64) {
    range.count = trip_count_unsigned(checker, range.start, last, range.step, value.span);
  } else {
    bool narrow = bit_width((*type)->scalar) < 64, descends = !range.step.slot && !ascends;
    bool near = narrow || ((descends || nonnegative(start)) && (ascends || nonnegative(stop)));
    auto wide = [&](ir::Operand part) { return cast(checker, part, types::i64, value.span); };
    ir::Operand stop_at = wide(last);
    range.count = trip_count(checker, wide(range.start), stop_at, wide(range.step),
                             {ascends, narrow, {near, ascends || has_opposite(step)}}, value.span);
    if (ascends && !stops_beyond) range.stop = stop_at;
  }
  if (ascends && nonnegative(start)) {
    std::uint64_t end = std::min(most_bits_as(stop, *type), greatest_bits(*type));
    range.most = stops_beyond ? greatest_bits(*type) : end - (end > 0);
  }
  return range;
}

// Returns what an operand is now, whatever the loop's body assigns to its slot.
ir::Operand frozen(Checker& checker, ir::Operand operand, Span span) {
  if (!operand.slot) return operand;
  const ir::Slot& slot = checker.slot(*operand.slot);
  Local* local = slot.name.empty() ? nullptr : find_local(checker, slot.name);
  bool changes = slot.kind == ir::Slot::Kind::Variable && !(local && local->sites <= 1);
  return changes ? checker.temp(operand.type, ir::Copy{operand}, span) : operand;
}

} // namespace kern::checker
