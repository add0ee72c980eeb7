// Functions and casts of Python's and NumPy's that top-level code calls with constants.
#include <cmath>

#include "compiler/check/python.h"
#include "compiler/diagnostics/types.h"
#include "compiler/values/arithmetic.h"
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

// Python raises where a finite argument gives no finite result; NumPy warns.
std::optional<double> real_call(Builtin builtin, const std::vector<double>& x, bool is_numpy,
                                bool& is_known) {
  const std::string_view name = row(builtin).name;
  std::optional<double> result;
  if (name.starts_with("math.")) result = real_function(name.substr(5), false, x);
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

std::optional<Value> round_number(Checker& checker, bool is_numpy, const std::vector<Value>& args,
                                  Span span) {
  const Value& x = args[0];
  bool is_int = !is_float(x.type);
  if (args.size() == 1 && is_int && !is_numpy) return int_value(*constant_integer(x), span);
  if (args.size() == 1 && !is_numpy) return whole(checker, std::nearbyint(*constant_real(x)), span);
  WideInt digits = args.size() > 1 ? constant_integer(args[1]).value_or(1000) : 1000;
  if (is_literal(x) && !is_int && !is_numpy && digits >= -300 && digits <= 300)
    return float_value(rounded_decimal(x.real(), static_cast<int>(digits)), span);
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
  std::optional<double> result = real_call(builtin, numbers, is_numpy, is_known);
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
