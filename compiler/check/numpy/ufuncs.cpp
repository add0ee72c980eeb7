// NumPy's functions (check/ufuncs.def): of numbers they give a number, of the type that NumPy's own rules give; of
// arrays they write their results into one more argument, or `out=`, element by element.
#include <algorithm>
#include <cmath>

#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/arrays/elementwise.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

using Values = std::vector<Value>;

// Returns the type of a number as NumPy sees it: Numba gives literals one from the start.
Type numpy_type(const Value& value) {
  bool wide = is_int_literal(value) && !literal_fits(value.integer, types::i64);
  return wide ? types::u64 : default_type(value.type);
}

// Returns the float type of the same width that holds an integer of at most 16 bits, or that of a wider one.
Type float_for(Type type) {
  if (is_float(type)) return type;
  return is_boolean(type) || bit_width(type->scalar) <= 16 ? types::f32 : types::f64;
}

// Returns the type to which NumPy promotes numbers of two types.
Type promoted(Type a, Type b) {
  if (a == b || is_boolean(b)) return a;
  if (is_boolean(a)) return b;
  if (is_float(a) || is_float(b)) {
    Type left = is_float(a) ? a : float_for(a), right = is_float(b) ? b : float_for(b);
    // A half holds what has 8 bits.
    bool fits =
        (is_float(a) ? !is_float(b) && bit_width(b->scalar) <= 8 : is_float(b) && bit_width(a->scalar) <= 8);
    if (fits) return is_float(a) ? a : b;
    bool differ = bit_width(left->scalar) == bit_width(right->scalar) && left != right;
    if (differ) return types::f32; // f16 and bf16
    return bit_width(left->scalar) > bit_width(right->scalar) ? left : right;
  }
  int wide = std::max(bit_width(a->scalar), bit_width(b->scalar));
  if (is_signed(a) == is_signed(b)) return bit_width(a->scalar) == wide ? a : b;
  Type plain = is_signed(a) ? b : a, own = is_signed(a) ? a : b;
  if (bit_width(own->scalar) > bit_width(plain->scalar)) return own;
  return wide == 8 ? types::i16 : wide == 16 ? types::i32 : wide == 32 ? types::i64 : types::f64;
}

// A literal takes the type of a number beside it in a .kern file; in the other dialect it has one.
Type common_type(const Checker& checker, const Values& args) {
  std::optional<Type> type;
  bool any_typed = std::ranges::any_of(args, [](const Value& arg) { return !is_literal(arg.type); });
  for (const Value& arg : args) {
    bool adapts = any_typed && is_literal(arg.type) && !checker.rules.types_literals;
    if (adapts && is_integer(arg.type)) continue;
    Type own = adapts ? types::f16 : numpy_type(arg);
    type = type ? promoted(*type, own) : own;
  }
  return type.value_or(types::i64);
}

Value to(Checker& checker, const Value& value, Type type) {
  return explicit_cast(checker, type, value, value.span);
}

// Returns the arguments in the type that they have in common, and that type.
Type convert_all(Checker& checker, Values& args) {
  Type type = common_type(checker, args);
  for (Value& arg : args) arg = to(checker, arg, type);
  return type;
}

Value by_operator(Checker& checker, ast::BinaryOp op, Values args, Span span) {
  if (has_exact_integers(checker)) return binary(checker, op, args[0], args[1], span);
  Type type = convert_all(checker, args);
  if (is_boolean(type) && (op == ast::BinaryOp::Add || op == ast::BinaryOp::Multiply))
    op = op == ast::BinaryOp::Add ? ast::BinaryOp::BitOr : ast::BinaryOp::BitAnd;
  Value result = binary(checker, op, args[0], args[1], span);
  if (is_error(result) || is_unknown(result)) return result;
  return to(checker, result, type);
}

Value by_comparison(Checker& checker, ast::CompareOp op, const Values& args, Span span) {
  return compare_values(checker, op, args[0], args[1], span);
}

Value by_function(Checker& checker, Builtin builtin, Values args, Span span) {
  Type type = float_for(common_type(checker, args));
  bool is_half = type == types::f16 || type == types::bf16;
  for (Value& arg : args) arg = to(checker, arg, is_half ? types::f32 : type);
  Value result = match_and_call(checker, builtin, {args, {}, {}}, span);
  return is_half && is_number(result) && is_float(result.type) ? to(checker, result, type) : result;
}

Value formula_true_divide(Checker& checker, Values args, Span span) {
  Type type = common_type(checker, args);
  if (!is_float(type)) type = types::f64;
  for (Value& arg : args) arg = to(checker, arg, type);
  Value result = binary(checker, ast::BinaryOp::Divide, args[0], args[1], span);
  return is_number(result) ? to(checker, result, type) : result;
}
Value formula_divide(Checker& checker, Values args, Span span) {
  return formula_true_divide(checker, std::move(args), span);
}

