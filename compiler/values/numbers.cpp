// Arithmetic of the top level: integers are exact, `/` of two of them is a float, and numbers with a type compute as
// NumPy's scalars do. Whatever Python raises an exception for has no value.
#include <cmath>
#include <complex>

#include "compiler/values/arithmetic.h"
#include "compiler/values/arrays.h"
#include "compiler/values/fold.h"

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

using Wide = std::complex<double>;

Wide product(Wide a, Wide b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::optional<Wide> quotient(Wide a, Wide b) {
  if (b == Wide(0)) return std::nullopt;
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    const double ratio = b.imag() / b.real(), divisor = b.real() + b.imag() * ratio;
    return Wide((a.real() + a.imag() * ratio) / divisor, (a.imag() - a.real() * ratio) / divisor);
  }
  const double ratio = b.real() / b.imag(), divisor = b.real() * ratio + b.imag();
  return Wide((a.real() * ratio + a.imag()) / divisor, (a.imag() * ratio - a.real()) / divisor);
}

// Python multiplies for a small whole exponent; the others are left to the run of the program.
std::optional<Wide> power(Wide base, Wide exponent) {
  const double real = exponent.real();
  if (exponent.imag() != 0 || real != std::floor(real) || std::fabs(real) > 100) return std::nullopt;
  Wide result = 1;
  for (auto rest = static_cast<unsigned>(std::fabs(real)); rest != 0; rest >>= 1, base = product(base, base))
    if (rest & 1) result = product(result, base);
  return real > 0 ? result : quotient(1, result);
}

std::optional<Value> complex_binary(Op op, const Value& left, const Value& right) {
  const Wide a = *complex_of(left), b = *complex_of(right);
  const std::optional<Wide> result = op == Op::Add        ? std::optional(a + b)
                                     : op == Op::Subtract ? std::optional(a - b)
                                     : op == Op::Multiply ? std::optional(product(a, b))
                                     : op == Op::Divide   ? quotient(a, b)
                                     : op == Op::Power    ? power(a, b)
                                                          : std::nullopt;
  return result ? std::optional<Value>(Complex{result->real(), result->imag()}) : std::nullopt;
}

std::optional<Value> plain_binary(Op op, const Value& left, const Value& right) {
  if (as<Complex>(left) || as<Complex>(right)) return complex_binary(op, left, right);
  const std::optional<WideInt> a = integer_of(left), b = integer_of(right);
  const bool ints = is_python_int(left) && is_python_int(right);
  if (ints && is_bitwise(op) && as<bool>(left) && as<bool>(right)) return *integer_operation(op, *a, *b) != 0;
  if (ints && op == Op::Divide)
    return *b == 0 ? std::nullopt : std::optional<Value>(values::quotient(*a, *b));
  if (ints && !(op == Op::Power && *b < 0)) {
    const std::optional<WideInt> result = integer_operation(op, *a, *b);
    return result ? std::optional<Value>(*result) : std::nullopt;
  }
  const std::optional<double> result = python_operation(op, *real_of(left), *real_of(right));
  return result ? std::optional<Value>(*result) : std::nullopt;
}

// Returns the type in which NumPy computes: a plain number takes that of the other one, if it is of a kind that holds it.
std::optional<Type> numpy_type(const Value& left, const Value& right) {
  if (!is_plain(left) && !is_plain(right)) return promoted(type_of_number(left), type_of_number(right));
  const Value &plain = is_plain(left) ? left : right, &typed = is_plain(left) ? right : left;
  const Type type = type_of_number(typed);
  if (is_complex(type) || as<bool>(plain)) return type;
  if (as<Complex>(plain)) return type == types::f32 || type == types::f16 ? types::c64 : types::c128;
  if (is_float(type)) return type;
  if (!is_python_int(plain)) return types::f64;
  if (is_boolean(type)) return types::i64;
  return literal_fits(*integer_of(plain), type) ? std::optional(type) : std::nullopt;
}

// Computes complex numbers as NumPy does, in their own precision. It divides by the larger part first.
template <class Float>
std::optional<Value> numpy_complex(Op op, Type type, std::complex<double> left, std::complex<double> right) {
  const auto a = static_cast<Float>(left.real()), b = static_cast<Float>(left.imag()),
             c = static_cast<Float>(right.real()), d = static_cast<Float>(right.imag());
  const auto make = [&](Float real, Float imag) {
    return Number{ir::constant_complex(type, static_cast<double>(real), static_cast<double>(imag))};
  };
  if (op == Op::Add) return make(a + c, b + d);
  if (op == Op::Subtract) return make(a - c, b - d);
  if (op == Op::Multiply) return make(a * c - b * d, a * d + b * c);
  if (op != Op::Divide || (c == 0 && d == 0)) return std::nullopt;
  if (std::fabs(c) >= std::fabs(d)) {
    const Float ratio = d / c, scale = 1 / (c + d * ratio);
    return make((a + b * ratio) * scale, (b - a * ratio) * scale);
  }
  const Float ratio = c / d, scale = 1 / (d + c * ratio);
  return make((a * ratio + b) * scale, (b * ratio - a) * scale);
}

