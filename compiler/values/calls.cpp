// Functions of Python, `math` and NumPy of numbers. Python raises where a finite argument gives no finite result; NumPy
// warns.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "compiler/types/names.h"
#include "compiler/values/arithmetic.h"
#include "compiler/values/fold.h"
#include "compiler/values/value.h"

namespace kern::values {

namespace {

using Result = std::optional<Value>;

constexpr double largest = 0x1p126; // below which a float has an integer in WideInt

Result whole(double value) {
  if (!(std::fabs(value) < largest)) return std::nullopt;
  return static_cast<WideInt>(value);
}

Result call_reals(std::string_view name, bool is_numpy, const std::vector<double>& x) {
  const std::optional<double> result = real_function(name, is_numpy, x);
  if (!result) return std::nullopt;
  const bool all_finite = std::isfinite(x[0]) && (x.size() < 2 || std::isfinite(x[1]));
  if (!is_numpy && all_finite && !std::isfinite(*result)) return std::nullopt;
  return *result;
}

Result round_number(std::span<const Value> args) {
  const Value& x = args[0];
  if (args.size() == 1 && integer_of(x)) return *integer_of(x);
  if (args.size() == 1) return whole(std::nearbyint(*real_of(x)));
  const std::optional<WideInt> digits = integer_of(args[1]);
  const auto* real = as<double>(x);
  if (!real || !digits || *digits < -300 || *digits > 300) return std::nullopt;
  return rounded_decimal(*real, static_cast<int>(*digits));
}

// Returns what Python's min and max return: the first of those that no other one goes before.
Result first_extreme(bool greatest, std::span<const Value> args) {
  const Value* best = args.data();
  for (const Value& arg : args) {
    const auto before = compare(greatest ? ast::CompareOp::Greater : ast::CompareOp::Less, arg, *best);
    if (!before) return std::nullopt;
    if (*before) best = &arg;
  }
  return *best;
}

Result absolute(const Value& x) {
  if (const auto* number = as<Number>(x)) {
    const auto result = fold_builtin(Builtin::Abs, number->bits.type, std::array{number->bits});
    return result ? Result(Number{*result}) : std::nullopt;
  }
  if (const auto* complex = as<Complex>(x)) return std::hypot(complex->real, complex->imag);
  if (const std::optional<WideInt> integer = integer_of(x)) return *integer < 0 ? -*integer : *integer;
  return std::fabs(*real_of(x));
}

// A cast by a type of NumPy or Numba: a number of that type.
Result cast(Type type, const Value& value) {
  if (is_boolean(type)) {
    const std::optional<bool> truth = truth_of(value);
    return truth ? Result(*truth) : std::nullopt;
  }
  const std::optional<ir::Operand> number = number_as(value, type);
  return number ? Result(Number{*number}) : std::nullopt;
}

Result python_function(std::string_view name, std::span<const Value> args) {
  const Value& x = args[0];
  const bool rounds =
      name == "int" || name == "round" || name == "floor" || name == "ceil" || name == "trunc";
  if (name == "round") return round_number(args);
  if (name == "abs") return args.size() == 1 ? absolute(x) : std::nullopt;
  if (name == "min" || name == "max") return first_extreme(name == "max", args);
  if (name == "float") return real_of(x) ? Result(*real_of(x)) : std::nullopt;
  if (name == "bool") return truth_of(x) ? Result(*truth_of(x)) : std::nullopt;
  if (name == "complex" && real_of(x) && (args.size() < 2 || real_of(args[1])))
    return Complex{*real_of(x), args.size() < 2 ? 0 : *real_of(args[1])};
  if (rounds && integer_of(x)) return *integer_of(x);
  const double real = real_of(x).value_or(NAN);
  if (name == "int" || name == "trunc") return whole(std::trunc(real));
  if (name == "floor") return whole(std::floor(real));
  if (name == "ceil") return whole(std::ceil(real));
  return std::nullopt;
}

// Functions of `cmath`, of complex numbers.
using Z = std::complex<double>;
struct ComplexRow {
  std::string_view name;
  Z (*call)(const Z&);
};
constexpr ComplexRow complex_functions[] = {
    {"exp", std::exp},   {"sqrt", std::sqrt},   {"log", std::log},     {"log10", std::log10},
    {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
    {"acos", std::acos}, {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
    {"tanh", std::tanh}, {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh},
};

Result complex_function(std::string_view name, std::span<const Value> args) {
  const std::optional<double> first = real_of(args[0]);
  const auto* complex = as<Complex>(args[0]);
  if (!first && !complex) return std::nullopt;
  const Z z = complex ? Z{complex->real, complex->imag} : Z{*first, 0};
  if (args.size() == 1 && name == "phase") return std::atan2(z.imag(), z.real());
  const auto* row = std::ranges::find(complex_functions, name, &ComplexRow::name);
  const bool is_row = args.size() == 1 && row != std::end(complex_functions);
  const std::optional<double> second = args.size() == 2 ? real_of(args[1]) : std::nullopt;
  const bool is_polar = name == "rect" && first && second;
  if (!is_row && !is_polar) return std::nullopt;
  const double size = first.value_or(0), angle = second.value_or(0);
  const Z result = is_row ? row->call(z) : Z{size * std::cos(angle), size * std::sin(angle)};
  const bool is_finite = std::isfinite(result.real()) && std::isfinite(result.imag());
  return is_finite ? Result(Complex{result.real(), result.imag()}) : std::nullopt;
}

} // namespace

Result call(std::string_view path, std::span<const Value> args) {
  if (args.empty()) return std::nullopt;
  if (!std::ranges::all_of(args, is_number)) return std::nullopt;
  const std::size_t dot = path.rfind('.');
  const std::string_view module = dot == path.npos ? "" : path.substr(0, dot);
  const std::string_view name = dot == path.npos ? path : path.substr(dot + 1);
  const bool is_math = module == "math", is_numpy = module == "numpy";
  if (module.empty()) return python_function(name, args);
  if (module == "cmath") return complex_function(name, args);
  if (is_math && (name == "floor" || name == "ceil" || name == "trunc")) return python_function(name, args);
  if (is_math || is_numpy) {
    std::vector<double> reals;
    bool is_typed = false;
    for (const Value& arg : args) {
      if (!real_of(arg)) return std::nullopt;
      reals.push_back(*real_of(arg));
      is_typed = is_typed || as<Number>(arg);
    }
    if (is_numpy && (name == "abs" || name == "absolute")) return absolute(args[0]);
    // Of a number with a type NumPy has a result of that type, which it computes in its own way.
    if (!(is_numpy && is_typed))
      if (Result result = call_reals(name, is_numpy, reals)) return result;
  }
  if (is_math || args.size() != 1) return std::nullopt;
  const std::optional<ScalarKind> kind = is_numpy ? find_numpy_scalar(name) : find_numba_scalar(name);
  return kind ? cast(types::scalar(*kind), args[0]) : std::nullopt;
}

} // namespace kern::values
