// Whatever Python raises an exception for has no value here: the name is then one of the host, which -D
// gives.
#include "compiler/check/python.h"

#include <cmath>

#include "compiler/diagnostics/types.h"
#include "compiler/values/arithmetic.h"
#include "compiler/values/fold.h"

namespace kern::checker {

namespace {

// Says whether a number has Python's own type: int, float or bool, not one of NumPy's.
bool is_plain(const Value& value) { return is_literal(value) || is_boolean(value.type); }

bool is_python_int(const Value& value) { return is_int_literal(value) || is_boolean(value.type); }

Value raises(Checker& checker, Span span) {
  checker.report(span, diag::constant_too_large, checker.context.source(span));
  return error_value(span);
}

std::optional<Value> plain_binary(ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  std::optional<WideInt> a = constant_integer(left), b = constant_integer(right);
  bool ints = is_python_int(left) && is_python_int(right);
  bool bits = op == ast::BinaryOp::BitAnd || op == ast::BinaryOp::BitOr || op == ast::BinaryOp::BitXor;
  if (ints && bits && is_boolean(left.type) && is_boolean(right.type))
    return bool_value(*integer_operation(op, *a, *b) != 0, span);
  bool real = op == ast::BinaryOp::Divide || (op == ast::BinaryOp::Power && ints && *b < 0);
  if (ints && !real) {
    std::optional<WideInt> result = integer_operation(op, *a, *b);
    return result ? std::optional(int_value(*result, span)) : std::nullopt;
  }
  if (ints && op == ast::BinaryOp::Divide)
    return *b == 0 ? std::nullopt : std::optional(float_value(quotient(*a, *b), span));
  std::optional<double> result = python_operation(op, *constant_real(left), *constant_real(right));
  return result ? std::optional(float_value(*result, span)) : std::nullopt;
}

// ---- NumPy ----

// Returns the type in which NumPy computes: a plain number takes that of the other one.
std::optional<Type> numpy_type(const Value& left, const Value& right) {
  if (!is_plain(left) && !is_plain(right)) return numba_unify(left.type, right.type);
  const Value &plain = is_plain(left) ? left : right, &typed = is_plain(left) ? right : left;
  if (is_complex(typed.type)) return typed.type;
  if (is_complex_literal(plain)) return typed.type == types::f32 ? types::c64 : types::c128;
  if (is_float(typed.type)) return typed.type;
  if (!is_python_int(plain)) return types::f64;
  return literal_fits(*constant_integer(plain), typed.type) ? std::optional(typed.type) : std::nullopt;
}

std::optional<ir::Operand> constant_as(const Value& value, Type type) {
  if (is_int_literal(value)) return constant_of(type, value.integer);
  if (is_literal(value)) return fold_convert(ir::constant_float(types::f64, value.real()), type);
  return fold_convert(value.operand, type);
}

std::optional<ir::Operand> numpy_power(const ir::Operand& base, const ir::Operand& exponent) {
  Type type = base.type;
  if (is_float(type))
    return ir::constant_float(type, std::pow(ir::float_value(base), ir::float_value(exponent)));
  if (is_signed(type) && ir::int_value(exponent) < 0) return std::nullopt;
  return fold_builtin(Builtin::IntegerPower, type, std::array{base, exponent});
}

// Complex numbers as NumPy computes them, in their own precision. It divides by the larger part first.
template <class Float> std::optional<ir::Operand>
numpy_complex(ast::BinaryOp op, Type type, std::complex<double> left, std::complex<double> right) {
  const auto a = static_cast<Float>(left.real()), b = static_cast<Float>(left.imag()),
             c = static_cast<Float>(right.real()), d = static_cast<Float>(right.imag());
  auto make = [&](Float real, Float imag) {
    return ir::constant_complex(type, static_cast<double>(real), static_cast<double>(imag));
  };
  switch (op) {
  case ast::BinaryOp::Add: return make(a + c, b + d);
  case ast::BinaryOp::Subtract: return make(a - c, b - d);
  case ast::BinaryOp::Multiply: return make(a * c - b * d, a * d + b * c);
  case ast::BinaryOp::Divide: {
    if (c == 0 && d == 0) return std::nullopt;
    if (std::fabs(c) >= std::fabs(d)) {
      const Float ratio = d / c, scale = 1 / (c + d * ratio);
      return make((a + b * ratio) * scale, (b - a * ratio) * scale);
    }
    const Float ratio = c / d, scale = 1 / (d + c * ratio);
    return make((a * ratio + b) * scale, (b * ratio - a) * scale);
  }
  default: return std::nullopt;
  }
}

template <class Float>
std::optional<ir::Operand> numpy_complex_power(Type type, std::complex<double> base, double exponent) {
  const std::complex<Float> z(base);
  if (exponent == 2) return numpy_complex<Float>(ast::BinaryOp::Multiply, type, base, base);
  if (exponent == 0.5) return ir::constant_complex(type, std::sqrt(z).real(), std::sqrt(z).imag());
  const Float x = z.real(), y = z.imag();
  const bool is_flat = std::fabs(y) <= std::fabs(x);
  const Float ratio = is_flat ? y / x : x / y, divisor = is_flat ? x + y * ratio : x * ratio + y;
  return is_flat ? ir::constant_complex(type, 1 / divisor, -ratio / divisor)
                 : ir::constant_complex(type, ratio / divisor, -1 / divisor);
}

std::optional<ir::Operand> numpy_binary(ast::BinaryOp op, const Value& left, const Value& right) {
  std::optional<Type> type = numpy_type(left, right);
  if (!type || op == ast::BinaryOp::MatrixMultiply) return std::nullopt;
  if (is_complex(*type)) {
    std::optional<std::complex<double>> a = constant_complex(left), b = constant_complex(right);
    if (!a || !b) return std::nullopt;
    return *type == types::c64 ? numpy_complex<float>(op, *type, *a, *b)
                               : numpy_complex<double>(op, *type, *a, *b);
  }
  if (op == ast::BinaryOp::Divide && is_integer(*type)) type = types::f64;
  std::optional<ir::Operand> a = constant_as(left, *type), b = constant_as(right, *type);
  if (!a || !b) return std::nullopt;
  if (op == ast::BinaryOp::Power) return numpy_power(*a, *b);
  bool is_wide =
      is_shift(op) && is_integer(*type) && b->bits >= static_cast<unsigned>(bit_width((*type)->scalar));
  if (is_wide) {
    bool ones = op == ast::BinaryOp::ShiftRight && is_signed(*type) && ir::int_value(*a) < 0;
    return ir::constant_int(*type, ones ? -1 : 0);
  }
  return fold_binary(ir_op(op), *a, *b);
}

} // namespace

std::optional<ir::Operand> numpy_array_power(const Value& element, const Value& exponent) {
  const double power = constant_real(exponent).value_or(0);
  if (power != 2 && power != 0.5 && power != -1) return std::nullopt;
  if (element.type == types::c64)
    return numpy_complex_power<float>(element.type, *constant_complex(element), power);
  if (is_complex(element.type))
    return numpy_complex_power<double>(element.type, *constant_complex(element), power);
  const bool squares_float = power == 2 && is_float(exponent.type);
  if (!is_float(element.type) && !squares_float) return std::nullopt;
  const Type type = is_float(element.type) ? element.type : types::f64;
  const ir::Operand x = *constant_as(element, type);
  if (power == 2) return fold_binary(ir::BinaryOp::Multiply, x, x);
  if (power == 0.5) return fold_builtin(Builtin::Sqrt, type, std::array{x});
  return fold_binary(ir::BinaryOp::Divide, ir::constant_float(type, 1), x);
}

bool is_python(const Checker& checker) { return checker.scope->is_numba() && !checker.instance; }

std::optional<Value> python_binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                                   Span span) {
  if (!is_constant_number(left) || !is_constant_number(right)) return std::nullopt;
  if (is_plain(left) && is_plain(right)) {
    std::optional<Value> result = plain_binary(op, left, right, span);
    return result ? *result : raises(checker, span);
  }
  std::optional<ir::Operand> result = numpy_binary(op, left, right);
  return result ? runtime_value(*result, span) : raises(checker, span);
}

