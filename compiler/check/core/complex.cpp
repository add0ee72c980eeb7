// A real operand of a .kern file stays real: it changes or scales the parts, as in C++. In a .py file it becomes a complex
// number first, as in Numba, which differs where a part is infinite, NaN or a negative zero.
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/report.h"

#include <array>

#include "compiler/advice/advice.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

ir::Operand zero_of(Type part) { return ir::constant_float(part, 0); }

// Computes with floats of one type.
struct Floats {
  Checker& checker;
  Span span;

  ir::Operand add(ir::Operand a, ir::Operand b) const {
    return checker.binary(ir::BinaryOp::Add, a, b, span);
  }
  ir::Operand subtract(ir::Operand a, ir::Operand b) const {
    return checker.binary(ir::BinaryOp::Subtract, a, b, span);
  }
  ir::Operand multiply(ir::Operand a, ir::Operand b) const {
    return checker.binary(ir::BinaryOp::Multiply, a, b, span);
  }
  ir::Operand divide(ir::Operand a, ir::Operand b) const {
    return checker.binary(ir::BinaryOp::Divide, a, b, span);
  }
  ir::Operand negate(ir::Operand a) const { return checker.unary(ir::UnaryOp::Negate, a, span); }
  ir::Operand absolute(ir::Operand a) const { return checker.pure(Builtin::Abs, a.type, {a}, span); }
  ir::Operand compare(ir::CompareOp op, ir::Operand a, ir::Operand b) const {
    return checker.compare(op, a, b, span);
  }
  ir::Operand both(ir::Operand a, ir::Operand b) const {
    return checker.binary(ir::BinaryOp::BitAnd, a, b, span);
  }
  ir::Operand select(ir::Operand condition, ir::Operand yes, ir::Operand no) const {
    return checker.select(condition, yes, no, span);
  }
};

// Smith's quotient, without a branch: the greater part of the divisor divides first. A quotient by zero is that of
// the parts by zero, as in NumPy; in a .py file it is 0, which Numba leaves.
ComplexParts quotient(Checker& checker, const ComplexParts& a, const ComplexParts& b, Span span) {
  Floats of{checker, span};
  ir::Operand zero = zero_of(b.real.type);
  ir::Operand real_size = of.absolute(b.real), imag_size = of.absolute(b.imag);
  ir::Operand turns = of.compare(ir::CompareOp::Less, real_size, imag_size);
  ir::Operand greater = of.select(turns, b.imag, b.real), lesser = of.select(turns, b.real, b.imag);
  ir::Operand ratio = of.divide(lesser, greater);
  ir::Operand divisor = of.add(greater, of.multiply(lesser, ratio));
  ir::Operand first = of.select(turns, a.imag, a.real), second = of.select(turns, a.real, a.imag);
  ir::Operand real = of.divide(of.add(first, of.multiply(second, ratio)), divisor);
  ir::Operand scaled = of.multiply(a.real, ratio), turned = of.multiply(a.imag, ratio);
  ir::Operand imag =
      of.divide(of.subtract(of.select(turns, turned, a.imag), of.select(turns, a.real, scaled)), divisor);
  ir::Operand is_zero =
      of.both(of.compare(ir::CompareOp::Equal, b.real, zero), of.compare(ir::CompareOp::Equal, b.imag, zero));
  if (!is_zero.slot && is_zero.bits == 0) return {real, imag};
  bool to_zero = checker.rules.widens_reals;
  ir::Operand real_by_zero = to_zero ? zero : of.divide(a.real, real_size),
              imag_by_zero = to_zero ? zero : of.divide(a.imag, real_size);
  return {of.select(is_zero, real_by_zero, real), of.select(is_zero, imag_by_zero, imag)};
}

ComplexParts product(Checker& checker, const ComplexParts& a, const ComplexParts& b, Span span) {
  Floats of{checker, span};
  return {of.subtract(of.multiply(a.real, b.real), of.multiply(a.imag, b.imag)),
          of.add(of.multiply(a.real, b.imag), of.multiply(a.imag, b.real))};
}

// An operand of a complex operation: its parts, or one number that is real.
struct ComplexOperand {
  ComplexParts parts;
  bool is_real;
};

ComplexOperand operand_of(Checker& checker, const Value& value, Type type, const Value& other) {
  bool is_real = !is_complex(value.type) && !checker.rules.widens_reals;
  Type wanted = is_real ? part_type(type) : type;
  ir::Operand operand = convert(checker, value, wanted, {Purpose::Operand, other.span});
  if (is_real) return {{operand, zero_of(wanted)}, true};
  return {parts_of(checker, operand, value.span), false};
}