Value formula_power(Checker& checker, Values args, Span span) {
  Type type = convert_all(checker, args);
  if (is_float(type)) return by_function(checker, Builtin::MathPow, args, span);
  Value result = binary(checker, ast::BinaryOp::Power, args[0], args[1], span);
  return is_number(result) ? to(checker, result, type) : result;
}

// No comparison with a NaN holds. `propagates` says whether one wins, or the other operand does.
Value extreme(Checker& checker, bool greatest, bool propagates, Values args, Span span) {
  Type type = convert_all(checker, args);
  ir::Operand a = as_operand(checker, args[0]), b = as_operand(checker, args[1]);
  ir::CompareOp order = greatest ? ir::CompareOp::GreaterEqual : ir::CompareOp::LessEqual;
  ir::Operand result = checker.select(checker.compare(order, a, b, span), a, b, span);
  if (is_float(type)) {
    ir::Operand is_nan =
        checker.compare(ir::CompareOp::NotEqual, propagates ? a : b, propagates ? a : b, span);
    result = checker.select(is_nan, a, result, span);
  }
  return runtime_value(result, span);
}
Value formula_maximum(Checker& checker, Values args, Span span) {
  return extreme(checker, true, true, std::move(args), span);
}
Value formula_minimum(Checker& checker, Values args, Span span) {
  return extreme(checker, false, true, std::move(args), span);
}
Value formula_fmax(Checker& checker, Values args, Span span) {
  return extreme(checker, true, false, std::move(args), span);
}
Value formula_fmin(Checker& checker, Values args, Span span) {
  return extreme(checker, false, false, std::move(args), span);
}

Value logical(Checker& checker, ir::BinaryOp op, const Values& args, Span span) {
  std::optional<ir::Operand> a = as_condition(checker, args[0]), b = as_condition(checker, args[1]);
  if (!a || !b) return error_value(span);
  return runtime_value(checker.binary(op, *a, *b, span), span);
}
Value formula_logical_and(Checker& checker, Values args, Span span) {
  return logical(checker, ir::BinaryOp::BitAnd, args, span);
}
Value formula_logical_or(Checker& checker, Values args, Span span) {
  return logical(checker, ir::BinaryOp::BitOr, args, span);
}
Value formula_logical_xor(Checker& checker, Values args, Span span) {
  return logical(checker, ir::BinaryOp::BitXor, args, span);
}
Value formula_logical_not(Checker& checker, Values args, Span span) {
  std::optional<ir::Operand> truth = as_condition(checker, args[0]);
  return truth ? runtime_value(checker.unary(ir::UnaryOp::Not, *truth, span), span) : error_value(span);
}

Value scaled(Checker& checker, Values args, double factor, Span span) {
  Type type = float_for(numpy_type(args[0]));
  ir::Operand by = ir::constant_float(type, ir::round_to_type(type, factor));
  ir::Operand x = as_operand(checker, to(checker, args[0], type));
  return runtime_value(checker.binary(ir::BinaryOp::Multiply, x, by, span), span);
}
constexpr double half_turn = 3.141592653589793;
Value formula_deg2rad(Checker& checker, Values args, Span span) {
  return scaled(checker, std::move(args), half_turn / 180, span);
}
Value formula_radians(Checker& checker, Values args, Span span) {
  return scaled(checker, std::move(args), half_turn / 180, span);
}
Value formula_rad2deg(Checker& checker, Values args, Span span) {
  return scaled(checker, std::move(args), 180 / half_turn, span);
}
Value formula_degrees(Checker& checker, Values args, Span span) {
  return scaled(checker, std::move(args), 180 / half_turn, span);
}

// A result that is wider than the argument goes back into its type.
Value in_own_type(Checker& checker, const Value& result, const Value& argument) {
  return is_number(result) ? to(checker, result, numpy_type(argument)) : result;
}
Value formula_negative(Checker& checker, Values args, Span span) {
  return in_own_type(checker, unary(checker, ast::UnaryOp::Negative, args[0], span), args[0]);
}
Value formula_positive(Checker& checker, Values args, Span) {
  return to(checker, args[0], numpy_type(args[0]));
}
Value formula_invert(Checker& checker, Values args, Span span) {
  return in_own_type(checker, unary(checker, ast::UnaryOp::Invert, args[0], span), args[0]);
}
Value formula_bitwise_not(Checker& checker, Values args, Span span) {
  return formula_invert(checker, std::move(args), span);
}
Value formula_absolute(Checker& checker, Values args, Span span) {
  if (is_boolean(args[0].type)) return args[0];
  return in_own_type(checker, call_by_signature(checker, Builtin::Abs, {args, {}, {}}, span), args[0]);
}
Value formula_abs(Checker& checker, Values args, Span span) {
  return formula_absolute(checker, std::move(args), span);
}
Value formula_square(Checker& checker, Values args, Span span) {
  args.push_back(args[0]);
  return by_operator(checker, ast::BinaryOp::Multiply, std::move(args), span);
}
Value formula_reciprocal(Checker& checker, Values args, Span span) {
  Type type = numpy_type(args[0]);
  Value one = to(checker, int_value(1, span), type);
  auto op = is_float(type) ? ast::BinaryOp::Divide : ast::BinaryOp::FloorDivide;
  return in_own_type(checker, binary(checker, op, one, args[0], span), args[0]);
}
// NaN has the sign NaN.
Value formula_sign(Checker& checker, Values args, Span span) {
  Type type = numpy_type(args[0]);
  ir::Operand x = as_operand(checker, to(checker, args[0], type));
  auto constant = [&](int value) {
    return is_float(type) ? ir::constant_float(type, value) : ir::constant_int(type, value);
  };
  ir::Operand zero = constant(0);
  ir::Operand result = checker.select(checker.compare(ir::CompareOp::Greater, x, zero, span), constant(1),
                                      is_float(type) ? x : zero, span);
  if (!is_float(type) && !is_signed(type)) return runtime_value(result, span);
  ir::Operand below = checker.compare(ir::CompareOp::Less, x, zero, span);
  return runtime_value(checker.select(below, constant(-1), result, span), span);
}