template <class Float>
Value complex_root_or_inverse_in(Type type, std::complex<double> operand, bool is_root) {
  const std::complex<Float> z(operand);
  const auto make = [&](Float real, Float imag) {
    return Number{ir::constant_complex(type, static_cast<double>(real), static_cast<double>(imag))};
  };
  if (is_root) return make(std::sqrt(z).real(), std::sqrt(z).imag());
  const Float x = z.real(), y = z.imag();
  const bool is_flat = std::fabs(y) <= std::fabs(x);
  const Float ratio = is_flat ? y / x : x / y, divisor = is_flat ? x + y * ratio : x * ratio + y;
  return is_flat ? make(1 / divisor, -ratio / divisor) : make(ratio / divisor, -1 / divisor);
}

// Of bools NumPy has `|` for `+` and `&` for `*`, and no difference; else they are the integers of 8 bits.
std::optional<Value> bool_binary(Op op, const Value& left, const Value& right) {
  const bool a = *truth_of(left), b = *truth_of(right);
  if (op == Op::Subtract) return std::nullopt;
  if (op == Op::Add || op == Op::BitOr) return Number{ir::constant_bool(a || b)};
  if (op == Op::Multiply || op == Op::BitAnd) return Number{ir::constant_bool(a && b)};
  if (op == Op::BitXor) return Number{ir::constant_bool(a != b)};
  const Type type = op == Op::Divide ? types::f64 : types::i8;
  return binary(op, Number{ir::constant_int(type, a)}, Number{ir::constant_int(type, b)});
}

std::optional<Value> numpy_power(const ir::Operand& base, const ir::Operand& exponent) {
  const Type type = base.type;
  if (is_float(type))
    return Number{ir::constant_float(type, std::pow(ir::float_value(base), ir::float_value(exponent)))};
  if (is_signed(type) && ir::int_value(exponent) < 0) return std::nullopt;
  const auto power = fold_builtin(Builtin::IntegerPower, type, std::array{base, exponent});
  return power ? std::optional<Value>(Number{*power}) : std::nullopt;
}

std::optional<Value> numpy_binary(Op op, const Value& left, const Value& right) {
  std::optional<Type> type = numpy_type(left, right);
  if (!type || op == Op::MatrixMultiply) return std::nullopt;
  if (is_complex(*type)) {
    const std::complex<double> a = *complex_of(left), b = *complex_of(right);
    return *type == types::c64 ? numpy_complex<float>(op, *type, a, b)
                               : numpy_complex<double>(op, *type, a, b);
  }
  if (is_boolean(*type)) return bool_binary(op, left, right);
  if (op == Op::Divide && is_integer(*type)) type = types::f64;
  const std::optional<ir::Operand> a = number_as(left, *type), b = number_as(right, *type);
  if (!a || !b) return std::nullopt;
  if (op == Op::Power) return numpy_power(*a, *b);
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

Value complex_root_or_inverse(const ir::Operand& z, bool is_root) {
  return z.type == types::c64 ? complex_root_or_inverse_in<float>(z.type, *complex_of(Number{z}), is_root)
                              : complex_root_or_inverse_in<double>(z.type, *complex_of(Number{z}), is_root);
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
  const auto* number = as<Number>(operand);
  const bool is_bool = number && is_boolean(number->bits.type);
  if (op == ast::UnaryOp::Positive) return is_bool ? std::nullopt : std::optional(operand);
  if (const auto* complex = as<Complex>(operand))
    return negates ? std::optional<Value>(Complex{-complex->real, -complex->imag}) : std::nullopt;
  if (const auto* real = as<double>(operand)) return negates ? std::optional<Value>(-*real) : std::nullopt;
  const ir::Operand& bits = as<Number>(operand)->bits;
  if (is_complex(bits.type)) {
    const std::complex<double> z = *complex_of(operand);
    if (!negates) return std::nullopt;
    return Number{ir::constant_complex(bits.type, -z.real(), -z.imag())};
  }
  if (is_boolean(bits.type)) // has no negative one
    return negates ? std::nullopt : std::optional<Value>(Number{ir::constant_bool(bits.bits == 0)});
  if (!negates && is_float(bits.type)) return std::nullopt;
  const auto result = fold_unary(negates ? ir::UnaryOp::Negate : ir::UnaryOp::BitNot, bits);
  return result ? std::optional<Value>(Number{*result}) : std::nullopt;
}

std::optional<bool> compare(ast::CompareOp op, const Value& left, const Value& right) {
  const bool is_foreign = as<Foreign>(left) || as<Foreign>(right);
  if (is_foreign && !as<None>(left) && !as<None>(right)) return std::nullopt;
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
  // A float of Python's own takes the type of NumPy's beside it.
  const auto* typed = as<Number>(left) ? as<Number>(left) : as<Number>(right);
  const bool rounds = typed && is_float(typed->bits.type) && (as<double>(left) || as<double>(right));
  const auto real_as = [&](const Value& value) {
    const auto number = rounds && as<double>(value) ? number_as(value, typed->bits.type) : std::nullopt;
    return number ? real_of(Number{*number}) : real_of(value);
  };
  const std::optional<double> x = real_as(left), y = real_as(right);
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
