// i:j:k as Python has it: negative bounds count from the end, then both are clamped; a step may be negative;
// only a step of 0 is a fault.
#include <limits>

#include "compiler/check/arrays/iteration.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

static ir::Operand lesser(Checker& checker, ir::Operand a, ir::Operand b, Span span) {
  return checker.select(checker.compare(ir::CompareOp::Less, a, b, span), a, b, span);
}

static ir::Operand greater(Checker& checker, ir::Operand a, ir::Operand b, Span span) {
  return checker.select(checker.compare(ir::CompareOp::Greater, a, b, span), a, b, span);
}

// The least and greatest place that a bound can have, and what the two are where they are not written.
struct Limits {
  ir::Operand lower, upper, default_start, default_stop;
};

static Limits limits_of(Checker& checker, ir::Operand n, ir::Operand ascending, Span span) {
  ir::Operand last = checker.binary(ir::BinaryOp::Subtract, n, number(1), span);
  Limits result;
  result.lower = checker.select(ascending, number(0), number(-1), span);
  result.upper = checker.select(ascending, n, last, span);
  result.default_start = checker.select(ascending, number(0), last, span);
  result.default_stop = checker.select(ascending, n, number(-1), span);
  return result;
}

static ir::Operand clamp_bound(Checker& checker, const Value& bound, ir::Operand n, const Limits& limits) {
  Span span = bound.span;
  ir::Operand value = *as_index(checker, bound);
  if (is_nonnegative(bound)) return lesser(checker, value, limits.upper, span);
  ir::Operand negative = checker.compare(ir::CompareOp::Less, value, number(0), span);
  if (bound.type == types::u64) {
    // Beyond every i64, and so beyond the end.
    value = checker.select(negative, limits.upper, value, span);
    return lesser(checker, value, limits.upper, span);
  }
  ir::Operand from_end = checker.binary(ir::BinaryOp::Add, value, n, span);
  if (!value.slot) return greater(checker, from_end, limits.lower, span);
  value = greater(checker, checker.select(negative, from_end, value, span), limits.lower, span);
  return lesser(checker, value, limits.upper, span);
}

// Returns a step as an i64; one that only a u64 can hold goes beyond every end, as the greatest i64 does.
static ir::Operand step_operand(Checker& checker, const Value& step) {
  ir::Operand value = *as_index(checker, step);
  if (step.type != types::u64 || is_nonnegative(step)) return value;
  ir::Operand wide = checker.compare(ir::CompareOp::Less, value, number(0), step.span);
  return checker.select(wide, number(std::numeric_limits<std::int64_t>::max()), value, step.span);
}

// Returns how many places lie from start up (or down) to stop, both of which are clamped. `turns` where the
// step without its sign is an i64.
static ir::Operand count_between(Checker& checker, ir::Operand start, ir::Operand stop, ir::Operand step,
                                 ir::Operand ascending, bool turns, Span span) {
  bool may_ascend = ascending.slot || ascending.bits != 0,
       may_descend = ascending.slot || ascending.bits == 0;
  ir::Operand up, down;
  if (may_ascend) up = checker.binary(ir::BinaryOp::Subtract, stop, start, span);
  if (may_descend) down = checker.binary(ir::BinaryOp::Subtract, start, stop, span);
  ir::Operand distance = checker.select(ascending, up, down, span);
  ir::Operand count = steps_over(checker, distance, step, ascending, {true, turns}, span);
  if (count == distance) return greater(checker, distance, number(0), span);
  return checker.select(checker.compare(ir::CompareOp::Greater, distance, number(0), span), count, number(0),
                        span);
}

ir::ViewAxis slice_axis(Checker& checker, ir::Operand array, int axis, const SliceBounds& bounds, Span span) {
  ir::Operand n = checker.extent(array, axis, span);
  ir::Operand step = bounds.step ? step_operand(checker, *bounds.step) : number(1);
  if (step.slot || step.bits == 0) {
    ir::Operand ok = checker.compare(ir::CompareOp::NotEqual, step, number(0), span);
    checker.check_condition(ok, ir::FaultKind::StepZero, bounds.step->span, "");
  }
  ir::Operand ascending = checker.compare(ir::CompareOp::Greater, step, number(0), span);
  bool may_descend = ascending.slot || ascending.bits == 0;
  Limits limits = may_descend ? limits_of(checker, n, ascending, span) : Limits{number(0), n, number(0), n};
  ir::Operand start = bounds.start ? clamp_bound(checker, *bounds.start, n, limits) : limits.default_start;
  ir::Operand stop = bounds.stop ? clamp_bound(checker, *bounds.stop, n, limits) : limits.default_stop;
  bool turns = !may_descend || has_opposite(*bounds.step);
  return {ir::ViewAxis::Kind::Range, start, count_between(checker, start, stop, step, ascending, turns, span),
          step};
}

std::optional<ConstantSlice> constant_slice(Checker& checker, const SliceBounds& bounds, std::int64_t extent,
                                            Span span) {
  if (!bounds.ok || bounds.unknown) return std::nullopt;
  WideInt n = extent;
  bool constant = true;
  auto part = [&](const std::optional<Value>& value, WideInt otherwise) -> WideInt {
    if (!value) return otherwise;
    std::optional<WideInt> integer = constant_integer(*value);
    constant = constant && integer;
    return integer.value_or(0);
  };
  WideInt step = part(bounds.step, 1);
  bool up = step > 0;
  WideInt lower = up ? 0 : -1, upper = up ? n : n - 1;
  auto clamp = [&](WideInt value) {
    if (value < 0) value += n;
    return value < lower ? lower : value > upper ? upper : value;
  };
  WideInt start = bounds.start ? clamp(part(bounds.start, 0)) : up ? lower : upper;
  WideInt stop = bounds.stop ? clamp(part(bounds.stop, 0)) : up ? upper : lower;
  if (!constant || step == 0) {
    checker.report(span, diag::not_constant, checker.context.source(span));
    return std::nullopt;
  }
  WideInt distance = up ? stop - start : start - stop, stride = up ? step : -step;
  WideInt count = distance > 0 ? (distance + stride - 1) / stride : 0;
  // A step beyond every end is taken once at most.
  if (count <= 1) step = 1;
  return ConstantSlice{static_cast<std::int64_t>(start), static_cast<std::int64_t>(step),
                       static_cast<std::int64_t>(count)};
}

} // namespace kern::checker