struct Ufunc {
  std::string_view name;
  std::size_t arity;
  Value (*call)(Checker&, Values, Span);
};

constexpr std::size_t arity_of(Builtin builtin) {
  bool is_two = builtin == Builtin::Atan2 || builtin == Builtin::Hypot || builtin == Builtin::Copysign ||
                builtin == Builtin::Nextafter || builtin == Builtin::Fmod;
  return is_two ? 2 : 1;
}

constexpr Ufunc ufuncs[] = {
#define OPERATOR(Name, Op)                                                                                   \
  {#Name, 2, [](Checker& checker, Values args, Span span) {                                                  \
     return by_operator(checker, ast::BinaryOp::Op, std::move(args), span);                                  \
   }},
#define COMPARISON(Name, Op)                                                                                 \
  {#Name, 2, [](Checker& checker, Values args, Span span) {                                                  \
     return by_comparison(checker, ast::CompareOp::Op, args, span);                                          \
   }},
#define FUNCTION(Name, Id)                                                                                   \
  {#Name, arity_of(Builtin::Id), [](Checker& checker, Values args, Span span) {                              \
     return by_function(checker, Builtin::Id, std::move(args), span);                                        \
   }},
#define FORMULA(Name, Arity) {#Name, Arity, formula_##Name},
#include "compiler/check/core/args.h"
#include "compiler/check/numpy/ufuncs.def"
};

const Ufunc* find_ufunc(std::string_view name) {
  const auto* found = std::ranges::find(ufuncs, name, &Ufunc::name);
  return found == std::end(ufuncs) ? nullptr : found;
}

} // namespace

std::string_view ufunc_name(std::string_view name) {
  const Ufunc* ufunc = find_ufunc(name);
  return ufunc ? ufunc->name : "";
}

bool takes_arrays(std::string_view name, const Args& args) {
  const Ufunc* ufunc = find_ufunc(name);
  bool has_array = std::ranges::any_of(args.positional, is_array) || !args.keywords.empty();
  return ufunc && (has_array || args.positional.size() > ufunc->arity);
}

Value call_ufunc(Checker& checker, std::string_view name, const Args& args, Span span) {
  const Ufunc& ufunc = *find_ufunc(name);
  std::vector<Value> given = args.positional;
  std::optional<Value> out;
  bool fits = args.keywords.size() <= 1;
  for (const auto& [keyword, value] : args.keywords) {
    fits = fits && keyword == "out";
    out = value;
  }
  if (fits && !out && given.size() == ufunc.arity + 1) {
    out = given.back();
    given.pop_back();
  }
  if (!fits || given.size() != ufunc.arity) {
    checker.report(span, diag::builtin_arguments,
                   fmt::format("`np.{}` takes {} and, for arrays, the array of the results", name,
                               ufunc.arity == 1 ? "one argument" : "two arguments"));
    return error_value(span);
  }
  for (const Value& value : given) {
    if (is_number(value) || is_array(value)) continue;
    checker.report(value.span, diag::builtin_argument_type,
                   fmt::format("an argument of `np.{}` must be a number or an array, not {}", name,
                               describe(checker, value)));
    return error_value(span);
  }
  if (out && !is_array(*out)) {
    checker.report(out->span, diag::builtin_argument_type,
                   fmt::format("`out` of `np.{}` must be an array, not {}", name, describe(checker, *out)));
    return error_value(span);
  }
  if (!out && std::ranges::any_of(given, is_array)) {
    checker.report(span, diag::ufunc_needs_out, name);
    return error_value(span);
  }
  if (!out) return read_at(ufunc.call(checker, std::move(given), span), span);
  for_each_element(checker, out->operand, given, span, [&](const Value&, const std::vector<Value>& values) {
    return ufunc.call(checker, values, span);
  });
  return read_at(*out, span);
}

} // namespace kern::checker
