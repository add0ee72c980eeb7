// Operators on numbers that have no type yet: integers are exact within 64 bits, `/` is true division.
#include <cassert>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/types.h"
#include "compiler/values/arithmetic.h"

namespace kern::checker {

// Says whether an integer is one that a literal can have.
static bool in_range(WideInt value) {
  return value >= least_value(ScalarKind::I64) && value <= greatest_value(ScalarKind::U64);
}

Value literal_operation(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                        Span span) {
  assert(!is_complex_literal(left) && !is_complex_literal(right));
  bool ints = is_int_literal(left) && is_int_literal(right);
  bool divides =
      op == ast::BinaryOp::Divide || op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
  if (divides && ints && right.integer == 0) {
    checker.report(span, diag::constant_division_by_zero);
    return error_value(span);
  }
  bool negative_count = ints && right.integer < 0 && is_shift(op);
  bool as_integers = ints && op != ast::BinaryOp::Divide &&
                     !(op == ast::BinaryOp::Power && right.integer < 0) && !negative_count;
  if (as_integers && op != ast::BinaryOp::MatrixMultiply) {
    std::optional<WideInt> result = integer_operation(op, left.integer, right.integer);
    if (result && in_range(*result)) {
      Value value = int_value(*result, span);
      value.of_literals = left.of_literals || right.of_literals;
      return value;
    }
    checker.report(span, diag::constant_too_large, checker.context.source(span));
    return error_value(span);
  }
  std::optional<double> result =
      negative_count ? std::nullopt : real_operation(op, *constant_real(left), *constant_real(right));
  if (result) return float_value(*result, span);
  checker.report(span, diag::operand_type_mismatch, spelling(op), describe(checker, left),
                 describe(checker, right));
  return error_value(span);
}

Value literal_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  bool is_int = is_int_literal(operand);
  switch (op) {
  case ast::UnaryOp::Positive: return operand;
  case ast::UnaryOp::Negative:
    if (!is_int) return float_value(-operand.real(), span);
    if (in_range(-operand.integer)) return int_value(-operand.integer, span);
    checker.report(span, diag::constant_too_large, checker.context.source(span));
    return error_value(span);
  case ast::UnaryOp::Invert:
    if (is_int && in_range(~operand.integer)) {
      Value value = int_value(~operand.integer, span);
      value.of_literals = true;
      return value;
    }
    if (is_int)
      return runtime_value(ir::constant_int(types::u64, static_cast<std::int64_t>(~operand.integer)), span);
    checker.report(span, diag::unary_operand, spelling(op), describe(checker, operand));
    return error_value(span);
  case ast::UnaryOp::Not: break;
  }
  return error_value(span);
}

} // namespace kern::checker
