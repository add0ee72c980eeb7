// How often a loop over a range runs, and how many places a slice takes: without a number that wraps.
#include <limits>

#include "compiler/check/checker.h"

namespace kern::checker {

static ir::Operand number(std::int64_t value) { return ir::constant_int(types::i64, value); }

// Returns the steps of a width that begin before a distance is over. At least one does; another distance
// gives what nobody reads.
ir::Operand Checker::steps_in(ir::Operand distance, ir::Operand width, Span span) {
  if (!width.slot && width.bits == 1) return distance;
  ir::Operand one = ir::constant_int(distance.type, 1);
  ir::Operand before_last = binary(ir::BinaryOp::Subtract, distance, one, span);
  return binary(ir::BinaryOp::Add, binary(ir::BinaryOp::FloorDivide, before_last, width, span), one, span);
}

// Returns the steps of an i64, which may go down, over a distance. `near` where the distance is an i64: else
// both are computed as u64s, and the result may be one.
ir::Operand Checker::steps_over(ir::Operand distance, ir::Operand step, ir::Operand up,
                                const StepFacts& facts, Span span) {
  bool by_one = !step.slot && (ir::int_value(step) == 1 || ir::int_value(step) == -1);
  if (by_one) return distance;
  ir::Operand down = step;
  if (facts.near && !facts.turns) {
    // No distance is as long as the longest step, nor as its neighbour, whose negative is an i64.
    ir::Operand limit = number(-std::numeric_limits<std::int64_t>::max());
    down = select(compare(ir::CompareOp::Less, step, limit, span), limit, step, span);
  }
  bool always_up = !up.slot && up.bits != 0;
  ir::Operand back = always_up ? step : binary(ir::BinaryOp::Subtract, number(0), down, span);
  Type type = facts.near ? types::i64 : types::u64;
  ir::Operand width = cast(select(up, step, back, span), type, span);
  return cast(steps_in(cast(distance, type, span), width, span), types::i64, span);
}

// Returns how often a loop runs; 0 or less is never. Everything is i64; a count beyond that is cut to the
// greatest, to which nobody comes.
ir::Operand Checker::trip_count(ir::Operand start, ir::Operand stop, ir::Operand step,
                                const RangeFacts& facts, Span span) {
  std::int64_t by = step.slot ? 0 : ir::int_value(step);
  ir::Operand zero = number(0);
  if (!step.slot && facts.narrow) {
    // Bounds of at most 32 bits: nothing overflows, and a negative result means none.
    ir::Operand distance = by > 0 ? binary(ir::BinaryOp::Subtract, stop, start, span)
                                  : binary(ir::BinaryOp::Subtract, start, stop, span);
    std::int64_t width = by > 0 ? by : -by;
    ir::Operand rounded = binary(ir::BinaryOp::Add, distance, number(width - 1), span);
    return width == 1 ? distance : binary(ir::BinaryOp::FloorDivide, rounded, number(width), span);
  }
  ir::Operand up =
      facts.ascends ? ir::constant_bool(true) : compare(ir::CompareOp::Greater, step, zero, span);
  ir::Operand low = select(up, start, stop, span), high = select(up, stop, start, span);
  ir::Operand distance = binary(ir::BinaryOp::Subtract, high, low, span);
  ir::Operand count = steps_over(distance, step, up, facts.steps, span);
  if (!facts.steps.near) {
    ir::Operand beyond = compare(ir::CompareOp::Less, count, zero, span);
    count = select(beyond, number(std::numeric_limits<std::int64_t>::max()), count, span);
  }
  bool cannot_overflow = !low.slot && ir::int_value(low) == 0 && by == 1;
  if (cannot_overflow) return count;
  return select(compare(ir::CompareOp::Less, low, high, span), count, zero, span);
}

// The same of u64.
ir::Operand Checker::trip_count_unsigned(ir::Operand start, ir::Operand stop, ir::Operand step, Span span) {
  ir::Operand count = steps_in(binary(ir::BinaryOp::Subtract, stop, start, span), step, span);
  ir::Operand runs = compare(ir::CompareOp::Less, start, stop, span);
  ir::Operand most = ir::constant_int(types::u64, std::numeric_limits<std::int64_t>::max());
  count = pure(Builtin::Min, types::u64, {count, most}, span);
  return select(runs, cast(count, types::i64, span), number(0), span);
}

} // namespace kern::checker
