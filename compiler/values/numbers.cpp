// Arithmetic of the top level: integers are exact, `/` of two of them is a float, and numbers with a type compute as
// NumPy's scalars do. Whatever Python raises an exception for has no value.
#include <cmath>
#include <complex>

#include "compiler/values/arithmetic.h"
#include "compiler/values/fold.h"
#include "compiler/values/value.h"

namespace kern::values {

namespace {

using Op = ast::BinaryOp;

bool is_plain(const Value& value) { return !as<Number>(value); }
bool is_python_int(const Value& value) { return as<WideInt>(value) || as<bool>(value); }

std::optional<std::complex<double>> complex_of(const Value& value) {
  if (const auto* complex = as<Complex>(value)) return std::complex(complex->real, complex->imag);
  const auto* number = as<Number>(value);
  if (number && is_complex(number->bits.type))
    return std::complex(ir::float_value(ir::part_of(number->bits, 0)),
                        ir::float_value(ir::part_of(number->bits, 1)));
  const std::optional<double> real = real_of(value);
  return real ? std::optional(std::complex(*real, 0.0)) : std::nullopt;
}

// The quotient is left to the run of the program: Python scales it in its own way.
std::optional<Value> complex_binary(Op op, const Value& left, const Value& right) {
  const std::complex<double> a = *complex_of(left), b = *complex_of(right);
  switch (op) {
  case Op::Add: return Complex{a.real() + b.real(), a.imag() + b.imag()};
  case Op::Subtract: return Complex{a.real() - b.real(), a.imag() - b.imag()};
  case Op::Multiply:
    return Complex{a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  case Op::Divide:
  case Op::FloorDivide:
  case Op::Modulo:
  case Op::Power:
  case Op::MatrixMultiply:
  case Op::ShiftLeft:
  case Op::ShiftRight:
  case Op::BitAnd:
  case Op::BitOr:
  case Op::BitXor: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> plain_binary(Op op, const Value& left, const Value& right) {
  if (as<Complex>(left) || as<Complex>(right)) return complex_binary(op, left, right);
  const std::optional<WideInt> a = integer_of(left), b = integer_of(right);
  const bool ints = is_python_int(left) && is_python_int(right);
  if (ints && is_bitwise(op) && as<bool>(left) && as<bool>(right)) return *integer_operation(op, *a, *b) != 0;
  if (ints && op == Op::Divide) return *b == 0 ? std::nullopt : std::optional<Value>(quotient(*a, *b));
  if (ints && !(op == Op::Power && *b < 0)) {
    const std::optional<WideInt> result = integer_operation(op, *a, *b);
    return result ? std::optional<Value>(*result) : std::nullopt;
  }
  const std::optional<double> result = python_operation(op, *real_of(left), *real_of(right));
  return result ? std::optional<Value>(*result) : std::nullopt;
}

// Returns the type in which NumPy computes: a plain number takes that of the other one.
std::optional<Type> numpy_type(const Value& left, const Value& right) {
  if (!is_plain(left) && !is_plain(right)) return numba_unify(type_of_number(left), type_of_number(right));
  const Value &plain = is_plain(left) ? left : right, &typed = is_plain(left) ? right : left;
  const Type type = type_of_number(typed);
  if (is_complex(type)) return type;
  if (as<Complex>(plain)) return type == types::f32 ? types::c64 : types::c128;
  if (is_float(type)) return type;
  if (!is_python_int(plain)) return types::f64;
  return literal_fits(*integer_of(plain), type) ? std::optional(type) : std::nullopt;
}

std::optional<Value> numpy_binary(Op op, const Value& left, const Value& right) {
  std::optional<Type> type = numpy_type(left, right);
  if (!type || op == Op::MatrixMultiply || is_complex(*type)) return std::nullopt;
  if (op == Op::Divide && is_integer(*type)) type = types::f64;
  const std::optional<ir::Operand> a = number_as(left, *type), b = number_as(right, *type);
  if (!a || !b) return std::nullopt;
  if (op == Op::Power) {
    if (is_float(*type))
      return Number{ir::constant_float(*type, std::pow(ir::float_value(*a), ir::float_value(*b)))};
    if (is_signed(*type) && ir::int_value(*b) < 0) return std::nullopt;
    const auto power = fold_builtin(Builtin::IntegerPower, *type, std::array{*a, *b});
    return power ? std::optional<Value>(Number{*power}) : std::nullopt;
  }
  const bool is_wide =
      is_shift(op) && is_integer(*type) && b->bits >= static_cast<unsigned>(bit_width((*type)->scalar));
  if (is_wide) {
    const bool ones = op == Op::ShiftRight && is_signed(*type) && ir::int_value(*a) < 0;
    return Number{ir::constant_int(*type, ones ? -1 : 0)};
  }
  const std::optional<ir::Operand> result = fold_binary(ir_op(op), *a, *b);
  return result ? std::optional<Value>(Number{*result}) : std::nullopt;
}

std::optional<bool> holds(ast::CompareOp op, bool less, bool equal, bool greater) {
  switch (op) {
  case ast::CompareOp::Equal: return equal;
  case ast::CompareOp::NotEqual: return !equal;
  case ast::CompareOp::Less: return less;
  case ast::CompareOp::LessEqual: return less || equal;
  case ast::CompareOp::Greater: return greater;
  case ast::CompareOp::GreaterEqual: return greater || equal;
  case ast::CompareOp::Is:
  case ast::CompareOp::IsNot:
  case ast::CompareOp::In:
  case ast::CompareOp::NotIn: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> compare_lists(ast::CompareOp op, std::span<const Value> a, std::span<const Value> b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::optional<bool> equal = compare(ast::CompareOp::Equal, a[i], b[i]);
    if (!equal) return std::nullopt;
    if (!*equal)
      return op == ast::CompareOp::Equal      ? std::optional(false)
             : op == ast::CompareOp::NotEqual ? std::optional(true)
                                              : compare(op, a[i], b[i]);
  }
  return holds(op, a.size() < b.size(), a.size() == b.size(), a.size() > b.size());
}

} // namespace

std::optional<Value> binary(Op op, const Value& left, const Value& right) {
  const auto *x = as<Text>(left), *y = as<Text>(right);
  if (!is_number(left) || !is_number(right) || x || y) return std::nullopt;
  return is_plain(left) && is_plain(right) ? plain_binary(op, left, right) : numpy_binary(op, left, right);
}

std::optional<Value> unary(ast::UnaryOp op, const Value& operand) {
  if (op == ast::UnaryOp::Not) {
    const std::optional<bool> truth = truth_of(operand);
    return truth ? std::optional<Value>(!*truth) : std::nullopt;
  }
  if (!is_number(operand)) return std::nullopt;
  const bool negates = op == ast::UnaryOp::Negative;
  if (is_python_int(operand)) {
    const WideInt value = *integer_of(operand);
    WideInt negative = 0;
    if (op == ast::UnaryOp::Positive) return value;
    if (op == ast::UnaryOp::Invert) return ~value;
    if (__builtin_sub_overflow(WideInt(0), value, &negative)) return std::nullopt;
    return negative;
  }
  if (op == ast::UnaryOp::Positive) return operand;
  if (const auto* complex = as<Complex>(operand))
    return negates ? std::optional<Value>(Complex{-complex->real, -complex->imag}) : std::nullopt;
  if (const auto* real = as<double>(operand)) return negates ? std::optional<Value>(-*real) : std::nullopt;
  const ir::Operand& bits = as<Number>(operand)->bits;
  if (is_complex(bits.type) || (!negates && is_float(bits.type))) return std::nullopt;
  const auto result = fold_unary(negates ? ir::UnaryOp::Negate : ir::UnaryOp::BitNot, bits);
  return result ? std::optional<Value>(Number{*result}) : std::nullopt;
}

std::optional<bool> compare(ast::CompareOp op, const Value& left, const Value& right) {
  if (op == ast::CompareOp::Is || op == ast::CompareOp::IsNot) {
    if (is_unknown(left) || is_unknown(right)) return std::nullopt;
    const bool decides = as<None>(left) || as<None>(right) || left.index() != right.index() || as<bool>(left);
    return decides ? std::optional(is_same(left, right) == (op == ast::CompareOp::Is)) : std::nullopt;
  }
  if (const auto *x = as<Text>(left), *y = as<Text>(right); x && y)
    return holds(op, x->text < y->text, x->text == y->text, x->text > y->text);
  if (const auto *x = as<Tuple>(left), *y = as<Tuple>(right); x && y)
    return compare_lists(op, x->elements, y->elements);
  const bool equality = op == ast::CompareOp::Equal || op == ast::CompareOp::NotEqual;
  if (!is_number(left) || !is_number(right)) {
    const bool is_known = !is_unknown(left) && !is_unknown(right) && equality;
    const bool differs = is_known && left.index() != right.index();
    const bool is_path = as<Path>(left) && as<Path>(right);
    if (is_path && equality) return is_same(left, right) == (op == ast::CompareOp::Equal);
    return differs && (as<None>(left) || as<None>(right) || as<Text>(left) || as<Text>(right))
               ? std::optional(op == ast::CompareOp::NotEqual)
               : std::nullopt;
  }
  const std::optional<WideInt> a = integer_of(left), b = integer_of(right);
  if (a && b) return holds(op, *a < *b, *a == *b, *a > *b);
  const std::optional<std::complex<double>> z = complex_of(left), w = complex_of(right);
  const std::optional<double> x = real_of(left), y = real_of(right);
  if (!x || !y) return equality ? std::optional((*z == *w) == (op == ast::CompareOp::Equal)) : std::nullopt;
  if (a && !std::isnan(*y))
    return holds(op, order_of(*a, *y) < 0, order_of(*a, *y) == 0, order_of(*a, *y) > 0);
  if (b && !std::isnan(*x))
    return holds(op, order_of(*b, *x) > 0, order_of(*b, *x) == 0, order_of(*b, *x) < 0);
  if (op == ast::CompareOp::NotEqual) return *x != *y;
  return holds(op, *x < *y, *x == *y, *x > *y);
}

ir::Operand Numbers::at(std::size_t index) const {
  if (is_complex(type)) return {type, std::nullopt, bits[2 * index], bits[2 * index + 1]};
  return {type, std::nullopt, bits[index]};
}

void Numbers::add(const ir::Operand& number) {
  bits.push_back(number.bits);
  if (is_complex(type)) bits.push_back(number.imag);
}

} // namespace kern::values
