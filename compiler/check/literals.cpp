// Arithmetic of numbers that have no type yet, as Python has it: integers are exact within 64 bits, `/` is
// true division. Floats are computed as the code does it, in f64.
#include <cmath>

#include "compiler/check/checker.h"
#include "compiler/check/fold.h"
#include "compiler/diagnostics/types.h"
#include "runtime/common/integers.h"

namespace kern::checker {

namespace {

bool is_shift(ast::BinaryOp op) { return op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight; }

// Says whether an integer is one that a literal can have.
bool in_range(WideInt value) {
  return value >= least_value(ScalarKind::I64) && value <= greatest_value(ScalarKind::U64);
}

std::optional<WideInt> integer_power(WideInt base, WideInt exponent) {
  WideInt result = 1;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  for (WideInt k = 0; k < exponent; ++k) {
    result *= base;
    if (!in_range(result)) return std::nullopt;
  }
  return result;
}

// Returns nothing where the result is no integer of 64 bits.
std::optional<WideInt> integers(ast::BinaryOp op, WideInt a, WideInt b) {
  switch (op) {
  case ast::BinaryOp::Add: return a + b;
  case ast::BinaryOp::Subtract: return a - b;
  case ast::BinaryOp::Multiply: {
    WideInt result;
    if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
    return result;
  }
  case ast::BinaryOp::FloorDivide: return floor_divide(a, b);
  case ast::BinaryOp::Modulo: return floor_modulo(a, b);
  case ast::BinaryOp::Power: return integer_power(a, b);
  case ast::BinaryOp::ShiftLeft: return b >= 64 ? std::nullopt : std::optional(a * (WideInt(1) << b));
  case ast::BinaryOp::ShiftRight: return b >= 127 ? (a < 0 ? -1 : 0) : a >> b;
  case ast::BinaryOp::BitAnd: return a & b;
  case ast::BinaryOp::BitOr: return a | b;
  case ast::BinaryOp::BitXor: return a ^ b;
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> reals(ast::BinaryOp op, double a, double b) {
  switch (op) {
  case ast::BinaryOp::Add: return a + b;
  case ast::BinaryOp::Subtract: return a - b;
  case ast::BinaryOp::Multiply: return a * b;
  case ast::BinaryOp::Divide: return a / b;
  case ast::BinaryOp::FloorDivide: return real_floor_divide(a, b);
  case ast::BinaryOp::Modulo: return real_floor_modulo(a, b);
  case ast::BinaryOp::Power: return std::pow(a, b);
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::ShiftRight:
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

Value Checker::literal_operation(ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  bool ints = is_int_literal(left) && is_int_literal(right);
  bool divides =
      op == ast::BinaryOp::Divide || op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
  if (divides && ints && right.integer == 0) {
    report(span, diag::constant_division_by_zero);
    return error_value(span);
  }
  bool negative_count = ints && right.integer < 0 && is_shift(op);
  bool as_integers = ints && op != ast::BinaryOp::Divide &&
                     !(op == ast::BinaryOp::Power && right.integer < 0) && !negative_count;
  if (as_integers && op != ast::BinaryOp::MatrixMultiply) {
    std::optional<WideInt> result = integers(op, left.integer, right.integer);
    if (result && in_range(*result)) return int_value(*result, span);
    report(span, diag::constant_too_large, context.source(span));
    return error_value(span);
  }
  std::optional<double> result =
      negative_count ? std::nullopt : reals(op, *constant_real(left), *constant_real(right));
  if (result) return float_value(*result, span);
  report(span, diag::operand_type_mismatch, spelling(op), describe(left), describe(right));
  return error_value(span);
}

Value Checker::literal_unary(ast::UnaryOp op, const Value& operand, Span span) {
  bool is_int = is_int_literal(operand);
  switch (op) {
  case ast::UnaryOp::Positive: return operand;
  case ast::UnaryOp::Negative:
    if (!is_int) return float_value(-operand.real, span);
    if (in_range(-operand.integer)) return int_value(-operand.integer, span);
    report(span, diag::constant_too_large, context.source(span));
    return error_value(span);
  case ast::UnaryOp::Invert:
    if (is_int && in_range(~operand.integer)) return int_value(~operand.integer, span);
    if (is_int)
      return runtime_value(ir::constant_int(types::u64, static_cast<std::int64_t>(~operand.integer)), span);
    report(span, diag::unary_operand, spelling(op), describe(operand));
    return error_value(span);
  case ast::UnaryOp::Not: break;
  }
  return error_value(span);
}

} // namespace kern::checker