std::optional<ComplexParts> combine(Checker& checker, ast::BinaryOp op, const ComplexOperand& left,
                                    const ComplexOperand& right, Span span) {
  Floats of{checker, span};
  const ComplexParts &a = left.parts, &b = right.parts;
  switch (op) {
  case ast::BinaryOp::Add:
    return ComplexParts{of.add(a.real, b.real), left.is_real    ? b.imag
                                                : right.is_real ? a.imag
                                                                : of.add(a.imag, b.imag)};
  case ast::BinaryOp::Subtract:
    return ComplexParts{of.subtract(a.real, b.real), left.is_real    ? of.negate(b.imag)
                                                     : right.is_real ? a.imag
                                                                     : of.subtract(a.imag, b.imag)};
  case ast::BinaryOp::Multiply:
    if (left.is_real) return ComplexParts{of.multiply(a.real, b.real), of.multiply(a.real, b.imag)};
    if (right.is_real) return ComplexParts{of.multiply(a.real, b.real), of.multiply(a.imag, b.real)};
    return product(checker, a, b, span);
  case ast::BinaryOp::Divide:
    if (right.is_real) return ComplexParts{of.divide(a.real, b.real), of.divide(a.imag, b.real)};
    return quotient(checker, a, b, span);
  case ast::BinaryOp::FloorDivide:
  case ast::BinaryOp::Modulo:
  case ast::BinaryOp::Power:
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::ShiftRight:
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

Value report_operator(Checker& checker, std::string_view op, const Value& left, const Value& right,
                      Span span) {
  checker.report(span, diag::operand_type_mismatch, op, describe(checker, left), describe(checker, right))
      .note("complex numbers have no order and no remainders; their parts are `.real` and `.imag`");
  return error_value(span);
}

Value complex_result(Checker& checker, const ComplexParts& parts, Span span) {
  return runtime_value(make_complex(checker, parts, span), span);
}

// z ** n for n from 1 to 4.
ComplexParts small_power(Checker& checker, const ComplexParts& base, WideInt exponent, Span span) {
  if (exponent == 1) return base;
  ComplexParts square = product(checker, base, base, span);
  if (exponent == 2) return square;
  return product(checker, square, exponent == 3 ? base : square, span);
}

} // namespace

Value complex_arithmetic(Checker& checker, ast::BinaryOp op, Type type, const Value& left, const Value& right,
                         Span span) {
  ComplexOperand a = operand_of(checker, left, type, right), b = operand_of(checker, right, type, left);
  std::optional<ComplexParts> parts = combine(checker, op, a, b, span);
  if (!parts) return report_operator(checker, spelling(op), left, right, span);
  Value value = complex_result(checker, *parts, span);
  keep_literal_locals(checker, value, std::array{&left, &right});
  return value;
}

Value complex_power(Checker& checker, Type type, const Value& left, const Value& right, Span span) {
  WideInt exponent = is_int_literal(right) ? right.integer : 0;
  if (!checker.rules.widens_reals && exponent >= 1 && exponent <= 4) {
    ir::Operand base = convert(checker, left, type, Purpose::Operand);
    ComplexParts result = small_power(checker, parts_of(checker, base, span), exponent, span);
    return complex_result(checker, result, span);
  }
  bool counts = !checker.rules.widens_reals && is_integer(right.type) && !is_literal(right.type);
  std::vector<Value> args{convert_value(checker, left, type, Purpose::Operand),
                          convert_value(checker, right, counts ? types::i64 : type, Purpose::Operand)};
  std::optional<Value> result = checker.context.hooks.call_complex(
      checker, counts ? "_integer_power" : "_power", std::move(args), span);
  return result ? *result : checker.unsupported(span, "a power of a complex number");
}

Value complex_equality(Checker& checker, bool equal, Type type, const Value& left, const Value& right,
                       Span span) {
  ComplexParts a = parts_of(checker, convert(checker, left, type, Purpose::Operand), span),
               b = parts_of(checker, convert(checker, right, type, Purpose::Operand), span);
  ir::CompareOp op = equal ? ir::CompareOp::Equal : ir::CompareOp::NotEqual;
  ir::Operand result = checker.binary(equal ? ir::BinaryOp::BitAnd : ir::BinaryOp::BitOr,
                                      checker.compare(op, a.real, b.real, span),
                                      checker.compare(op, a.imag, b.imag, span), span);
  return runtime_value(result, span);
}

Value complex_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  if (op == ast::UnaryOp::Positive) return read_at(operand, span);
  if (op != ast::UnaryOp::Negative) {
    checker.report(span, diag::unary_operand, spelling(op), describe(checker, operand));
    return error_value(span);
  }
  if (is_literal(operand)) return complex_value({-operand.real(), -operand.imaginary()}, span);
  if (std::optional<Value> value = undecided(checker, operand.type, std::array{&operand}, span))
    return *value;
  Floats of{checker, span};
  ComplexParts parts = parts_of(checker, as_operand(checker, operand), span);
  Value value = complex_result(checker, {of.negate(parts.real), of.negate(parts.imag)}, span);
  keep_literal_locals(checker, value, std::array{&operand});
  return value;
}

