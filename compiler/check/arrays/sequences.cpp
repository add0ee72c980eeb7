// Python's functions over tuples and ranges: sum, any, all, reversed. Those of a range are computed from its
// ends.
#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/arrays/elementwise.h"
#include "compiler/check/arrays/iteration.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

static Value truth_value(ir::Operand condition, Span span) {
  return condition.slot ? runtime_value(condition, span) : bool_value(condition.bits != 0, span);
}

// How many numbers a range has.
static ir::Operand length(Checker& checker, const Range& range, Span span) {
  ir::Operand none = checker.compare(ir::CompareOp::Less, range.count, number(0), span);
  return checker.select(none, number(0), range.count, span);
}

// start + (start + step) + ..., n of them: n * start + step * (n * (n - 1) / 2), of which one factor is even.
static Value sum_of_range(Checker& checker, const Range& range, Span span) {
  using enum ir::BinaryOp;
  ir::Operand count = length(checker, range, span);
  ir::Operand half = checker.binary(ShiftRight, count, number(1), span);
  ir::Operand odd = cast(checker, checker.binary(BitAnd, count, number(1), span), types::boolean, span);
  ir::Operand other = checker.select(odd, count, checker.binary(Subtract, count, number(1), span), span);
  ir::Operand pairs = cast(checker, checker.binary(Multiply, half, other, span), range.type, span);
  ir::Operand starts = checker.binary(Multiply, cast(checker, count, range.type, span), range.start, span);
  ir::Operand steps = checker.binary(Multiply, pairs, range.step, span);
  return runtime_value(checker.binary(Add, starts, steps, span), span);
}

// A range of literals gives a literal, where that is short of what could overflow.
static std::optional<Value> sum_of_literals(const Value& range, Span span) {
  constexpr WideInt near = WideInt(1) << 40;
  for (const Value& part : range.elements)
    if (!is_int_literal(part) || part.integer > near || part.integer < -near) return std::nullopt;
  WideInt start = range.elements[0].integer, stop = range.elements[1].integer,
          step = range.elements[2].integer;
  if (step == 0) return std::nullopt;
  WideInt distance = step > 0 ? stop - start : start - stop, width = step > 0 ? step : -step;
  WideInt count = distance > 0 ? (distance + width - 1) / width : 0;
  return int_value(count * start + count * (count - 1) / 2 * step, span);
}

// Its numbers differ, so at most one is 0.
static ir::Operand any_of_range(Checker& checker, const Range& range, Span span) {
  ir::Operand some = checker.compare(ir::CompareOp::Greater, range.count, number(0), span);
  ir::Operand several = checker.compare(ir::CompareOp::Greater, range.count, number(1), span);
  ir::Operand zero = ir::constant_int(range.type, 0);
  ir::Operand first = checker.compare(ir::CompareOp::NotEqual, range.start, zero, span);
  return checker.binary(ir::BinaryOp::BitAnd, some, checker.binary(ir::BinaryOp::BitOr, several, first, span),
                        span);
}

// Whether none is 0: the one at k = -start / step would be.
static ir::Operand all_of_range(Checker& checker, const Range& range, Span span) {
  using enum ir::BinaryOp;
  ir::Operand some = checker.compare(ir::CompareOp::Greater, range.count, number(0), span);
  if (!is_signed(range.type)) {
    // Unsigned numbers go up: only the first one may be 0.
    ir::Operand zero = ir::constant_int(range.type, 0);
    ir::Operand first = checker.compare(ir::CompareOp::Equal, range.start, zero, span);
    return checker.unary(ir::UnaryOp::Not, checker.binary(BitAnd, some, first, span), span);
  }
  ir::Operand zero = number(0);
  auto is_negative = [&](ir::Operand value) {
    return checker.compare(ir::CompareOp::Less, value, zero, span);
  };
  // As a u64 the magnitude of the least i64 is right too.
  auto magnitude = [&](ir::Operand value) {
    ir::Operand negated = checker.binary(Subtract, zero, value, span);
    return cast(checker, checker.select(is_negative(value), negated, value, span), types::u64, span);
  };
  ir::Operand start = cast(checker, range.start, types::i64, span),
              step = cast(checker, range.step, types::i64, span);
  ir::Operand distance = magnitude(start), width = magnitude(step);
  ir::Operand place = checker.binary(FloorDivide, distance, width, span);
  ir::Operand exact =
      checker.compare(ir::CompareOp::Equal, checker.binary(Multiply, place, width, span), distance, span);
  ir::Operand count = cast(checker, length(checker, range, span), types::u64, span);
  ir::Operand before = checker.compare(ir::CompareOp::Less, place, count, span);
  ir::Operand towards = checker.compare(ir::CompareOp::NotEqual, is_negative(start), is_negative(step), span);
  ir::Operand begins = checker.compare(ir::CompareOp::Equal, start, zero, span);
  towards = checker.binary(BitOr, towards, begins, span);
  ir::Operand found = checker.binary(BitAnd, checker.binary(BitAnd, before, exact, span), towards, span);
  return checker.unary(ir::UnaryOp::Not, found, span);
}

