// Comparisons. Integers of two types compare by their values, also where no type holds both.
#include <algorithm>
#include <array>

#include "compiler/advice/advice.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/compare_op.h"
#include "compiler/support/split.h"

namespace kern::checker {

static std::optional<ir::CompareOp> ir_op(ast::CompareOp op) {
  switch (op) {
  case ast::CompareOp::Equal: return ir::CompareOp::Equal;
  case ast::CompareOp::NotEqual: return ir::CompareOp::NotEqual;
  case ast::CompareOp::Less: return ir::CompareOp::Less;
  case ast::CompareOp::LessEqual: return ir::CompareOp::LessEqual;
  case ast::CompareOp::Greater: return ir::CompareOp::Greater;
  case ast::CompareOp::GreaterEqual: return ir::CompareOp::GreaterEqual;
  case ast::CompareOp::Is:
  case ast::CompareOp::IsNot:
  case ast::CompareOp::In:
  case ast::CompareOp::NotIn: return std::nullopt;
  }
  return std::nullopt;
}

static bool is_equality(ir::CompareOp op) {
  return op == ir::CompareOp::Equal || op == ir::CompareOp::NotEqual;
}

// Compares a signed integer with a u64: a negative one is less than all of them.
static ir::Operand compare_signed_with_u64(Checker& checker, ir::CompareOp op, ir::Operand left,
                                           ir::Operand right, Span span) {
  ir::Operand wide = cast(checker, left, types::i64, span);
  ir::Operand negative = checker.compare(ir::CompareOp::Less, wide, ir::constant_int(types::i64, 0), span);
  bool when_negative =
      op == ir::CompareOp::Less || op == ir::CompareOp::LessEqual || op == ir::CompareOp::NotEqual;
  if (!negative.slot && negative.bits != 0) return ir::constant_bool(when_negative);
  ir::Operand unsigned_result = checker.compare(op, cast(checker, wide, types::u64, span), right, span);
  return checker.select(negative, ir::constant_bool(when_negative), unsigned_result, span);
}

// Returns the operand of an integer in a type that holds it: a literal takes the other's type if it fits
// there.
static ir::Operand integer_operand(Checker& checker, const Value& value, Type other) {
  if (!is_int_literal(value)) {
    ir::Operand operand = as_operand(checker, value);
    return is_boolean(operand.type) ? cast(checker, operand, types::i64, value.span) : operand;
  }
  Type type =
      is_integer(other) && !is_literal(other) && literal_fits(value.integer, other) ? other : types::i64;
  if (!literal_fits(value.integer, type)) type = types::u64;
  return convert(checker, value, type, Purpose::Operand);
}

static ir::Operand compare_integers(Checker& checker, ir::CompareOp op, const Value& left, const Value& right,
                                    Span span) {
  ir::Operand a = integer_operand(checker, left, right.type), b = integer_operand(checker, right, left.type);
  if (is_literal(a.type) || is_literal(b.type)) return checker.variable(types::boolean, span);
  bool has_u64 = a.type == types::u64 || b.type == types::u64;
  std::optional<Type> type = join(a.type, b.type);
  // A signed integer of 64 bits holds whatever is no u64.
  if (!type && !has_u64) type = types::i64;
  if (type) return checker.compare(op, cast(checker, a, *type, span), cast(checker, b, *type, span), span);
  if (is_signed(a.type)) return compare_signed_with_u64(checker, op, a, b, span);
  return compare_signed_with_u64(checker, mirrored(op), b, a, span);
}

// Warns where a literal is beyond what the other integer's type holds.
static void warn_out_of_range(Checker& checker, ir::CompareOp op, const Value& left, const Value& right,
                              Span span) {
  bool is_left = is_int_literal(left);
  const Value &literal = is_left ? left : right, &other = is_left ? right : left;
  if (!checker.final || !is_int_literal(literal) || !is_typed_integer(other)) return;
  Interval limits = interval_of(other.type);
  bool is_above = literal.integer > limits.greatest, is_below = literal.integer < limits.least;
  if (!is_above && !is_below) return;
  // The literal as the right one: all others are less than what is above.
  ir::CompareOp from_left = is_left ? ir::mirrored(op) : op;
  bool wants_less = from_left == ir::CompareOp::Less || from_left == ir::CompareOp::LessEqual;
  bool holds = is_equality(op) ? op == ir::CompareOp::NotEqual : wants_less == is_above;
  checker.report(span, diag::out_of_range, short_text(checker.context.source(span)),
                 holds ? "always true" : "always false", fmt::format("each {}", to_string(other.type)),
                 static_cast<std::int64_t>(limits.least), static_cast<std::uint64_t>(limits.greatest));
}

static Value compare_numbers(Checker& checker, ast::CompareOp op, const Value& left, const Value& right,
                             Span span) {
  ir::CompareOp ir_compare = *ir_op(op);
  bool complex = is_complex(left.type) || is_complex(right.type);
  if (complex && !is_equality(ir_compare)) {
    checker
        .report(span, diag::operand_type_mismatch, spelling(op), describe(checker, left),
                describe(checker, right))
        .note("complex numbers have no order; compare their parts, or `abs(z)`");
    return error_value(span);
  }
  note_operands_meet(checker, left, right, false);
  warn_never_negative(checker, ir_compare, left, right, span);
  if (checker.rules.exact_integers) warn_out_of_range(checker, ir_compare, left, right, span);
  bool bools = is_boolean(left.type) && is_boolean(right.type) && is_equality(ir_compare);
  if (bools)
    return runtime_value(
        checker.compare(ir_compare, as_operand(checker, left), as_operand(checker, right), span), span);
  if (is_integral(left.type) && is_integral(right.type))
    return runtime_value(compare_integers(checker, ir_compare, left, right, span), span);
  std::optional<Type> type = checker.rules.functions->comparison_type(left, right);
  if (!type) {
    const Value& whole = is_integer(left.type) ? left : right;
    Type floating = is_float(left.type) ? left.type : right.type;
    if (is_literal(floating)) floating = types::f32;
    Report error =
        checker.report(span, diag::operands_need_cast, spelling(op), describe(checker, left),
                       describe(checker, right), advice::cast(checker.context.source(whole.span), floating));
    note_operands(checker, error, left, right);
    return error_value(span);
  }
  if (undecided(checker, *type, std::array{&left, &right}, span))
    return runtime_value(checker.variable(types::boolean, span), span);
  type = default_type(*type);
  if (complex) return complex_equality(checker, ir_compare == ir::CompareOp::Equal, *type, left, right, span);
  Type computed = *type == types::f16 || *type == types::bf16 ? types::f32 : *type;
  ir::Operand a = convert_through(checker, left, *type, computed),
              b = convert_through(checker, right, *type, computed);
  return runtime_value(checker.compare(ir_compare, a, b, span), span);
}

static Value compare_literals(ast::CompareOp op, const Value& left, const Value& right, Span span) {
  bool ints = is_int_literal(left) && is_int_literal(right);
  auto order =
      ints ? (left.integer < right.integer ? -1 : left.integer > right.integer)
           : (*constant_real(left) < *constant_real(right) ? -1
                                                           : *constant_real(left) > *constant_real(right));
  bool unordered = !ints && *constant_real(left) != *constant_real(right) && order == 0;
  switch (*ir_op(op)) {
  case ir::CompareOp::Equal: return bool_value(!unordered && order == 0, span);
  case ir::CompareOp::NotEqual: return bool_value(unordered || order != 0, span);
  case ir::CompareOp::Less: return bool_value(order < 0, span);
  case ir::CompareOp::LessEqual: return bool_value(!unordered && order <= 0, span);
  case ir::CompareOp::Greater: return bool_value(order > 0, span);
  case ir::CompareOp::GreaterEqual: return bool_value(!unordered && order >= 0, span);
  }
  return error_value(span);
}

// Combines two conditions that are evaluated already.
static Value both(Checker& checker, const Value& left, const Value& right, bool all, Span span) {
  if (is_error(left) || is_error(right)) return error_value(span);
  if (is_unknown(left) || is_unknown(right)) return unknown_value(span);
  ir::BinaryOp op = all ? ir::BinaryOp::BitAnd : ir::BinaryOp::BitOr;
  return runtime_value(checker.binary(op, left.operand, right.operand, span), span);
}

static Value compare_tuples(Checker& checker, ast::CompareOp op, const Value& left, const Value& right,
                            Span span) {
  bool equal = op == ast::CompareOp::Equal;
  if (left.elements.size() != right.elements.size()) return bool_value(!equal, span);
  Value result = bool_value(equal, span);
  for (std::size_t i = 0; i < left.elements.size(); ++i)
    result = both(checker, result, compare_values(checker, op, left.elements[i], right.elements[i], span),
                  equal, span);
  return result;
}

// (a, b) < (c, d): the first elements that differ decide, else the lengths.
static Value order_tuples(Checker& checker, ast::CompareOp op, const Value& left, const Value& right,
                          Span span) {
  bool less = op == ast::CompareOp::Less || op == ast::CompareOp::LessEqual;
  bool or_equal = op == ast::CompareOp::LessEqual || op == ast::CompareOp::GreaterEqual;
  std::size_t a = left.elements.size(), b = right.elements.size();
  Value result = bool_value(a == b ? or_equal : (a < b) == less, span);
  ast::CompareOp strict = less ? ast::CompareOp::Less : ast::CompareOp::Greater;
  for (std::size_t i = std::min(a, b); i-- > 0;) {
    const Value &x = left.elements[i], &y = right.elements[i];
    Value same = compare_values(checker, ast::CompareOp::Equal, x, y, span);
    Value rest = both(checker, same, result, true, span);
    result = both(checker, compare_values(checker, strict, x, y, span), rest, false, span);
  }
  return result;
}

// x in (a, b, c)
static Value contains(Checker& checker, const Value& left, const Value& right, bool positive, Span span) {
  if (!is_tuple(right)) {
    checker.report(span, diag::operand_type_mismatch, "in", describe(checker, left),
                   describe(checker, right));
    return error_value(span);
  }
  Value result = bool_value(false, span);
  for (const Value& element : right.elements)
    result = both(checker, result, compare_values(checker, ast::CompareOp::Equal, left, element, span), false,
                  span);
  return positive ? result : unary(checker, ast::UnaryOp::Not, result, span);
}

Value compare_values(Checker& checker, ast::CompareOp op, const Value& left, const Value& right, Span span) {
  if (is_error(left) || is_error(right)) return error_value(span);
  if (auto* compare_types = checker.rules.functions->compare_types; compare_types && !checker.instance)
    if (std::optional<Value> value = compare_types(checker, op, left, right, span)) return *value;
  bool tests_none = left.kind == ValueKind::None || right.kind == ValueKind::None;
  bool is_test = op == ast::CompareOp::Is || op == ast::CompareOp::IsNot;
  bool is_negative = op == ast::CompareOp::IsNot || op == ast::CompareOp::NotEqual;
  if (tests_none && (is_test || op == ast::CompareOp::Equal || op == ast::CompareOp::NotEqual))
    return bool_value((left.kind == right.kind) != is_negative, span);
  if (is_unknown(left) || is_unknown(right)) return unknown_value(span);
  if (op == ast::CompareOp::In || op == ast::CompareOp::NotIn)
    return contains(checker, left, right, op == ast::CompareOp::In, span);
  if (is_test && checker.rules.compares_identity && is_number(left) && is_number(right)) {
    // As in Numba: numbers of one type are the same where they are equal, others never are.
    std::optional<Type> a = type_of(checker, left), b = type_of(checker, right);
    bool same = a && b && default_type(*a) == default_type(*b);
    if (!same) return bool_value(is_negative, span);
    return compare_values(checker, is_negative ? ast::CompareOp::NotEqual : ast::CompareOp::Equal, left,
                          right, span);
  }
  if (is_test) {
    checker.report(span, diag::identity_test, checker.context.source(left.span),
                   checker.context.source(right.span));
    return error_value(span);
  }
  bool complex_literals = is_complex_literal(left) || is_complex_literal(right);
  if (is_literal(left) && is_literal(right) && !complex_literals)
    return compare_literals(op, left, right, span);
  if (is_number(left) && is_number(right)) return compare_numbers(checker, op, left, right, span);
  bool equality = op == ast::CompareOp::Equal || op == ast::CompareOp::NotEqual;
  auto is_any_record = [](const Value& value) {
    return is_record_array(value) || (is_tuple(value) && is_record(value.type));
  };
  if (is_any_record(left) || is_any_record(right)) {
    checker.report(span, diag::record_comparison);
    return error_value(span);
  }
  if (equality && is_tuple(left) && is_tuple(right)) return compare_tuples(checker, op, left, right, span);
  if (!equality && is_tuple(left) && is_tuple(right)) return order_tuples(checker, op, left, right, span);
  bool known = left.kind == right.kind && (left.kind == ValueKind::Type || left.kind == ValueKind::String ||
                                           left.kind == ValueKind::Function);
  if (equality && known) {
    bool same = left.type == right.type && left.text == right.text && left.function == right.function;
    return bool_value(same != is_negative, span);
  }
  Report error = checker.report(span, diag::operand_type_mismatch, spelling(op), describe(checker, left),
                                describe(checker, right));
  note_characters(checker, error, std::array{left, right});
  return error_value(span);
}

} // namespace kern::checker