std::optional<Value> python_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  if (!is_constant_number(operand) || op == ast::UnaryOp::Not) return std::nullopt;
  if (is_python_int(operand)) {
    WideInt value = *constant_integer(operand), negative = 0;
    if (op == ast::UnaryOp::Positive) return int_value(value, span);
    if (op == ast::UnaryOp::Invert) return int_value(~value, span);
    if (__builtin_sub_overflow(WideInt(0), value, &negative)) return raises(checker, span);
    return int_value(negative, span);
  }
  if (op == ast::UnaryOp::Positive) return read_at(operand, span);
  bool negates = op == ast::UnaryOp::Negative;
  if (std::optional<std::complex<double>> z = constant_complex(operand); z && is_complex(operand.type)) {
    if (!negates) return std::nullopt;
    return runtime_value(ir::constant_complex(operand.type, -z->real(), -z->imag()), span);
  }
  if (!negates && is_float(operand.type)) return std::nullopt;
  if (is_literal(operand)) return float_value(-operand.real(), span);
  std::optional<ir::Operand> result =
      fold_unary(negates ? ir::UnaryOp::Negate : ir::UnaryOp::BitNot, operand.operand);
  return result ? std::optional(runtime_value(*result, span)) : std::nullopt;
}

std::optional<Value> python_compare(ast::CompareOp op, const Value& left, const Value& right, Span span) {
  bool mixed = is_literal(left) && is_literal(right) && is_int_literal(left) != is_int_literal(right);
  const Value& real = is_int_literal(left) ? right : left;
  if (!mixed || std::isnan(real.real())) return std::nullopt;
  int order =
      is_int_literal(left) ? order_of(left.integer, right.real()) : -order_of(right.integer, left.real());
  switch (op) {
  case ast::CompareOp::Equal: return bool_value(order == 0, span);
  case ast::CompareOp::NotEqual: return bool_value(order != 0, span);
  case ast::CompareOp::Less: return bool_value(order < 0, span);
  case ast::CompareOp::LessEqual: return bool_value(order <= 0, span);
  case ast::CompareOp::Greater: return bool_value(order > 0, span);
  case ast::CompareOp::GreaterEqual: return bool_value(order >= 0, span);
  case ast::CompareOp::Is:
  case ast::CompareOp::IsNot:
  case ast::CompareOp::In:
  case ast::CompareOp::NotIn: return std::nullopt;
  }
  return std::nullopt;
}

} // namespace kern::checker