static Value of_range(Checker& checker, Builtin builtin, const Value& items, Span span) {
  if (builtin == Builtin::Sum)
    if (std::optional<Value> sum = sum_of_literals(items, span)) return *sum;
  for (const Value& part : items.elements)
    if (is_error(part)) return error_value(span);
  std::optional<Range> range = range_of(checker, items);
  if (!range) return has_unknown(tuple_value(items.elements, span)) ? unknown_value(span) : error_value(span);
  if (builtin == Builtin::Sum) return sum_of_range(checker, *range, span);
  return truth_value(builtin == Builtin::Any ? any_of_range(checker, *range, span)
                                             : all_of_range(checker, *range, span),
                     span);
}

static Value truth_of_tuple(Checker& checker, bool all, const Value& items, Span span) {
  ir::Operand result = ir::constant_bool(all);
  bool unknown = false;
  for (const Value& element : items.elements) {
    if (is_error(element)) return error_value(span);
    unknown = unknown || is_unknown(element);
    if (is_unknown(element)) continue;
    std::optional<ir::Operand> truth = as_condition(checker, element);
    if (!truth) return error_value(span);
    result = checker.binary(all ? ir::BinaryOp::BitAnd : ir::BinaryOp::BitOr, result, *truth, span);
  }
  return unknown ? unknown_value(span) : truth_value(result, span);
}

// Python begins with 0, which makes an integer of a bool; floats need no such term.
static Value sum_of_tuple(Checker& checker, const Value& items, const std::optional<Value>& start,
                          Span span) {
  std::span<const Value> rest = items.elements;
  Value sum = start.value_or(int_value(0, span));
  bool begins = !start && !checker.rules.sums_from_zero && !rest.empty() && !is_boolean(rest[0].type);
  if (begins) {
    sum = rest[0];
    rest = rest.subspan(1);
  }
  for (const Value& element : rest) sum = binary(checker, ast::BinaryOp::Add, sum, element, span);
  return read_at(sum, span);
}

static Value reversed(const Value& items, Span span) {
  if (is_tuple(items)) return tuple_value({items.elements.rbegin(), items.elements.rend()}, span);
  Value result = plain_value(ValueKind::Reversed, span);
  result.elements = {items};
  return result;
}

Value call_sequence(Checker& checker, Builtin builtin, const Value& items, const std::optional<Value>& start,
                    Span span) {
  if (is_array(items) && builtin != Builtin::Reversed)
    return fold_array(checker, builtin, items, start, span);
  bool is_range = items.kind == ValueKind::Range || items.kind == ValueKind::Reversed;
  if (!is_tuple(items) && !is_range) {
    Report error = checker.report(
        items.span, diag::builtin_argument_type,
        fmt::format("`items` of `{}` must be {}, not {}", row(builtin).name,
                    builtin == Builtin::Reversed ? "a tuple or a range" : "a tuple, a range or an array",
                    describe(checker, items)));
    if (builtin == Builtin::Reversed) error.note("an array is read from its end by `a[::-1]`");
    return error_value(span);
  }
  if (builtin == Builtin::Reversed) return reversed(items, span);
  if (is_tuple(items))
    return builtin == Builtin::Sum ? sum_of_tuple(checker, items, start, span)
                                   : truth_of_tuple(checker, builtin == Builtin::All, items, span);
  const Value* range = &items;
  while (range->kind == ValueKind::Reversed) range = range->elements.data();
  Value result = of_range(checker, builtin, *range, span);
  return start ? binary(checker, ast::BinaryOp::Add, *start, result, span) : result;
}

} // namespace kern::checker