Value complex_absolute(Checker& checker, const Value& operand, Span span) {
  if (is_literal(operand) && operand.kind == ValueKind::Literal)
    return float_value(std::abs(std::complex(operand.real(), operand.imaginary())), span);
  if (is_literal(operand.type)) return unknown_value(span);
  ComplexParts parts = parts_of(checker, as_operand(checker, operand), span);
  Type type = parts.real.type;
  if (!parts.real.slot && !parts.imag.slot)
    return runtime_value(
        ir::constant_float(type, std::hypot(ir::float_value(parts.real), ir::float_value(parts.imag))), span);
  return runtime_value(checker.pure(Builtin::Hypot, type, {parts.real, parts.imag}, span), span);
}

Value conjugate(Checker& checker, const Value& operand, Span span) {
  if (is_error(operand) || is_unknown(operand)) return operand;
  if (!is_complex_number(operand)) return read_at(operand, span);
  if (operand.kind == ValueKind::Literal) return complex_value({operand.real(), -operand.imaginary()}, span);
  if (is_literal(operand.type)) return unknown_value(span);
  ComplexParts parts = parts_of(checker, as_operand(checker, operand), span);
  return complex_result(checker, {parts.real, checker.unary(ir::UnaryOp::Negate, parts.imag, span)}, span);
}

Value complex_part(Checker& checker, const Value& value, int part, Span span) {
  if (value.kind == ValueKind::Literal)
    return float_value(part == 0 ? value.real() : value.imaginary(), span);
  if (is_literal(value.type)) return unknown_value(span);
  ComplexParts parts = parts_of(checker, as_operand(checker, value), span);
  return runtime_value(part == 0 ? parts.real : parts.imag, span);
}

// Returns the type of `complex(x, y)`, as Numba has it: of two floats of 32 bits or less a c64.
static Type constructed_type(const Checker& checker, std::span<const Value> args) {
  bool is_wide = args.empty(), all_literal = true;
  for (const Value& arg : args) {
    bool literal = is_literal(arg.type);
    Type type = literal && checker.rules.types_literals ? default_type(arg.type) : arg.type;
    all_literal = all_literal && literal && arg.kind == ValueKind::Literal;
    is_wide = is_wide || type == types::f64 || type == types::c128 || is_integer(type) || is_boolean(type);
    if (type == types::int_literal) is_wide = false;
  }
  if (all_literal && !args.empty()) return types::complex_literal;
  return is_wide ? types::c128 : types::c64;
}

Value construct_complex(Checker& checker, std::optional<Type> type, std::span<const Value> args, Span span) {
  bool any_unknown = false, any_complex = false;
  for (const Value& arg : args) {
    if (is_error(arg)) return arg;
    any_unknown =
        any_unknown || is_unknown(arg) ||
        (is_number(arg) && arg.kind == ValueKind::Runtime && is_literal(arg.type) && !checker.final);
    any_complex = any_complex || (is_number(arg) && is_complex(arg.type));
    if (is_number(arg) || is_unknown(arg)) continue;
    checker.report(arg.span, diag::cannot_cast, describe(checker, arg),
                   to_string(type.value_or(types::c128)));
    return error_value(span);
  }
  if (any_unknown) return unknown_value(span);
  Type wanted = type.value_or(constructed_type(checker, args));
  if (args.empty()) return complex_value(0, span);
  auto constant = [&](const Value& arg) { return *constant_complex(arg); };
  if (wanted == types::complex_literal) {
    std::complex<double> value = constant(args[0]);
    if (args.size() == 1) return complex_value(value, span);
    if (!any_complex) return complex_value({value.real(), constant(args[1]).real()}, span);
    return complex_value(value + std::complex(0.0, 1.0) * constant(args[1]), span);
  }
  auto number = [&](const Value& arg) {
    Value typed =
        arg.kind == ValueKind::Runtime ? arg : convert_value(checker, arg, wanted, Purpose::Operand);
    return convert_complex(checker, typed.operand, wanted, span);
  };
  ir::Operand first = number(args[0]);
  if (args.size() == 1) return runtime_value(first, span);
  ComplexParts a = parts_of(checker, first, span), b = parts_of(checker, number(args[1]), span);
  if (!any_complex) return complex_result(checker, {a.real, b.real}, span);
  Floats of{checker, span};
  return complex_result(checker, {of.subtract(a.real, b.imag), of.add(a.imag, b.real)}, span);
}

void report_complex_to_real(Checker& checker, const Value& value, Type type) {
  std::string_view text = checker.context.source(value.span);
  checker.report(value.span, diag::complex_to_real, describe(checker, value), to_string(type),
                 text.size() <= 40 ? advice::primary(text) : "(...)");
}

} // namespace kern::checker
