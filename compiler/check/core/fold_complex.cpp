// Operators and functions of complex constants, as Python computes them; what it raises an exception for has no result.
#include <cmath>

#include "compiler/check/core/complex.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

using Number = std::complex<double>;

Number product(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Smith's quotient.
std::optional<Number> quotient(Number a, Number b) {
  if (b == 0.0) return std::nullopt;
  bool turns = std::fabs(b.real()) < std::fabs(b.imag());
  double greater = turns ? b.imag() : b.real(), lesser = turns ? b.real() : b.imag();
  double ratio = lesser / greater, divisor = greater + lesser * ratio;
  if (turns) return Number{(a.real() * ratio + a.imag()) / divisor, (a.imag() * ratio - a.real()) / divisor};
  return Number{(a.real() + a.imag() * ratio) / divisor, (a.imag() - a.real() * ratio) / divisor};
}

// Computes an operator of which one operand is real and stays so; returns nothing where none is.
std::optional<Number> with_real(ast::BinaryOp op, Number a, Number b, bool left_is_real, bool right_is_real) {
  if (!left_is_real && !right_is_real) return std::nullopt;
  Number other = left_is_real ? b : a;
  double real = left_is_real ? a.real() : b.real();
  switch (op) {
  case ast::BinaryOp::Add: return Number{a.real() + b.real(), other.imag()};
  case ast::BinaryOp::Subtract: return Number{a.real() - b.real(), left_is_real ? -b.imag() : a.imag()};
  case ast::BinaryOp::Multiply: return Number{other.real() * real, other.imag() * real};
  case ast::BinaryOp::Divide:
    if (left_is_real) return std::nullopt;
    return Number{a.real() / real, a.imag() / real};
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

std::optional<Number> integer_power(Number base, int exponent) {
  Number result = 1.0, factor = base;
  for (int rest = std::abs(exponent); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = product(result, factor);
    factor = product(factor, factor);
  }
  return exponent < 0 ? quotient(1.0, result) : result;
}

std::optional<Number> power(Number base, Number exponent) {
  if (exponent == 0.0) return 1.0;
  if (base == 0.0)
    return exponent.imag() == 0 && exponent.real() > 0 ? std::optional(Number(0)) : std::nullopt;
  bool is_small = exponent.imag() == 0 && exponent.real() == std::floor(exponent.real()) &&
                  std::fabs(exponent.real()) <= 100;
  if (is_small) return integer_power(base, static_cast<int>(exponent.real()));
  double length = std::pow(std::abs(base), exponent.real()), angle = std::arg(base);
  double phase = angle * exponent.real();
  if (exponent.imag() != 0) {
    length *= std::exp(-angle * exponent.imag());
    phase += exponent.imag() * std::log(std::abs(base));
  }
  return Number{length * std::cos(phase), length * std::sin(phase)};
}

using Function = Number (*)(const Number&);

constexpr std::pair<std::string_view, Function> functions[] = {
    {"exp", std::exp},   {"log", std::log},     {"log10", std::log10}, {"sqrt", std::sqrt},
    {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
    {"acos", std::acos}, {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
    {"tanh", std::tanh}, {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh},
};

} // namespace

std::optional<Number> fold_complex(const Checker& checker, ast::BinaryOp op, const Value& left,
                                   const Value& right) {
  std::optional<Number> a = constant_complex(left), b = constant_complex(right);
  if (!a || !b) return std::nullopt;
  if (!checker.rules.widens_reals)
    if (std::optional<Number> result = with_real(op, *a, *b, !is_complex(left.type), !is_complex(right.type)))
      return result;
  switch (op) {
  case ast::BinaryOp::Add: return *a + *b;
  case ast::BinaryOp::Subtract: return *a - *b;
  case ast::BinaryOp::Multiply: return product(*a, *b);
  case ast::BinaryOp::Divide: return quotient(*a, *b);
  case ast::BinaryOp::Power: return power(*a, *b);
  case ast::BinaryOp::FloorDivide:
  case ast::BinaryOp::Modulo:
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::ShiftRight:
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor:
  case ast::BinaryOp::MatrixMultiply: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> fold_complex_call(Checker& checker, const FunctionSymbol& callee,
                                       std::span<const Value> args, Span span) {
  bool is_cmath = callee.file->file->is_library && callee.file->file->module == "cmath";
  if (!is_cmath || args.empty() || args.size() > 2) return std::nullopt;
  std::optional<Number> x = constant_complex(args[0]);
  std::optional<Number> y = args.size() == 2 ? constant_complex(args[1]) : Number(0);
  if (!x || !y) return std::nullopt;
  std::string_view name = callee.def->name;
  if (args.size() == 1)
    for (const auto& [known, function] : functions)
      if (known == name) return complex_value(function(*x), span);
  if (args.size() == 1 && name == "phase") return float_value(std::arg(*x), span);
  if (args.size() == 1 && name == "polar")
    return tuple_value({float_value(std::abs(*x), span), float_value(std::arg(*x), span)}, span);
  bool reals = x->imag() == 0 && y->imag() == 0;
  if (args.size() == 2 && name == "rect" && reals)
    return complex_value({x->real() * std::cos(y->real()), x->real() * std::sin(y->real())}, span);
  if (args.size() == 2 && name == "log") {
    std::optional<Number> result = quotient(std::log(*x), std::log(*y));
    if (result) return complex_value(*result, span);
  }
  checker.report(span, diag::not_constant, checker.context.source(span));
  return error_value(span);
}

} // namespace kern::checker
