// Functions and casts of Python's and NumPy's that top-level code calls with constants.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "compiler/check/python.h"
#include "compiler/diagnostics/types.h"
#include "compiler/values/fold.h"

namespace kern::checker {

namespace {

constexpr double largest = 0x1p126; // below which a float has an integer in WideInt

Value raises(Checker& checker, Span span) {
  checker.report(span, diag::not_constant, checker.context.source(span));
  return error_value(span);
}

Value whole(Checker& checker, double value, Span span) {
  if (!(std::fabs(value) < largest)) return raises(checker, span);
  return int_value(static_cast<WideInt>(value), span);
}

using One = double (*)(double);
using Two = double (*)(double, double);

template <class F> struct Function {
  Builtin builtin;
  F function;
};

constexpr Function<One> functions_of_one[] = {
    {Builtin::Sqrt, std::sqrt},     {Builtin::Exp, std::exp},      {Builtin::Exp2, std::exp2},
    {Builtin::Expm1, std::expm1},   {Builtin::Log, std::log},      {Builtin::Log2, std::log2},
    {Builtin::Log10, std::log10},   {Builtin::Log1p, std::log1p},  {Builtin::Sin, std::sin},
    {Builtin::Cos, std::cos},       {Builtin::Tan, std::tan},      {Builtin::Asin, std::asin},
    {Builtin::Acos, std::acos},     {Builtin::Atan, std::atan},    {Builtin::Sinh, std::sinh},
    {Builtin::Cosh, std::cosh},     {Builtin::Tanh, std::tanh},    {Builtin::Asinh, std::asinh},
    {Builtin::Acosh, std::acosh},   {Builtin::Atanh, std::atanh},  {Builtin::Erf, std::erf},
    {Builtin::Erfc, std::erfc},     {Builtin::Gamma, std::tgamma}, {Builtin::Fabs, std::fabs},
    {Builtin::MathCbrt, std::cbrt},
};
constexpr Function<Two> functions_of_two[] = {
    {Builtin::MathPow, std::pow},         {Builtin::Hypot, std::hypot},
    {Builtin::Atan2, std::atan2},         {Builtin::Fmod, std::fmod},
    {Builtin::Copysign, std::copysign},   {Builtin::Remainder, std::remainder},
    {Builtin::Nextafter, std::nextafter},
};

// Python raises where a finite argument gives no finite result; NumPy warns.
std::optional<double> real_function(Builtin builtin, const std::vector<double>& x, bool is_numpy,
                                    bool& is_known) {
  std::optional<double> result;
  for (const auto& [id, function] : functions_of_one)
    if (id == builtin && x.size() == 1) result = function(x[0]);
  for (const auto& [id, function] : functions_of_two)
    if (id == builtin && x.size() == 2) result = function(x[0], x[1]);
  is_known = result.has_value();
  bool all_finite = std::isfinite(x[0]) && (x.size() < 2 || std::isfinite(x[1]));
  if (is_known && !is_numpy && all_finite && !std::isfinite(*result)) return std::nullopt;
  return result;
}

// Returns what Python's min and max return: the first of those that no other one goes before.
Value first_extreme(Checker& checker, bool greatest, const std::vector<Value>& args, Span span) {
  const Value* best = args.data();
  for (const Value& arg : args) {
    Value goes_before =
        checker.compare_values(greatest ? ast::CompareOp::Greater : ast::CompareOp::Less, arg, *best, span);
    if (is_error(goes_before)) return goes_before;
    if (checker.constant_truth(goes_before).value_or(false)) best = &arg;
  }
  return read_at(*best, span);
}

// Python rounds the decimal expansion, half to even, and not a product.
double rounded_decimal(double value, int digits) {
  if (!std::isfinite(value)) return value;
  if (digits < 0) {
    double power = std::pow(10.0, -digits);
    return std::isinf(power) ? std::copysign(0.0, value) : std::nearbyint(value / power) * power;
  }
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return std::strtod(text, nullptr);
}

std::optional<Value> round_number(Checker& checker, bool is_numpy, const std::vector<Value>& args,
                                  Span span) {
  const Value& x = args[0];
  bool is_int = !is_float(x.type);
  if (args.size() == 1 && is_int && !is_numpy) return int_value(*constant_integer(x), span);
  if (args.size() == 1 && !is_numpy) return whole(checker, std::nearbyint(*constant_real(x)), span);
  WideInt digits = args.size() > 1 ? constant_integer(args[1]).value_or(1000) : 1000;
  if (is_literal(x) && !is_int && !is_numpy && digits >= -300 && digits <= 300)
    return float_value(rounded_decimal(x.real, static_cast<int>(digits)), span);
  return raises(checker, span);
}

std::optional<Value> numpy_function(Builtin builtin, const std::vector<Value>& args, Span span) {
  std::vector<ir::Operand> operands;
  for (const Value& arg : args) operands.push_back(arg.operand);
  std::optional<ir::Operand> result = fold_builtin(builtin, args[0].type, operands);
  return result ? std::optional(runtime_value(*result, span)) : std::nullopt;
}

} // namespace

std::optional<Value> python_call(Checker& checker, Builtin builtin, bool is_numpy,
                                 const std::vector<Value>& args, Span span) {
  if (args.empty()) return std::nullopt;
  bool expands = args.size() == 1 && is_tuple(args[0]) && !args[0].elements.empty();
  bool picks = builtin == Builtin::Min || builtin == Builtin::Max;
  const std::vector<Value>& items = picks && expands ? args[0].elements : args;
  std::vector<double> numbers;
  bool typed = false, all_typed = true;
  for (const Value& item : items) {
    if (!is_constant_number(item)) return std::nullopt;
    numbers.push_back(*constant_real(item));
    bool own = !is_literal(item) && !is_boolean(item.type);
    typed = typed || own, all_typed = all_typed && own;
  }
  const Value& x = items[0];
  if (picks && (items.size() > 1 || expands))
    return first_extreme(checker, builtin == Builtin::Max, items, span);
  if (builtin == Builtin::Round) return round_number(checker, is_numpy, args, span);
  if (builtin == Builtin::Abs && typed) return numpy_function(builtin, args, span);
  if (builtin == Builtin::Abs && !is_float(x.type))
    return int_value(std::max(*constant_integer(x), -*constant_integer(x)), span);
  if (builtin == Builtin::Abs) return float_value(std::fabs(numbers[0]), span);
  bool rounds = builtin == Builtin::Floor || builtin == Builtin::Ceil || builtin == Builtin::Trunc;
  if (rounds && !is_numpy && !is_float(x.type)) return int_value(*constant_integer(x), span);
  if (rounds && !is_numpy)
    return whole(checker,
                 builtin == Builtin::Floor  ? std::floor(numbers[0])
                 : builtin == Builtin::Ceil ? std::ceil(numbers[0])
                                            : std::trunc(numbers[0]),
                 span);
  if (is_numpy && typed) return all_typed ? numpy_function(builtin, args, span) : std::nullopt;
  if (rounds)
    return float_value(builtin == Builtin::Floor  ? std::floor(numbers[0])
                       : builtin == Builtin::Ceil ? std::ceil(numbers[0])
                                                  : std::trunc(numbers[0]),
                       span);
  bool is_known = false;
  std::optional<double> result = real_function(builtin, numbers, is_numpy, is_known);
  if (!is_known) return std::nullopt;
  return result ? float_value(*result, span) : raises(checker, span);
}

std::optional<Value> python_cast(Checker& checker, Type type, bool is_own, const Value& value, Span span) {
  if (!is_constant_number(value) || is_boolean(type)) return std::nullopt;
  bool is_int = !is_float(value.type);
  if (is_own && is_float(type)) return float_value(*constant_real(value), span);
  if (is_own && is_int) return int_value(*constant_integer(value), span);
  if (is_own) return whole(checker, std::trunc(*constant_real(value)), span);
  bool overflows = is_int_literal(value) && is_integer(type) && !literal_fits(value.integer, type);
  return overflows ? std::optional(raises(checker, span)) : std::nullopt;
}

} // namespace kern::checker
