// Functions of floats by their names in `math` and in NumPy, as the C library computes them.
#include <cmath>

#include "compiler/values/arithmetic.h"

namespace kern::values {

namespace {

double radians(double x) { return x * (M_PI / 180); }
double degrees(double x) { return x * (180 / M_PI); }

template <class F> struct Row {
  std::string_view name, numpy;
  F function;
};

constexpr Row<double (*)(double)> functions_of_one[] = {
    {"sqrt", "sqrt", std::sqrt},      {"exp", "exp", std::exp},         {"exp2", "exp2", std::exp2},
    {"expm1", "expm1", std::expm1},   {"log", "log", std::log},         {"log2", "log2", std::log2},
    {"log10", "log10", std::log10},   {"log1p", "log1p", std::log1p},   {"sin", "sin", std::sin},
    {"cos", "cos", std::cos},         {"tan", "tan", std::tan},         {"asin", "arcsin", std::asin},
    {"acos", "arccos", std::acos},    {"atan", "arctan", std::atan},    {"sinh", "sinh", std::sinh},
    {"cosh", "cosh", std::cosh},      {"tanh", "tanh", std::tanh},      {"asinh", "arcsinh", std::asinh},
    {"acosh", "arccosh", std::acosh}, {"atanh", "arctanh", std::atanh}, {"erf", "", std::erf},
    {"erfc", "", std::erfc},          {"gamma", "", std::tgamma},       {"fabs", "fabs", std::fabs},
    {"cbrt", "cbrt", std::cbrt},      {"radians", "radians", radians},  {"degrees", "degrees", degrees},
};
constexpr Row<double (*)(double, double)> functions_of_two[] = {
    {"pow", "power", std::pow},
    {"hypot", "hypot", std::hypot},
    {"atan2", "arctan2", std::atan2},
    {"fmod", "fmod", std::fmod},
    {"copysign", "copysign", std::copysign},
    {"remainder", "", std::remainder},
    {"nextafter", "nextafter", std::nextafter},
};

} // namespace

std::optional<double> real_function(std::string_view name, bool is_numpy, std::span<const double> x) {
  for (const auto& row : functions_of_one)
    if ((is_numpy ? row.numpy : row.name) == name && x.size() == 1) return row.function(x[0]);
  for (const auto& row : functions_of_two)
    if ((is_numpy ? row.numpy : row.name) == name && x.size() == 2) return row.function(x[0], x[1]);
  return std::nullopt;
}

} // namespace kern::values
