// Builtins that become other IR: indices of the grid, conversions, Python's iterators, pairs of results,
// print.
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "compiler/builtins/signature.h"
#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

using Handler = Value (*)(Checker&, Builtin, const ast::Call&, const Args&, const BuiltinMatch&,
                          const std::vector<Value>&);

constexpr Builtin thread_index[] = {Builtin::ThreadIndexX, Builtin::ThreadIndexY, Builtin::ThreadIndexZ};
constexpr Builtin block_index[] = {Builtin::BlockIndexX, Builtin::BlockIndexY, Builtin::BlockIndexZ};
constexpr Builtin block_dim[] = {Builtin::BlockDimX, Builtin::BlockDimY, Builtin::BlockDimZ};
constexpr Builtin grid_dim[] = {Builtin::GridDimX, Builtin::GridDimY, Builtin::GridDimZ};

ir::Operand wide(Checker& checker, Builtin builtin, Span span) {
  return cast(checker, builtin_value(checker, builtin, span).operand, types::i64, span);
}

// Returns how many threads a launch has at most along an axis.
std::uint64_t most_threads(int axis) {
  auto at = static_cast<std::size_t>(axis);
  return static_cast<std::uint64_t>(limits::launch_grid[at] * limits::launch_block[at]);
}

// blockIdx * blockDim + threadIdx along one axis, in i64.
Value grid_index(Checker& checker, int axis, Span span) {
  ir::Operand block = wide(checker, block_index[axis], span), size = wide(checker, block_dim[axis], span);
  ir::Operand first = checker.binary(ir::BinaryOp::Multiply, block, size, span);
  ir::Operand thread = wide(checker, thread_index[axis], span);
  Value value = runtime_value(checker.binary(ir::BinaryOp::Add, first, thread, span), span);
  value.most = most_threads(axis) - 1;
  return value;
}

// gridDim * blockDim along one axis, in i64.
Value grid_extent(Checker& checker, int axis, Span span) {
  ir::Operand blocks = wide(checker, grid_dim[axis], span), size = wide(checker, block_dim[axis], span);
  Value value = runtime_value(checker.binary(ir::BinaryOp::Multiply, blocks, size, span), span);
  value.most = most_threads(axis);
  value.positive = true;
  return value;
}

Value call_grid(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                const std::vector<Value>& values) {
  std::optional<WideInt> axes = constant_integer(values[0]);
  if (!axes || *axes < 1 || *axes > 3) {
    checker.report(values[0].span, diag::grid_axes, row(builtin).name,
                   checker.context.source(values[0].span));
    return error_value(expr.span);
  }
  auto along = builtin == Builtin::Grid ? grid_index : grid_extent;
  if (*axes == 1) return along(checker, 0, expr.span);
  Value result = tuple_value({}, expr.span);
  for (int axis = 0; axis < static_cast<int>(*axes); ++axis)
    result.elements.push_back(along(checker, axis, expr.span));
  return result;
}

Value call_cast(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                const std::vector<Value>& values) {
  Type type = builtin == Builtin::Int ? types::i64 : builtin == Builtin::Float ? types::f64 : types::boolean;
  return explicit_cast(checker, type, values[0], expr.span, builtin != Builtin::Bool);
}

Value call_len(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
               const std::vector<Value>& values) {
  if (is_unknown(values[0])) return unknown_value(expr.span);
  if (is_tuple(values[0])) return int_value(WideInt(values[0].elements.size()), expr.span);
  if (is_constant_array(values[0])) return int_value(values[0].table->extents[0], expr.span);
  bool has_axes = (is_array(values[0]) && !is_point(values[0].type)) ||
                  (is_record_array(values[0]) && !is_record_reference(values[0]));
  if (has_axes) return array_extent(checker, values[0], 0, expr.span);
  checker.report(expr.span, diag::no_length, describe(checker, values[0]));
  return error_value(expr.span);
}

Value call_range(Checker& checker, Builtin, const ast::Call& expr, const Args& args, const BuiltinMatch&,
                 const std::vector<Value>&) {
  Value range = plain_value(ValueKind::Range, expr.span);
  const std::vector<Value>& given = args.positional;
  Value zero = int_value(0, expr.span), one = int_value(1, expr.span);
  if (given.empty() || given.size() > 3 || !args.keywords.empty()) {
    checker.report(expr.span, diag::builtin_arguments, "`range` takes one to three arguments without names");
    return error_value(expr.span);
  }
  range.elements = given.size() == 1
                       ? std::vector<Value>{zero, given[0], one}
                       : std::vector<Value>{given[0], given[1], given.size() == 3 ? given[2] : one};
  return range;
}

// The range itself, with how many of its rounds stand one behind the other.
Value call_unroll(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch& match,
                  const std::vector<Value>& values) {
  const Value* count = nullptr;
  for (const BoundArgument& bound : match.arguments)
    if (bound.param == 1 && bound.argument) count = &values[*bound.argument];
  Value range = values[0];
  if (is_error(range)) return range;
  if (range.kind != ValueKind::Range || range.integer != 0) {
    checker.report(range.span, diag::unroll_range, describe(checker, range));
    return error_value(expr.span);
  }
  range.integer = ir::unroll_all;
  if (!count) return range;
  std::optional<WideInt> number = constant_integer(*count);
  if (!number || *number < 1 || *number >= WideInt(ir::unroll_all)) {
    checker.report(count->span, diag::unroll_count, checker.context.source(count->span));
    return error_value(expr.span);
  }
  range.integer = *number;
  return range;
}

Value call_enumerate(Checker&, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch& match,
                     const std::vector<Value>& values) {
  Value result = plain_value(ValueKind::Enumerate, expr.span);
  result.elements = {values[0], int_value(0, expr.span)};
  for (const BoundArgument& bound : match.arguments)
    if (bound.param == 1 && bound.argument) result.elements[1] = values[*bound.argument];
  return result;
}

Value call_zip(Checker&, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
               const std::vector<Value>& values) {
  Value result = plain_value(ValueKind::Zip, expr.span);
  result.elements = values;
  return result;
}

Value call_pow(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
               const std::vector<Value>& values) {
  return binary(checker, ast::BinaryOp::Power, values[0], values[1], expr.span);
}

Value call_divmod(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                  const std::vector<Value>& values) {
  Value quotient = binary(checker, ast::BinaryOp::FloorDivide, values[0], values[1], expr.span);
  Value rest = binary(checker, ast::BinaryOp::Modulo, values[0], values[1], expr.span);
  if (is_error(quotient) || is_error(rest)) return error_value(expr.span);
  return tuple_value({quotient, rest}, expr.span);
}

ir::Operand round_even(Checker& checker, ir::Operand value, Span span) {
  return checker.pure(Builtin::RoundEven, value.type, {value}, span);
}

// Rounds an f64 to a multiple of a power of ten. A value that the power makes infinite has no such digits: it
// stays. Beyond 10 ** 22, the last power that is exact, there are two factors.
ir::Operand round_digits(Checker& checker, ir::Operand x, int digits, Span span) {
  constexpr int exact = 22;
  int count = std::abs(digits);
  bool splits = digits > exact;
  ir::Operand first = ir::constant_float(x.type, std::pow(10.0, splits ? count - exact : count));
  ir::Operand second = ir::constant_float(x.type, std::pow(10.0, exact));
  ir::BinaryOp up = digits < 0 ? ir::BinaryOp::Divide : ir::BinaryOp::Multiply;
  ir::BinaryOp down = digits < 0 ? ir::BinaryOp::Multiply : ir::BinaryOp::Divide;
  ir::Operand scaled = checker.binary(up, x, first, span);
  if (splits) scaled = checker.binary(up, scaled, second, span);
  ir::Operand result = round_even(checker, scaled, span);
  if (splits) result = checker.binary(down, result, second, span);
  result = checker.binary(down, result, first, span);
  ir::Operand size = checker.pure(Builtin::Abs, x.type, {scaled}, span);
  ir::Operand infinity = ir::constant_float(x.type, std::numeric_limits<double>::infinity());
  return checker.select(checker.compare(ir::CompareOp::Less, size, infinity, span), result, x, span);
}

// The same for digits that are not constant; a power of ten is then a function's result.
ir::Operand round_digits(Checker& checker, ir::Operand x, ir::Operand digits, Span span) {
  constexpr int exact = 22;
  auto number = [&](double value) { return ir::constant_float(types::f64, value); };
  auto compute = [&](ir::BinaryOp op, ir::Operand a, ir::Operand b) {
    return checker.binary(op, a, b, span);
  };
  ir::Operand n = cast(checker, digits, types::f64, span);
  ir::Operand up = checker.compare(ir::CompareOp::GreaterEqual, n, number(0), span);
  ir::Operand splits = checker.compare(ir::CompareOp::Greater, n, number(exact), span);
  ir::Operand count = checker.pure(Builtin::Abs, types::f64, {n}, span);
  count = checker.select(splits, compute(ir::BinaryOp::Subtract, count, number(exact)), count, span);
  ir::Operand first = checker.pure(Builtin::MathPow, types::f64, {number(10), count}, span);
  ir::Operand second = checker.select(splits, number(1e22), number(1), span);
  ir::Operand greater = compute(ir::BinaryOp::Multiply, compute(ir::BinaryOp::Multiply, x, first), second);
  ir::Operand scaled = checker.select(up, greater, compute(ir::BinaryOp::Divide, x, first), span);
  ir::Operand whole = round_even(checker, scaled, span);
  ir::Operand less = compute(ir::BinaryOp::Divide, compute(ir::BinaryOp::Divide, whole, second), first);
  ir::Operand result = checker.select(up, less, compute(ir::BinaryOp::Multiply, whole, first), span);
  ir::Operand size = checker.pure(Builtin::Abs, types::f64, {scaled}, span);
  ir::Operand infinity = number(std::numeric_limits<double>::infinity());
  return checker.select(checker.compare(ir::CompareOp::Less, size, infinity, span), result, x, span);
}

// round(x) is an i64, half to even; round(x, digits) is of the type of x.
Value call_round(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                 const std::vector<Value>& values) {
  const Value& x = values[0];
  if (is_unknown(x)) return unknown_value(expr.span);
  if (is_literal(x) && values.size() == 1 && !checker.rules.types_literals) {
    if (is_int_literal(x)) return x;
    if (std::fabs(x.real()) < 0x1p62)
      return int_value(static_cast<WideInt>(std::nearbyint(x.real())), expr.span);
  }
  if (is_integer(x.type) && values.size() == 1)
    return checker.rules.exact_integers ? x : convert_value(checker, x, types::i64, Purpose::Operand);
  if (!is_number(x) || !is_float(x.type)) {
    checker.report(x.span, diag::builtin_argument_type,
                   fmt::format("`x` of `round` must be a number, not {}", describe(checker, x)));
    return error_value(expr.span);
  }
  ir::Operand operand = as_operand(checker, x);
  if (is_literal(operand.type)) return unknown_value(expr.span);
  Type type = operand.type == types::f16 || operand.type == types::bf16 ? types::f32 : operand.type;
  operand = cast(checker, operand, type, expr.span);
  if (values.size() == 1) {
    operand = cast(checker, round_even(checker, operand, expr.span), types::i64, expr.span);
    return runtime_value(operand, expr.span);
  }
  std::optional<WideInt> digits = constant_integer(values[1]);
  bool is_computed = values[1].kind == ValueKind::Runtime && is_integer(values[1].type) && !digits;
  if (is_computed) {
    ir::Operand wide = cast(checker, operand, types::f64, expr.span);
    ir::Operand rounded = round_digits(checker, wide, as_operand(checker, values[1]), expr.span);
    return runtime_value(cast(checker, rounded, type, expr.span), expr.span);
  }
  if (!digits || *digits < -300 || *digits > 300) {
    checker.report(values[1].span, diag::not_constant, checker.context.source(values[1].span));
    return error_value(expr.span);
  }
  ir::Operand wide = cast(checker, operand, types::f64, expr.span);
  ir::Operand rounded = round_digits(checker, wide, static_cast<int>(*digits), expr.span);
  return runtime_value(cast(checker, rounded, type, expr.span), expr.span);
}

// Converts all arguments as the signature wants them.
std::vector<ir::Operand> operands_of(Checker& checker, Builtin builtin, const BuiltinMatch& match,
                                     const std::vector<Value>& values) {
  std::vector<ir::Operand> operands;
  for (const BoundArgument& bound : match.arguments)
    operands.push_back(builtin_operand(checker, builtin, bound, values));
  return operands;
}

Value call_selp(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                const BuiltinMatch& match, const std::vector<Value>& values) {
  std::vector<ir::Operand> operands = operands_of(checker, builtin, match, values);
  return runtime_value(checker.select(operands[0], operands[1], operands[2], expr.span), expr.span);
}

Value call_fma(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
               const BuiltinMatch& match, const std::vector<Value>& values) {
  std::vector<ir::Operand> operands = operands_of(checker, builtin, match, values);
  return runtime_value(checker.temp(match.result, ir::Fma{operands[0], operands[1], operands[2]}, expr.span),
                       expr.span);
}

Value call_match_all(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                     const BuiltinMatch& match, const std::vector<Value>& values) {
  std::vector<ir::Operand> operands = operands_of(checker, builtin, match, values);
  ir::SlotId slot = checker.new_slot("", types::u32, ir::Slot::Kind::Temp, expr.span);
  checker.emit(ir::CallEffect{slot, Builtin::MatchAllMask, std::move(operands)}, expr.span);
  ir::Operand mask = checker.slot_operand(slot);
  ir::Operand all =
      checker.compare(ir::CompareOp::NotEqual, mask, ir::constant_int(types::u32, 0), expr.span);
  if (std::optional<Type> type = checker.rules.functions->builtin_result(Builtin::MatchAllMask, {}))
    mask = cast(checker, mask, *type, expr.span);
  return tuple_value({runtime_value(mask, expr.span), runtime_value(all, expr.span)}, expr.span);
}

// np.maximum, np.minimum. No comparison with a NaN holds.
Value call_extreme(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                   const BuiltinMatch& match, const std::vector<Value>& values) {
  std::vector<ir::Operand> operands = operands_of(checker, builtin, match, values);
  ir::Operand a = operands[0], b = operands[1];
  ir::CompareOp order =
      builtin == Builtin::NpMaximum ? ir::CompareOp::GreaterEqual : ir::CompareOp::LessEqual;
  ir::Operand result = checker.select(checker.compare(order, a, b, expr.span), a, b, expr.span);
  if (is_float(a.type)) {
    ir::Operand is_nan = checker.compare(ir::CompareOp::NotEqual, a, a, expr.span);
    result = checker.select(is_nan, a, result, expr.span);
  }
  return runtime_value(result, expr.span);
}

Value call_modf(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                const BuiltinMatch& match, const std::vector<Value>& values) {
  std::vector<ir::Operand> operands = operands_of(checker, builtin, match, values);
  Type type = operands[0].type;
  auto part = [&](Builtin half, Type result) {
    return runtime_value(checker.pure(half, result, operands, expr.span), expr.span);
  };
  if (builtin == Builtin::Modf)
    return tuple_value({part(Builtin::ModfFraction, type), part(Builtin::Trunc, type)}, expr.span);
  return tuple_value({part(Builtin::FrexpMantissa, type), part(Builtin::FrexpExponent, types::i32)},
                     expr.span);
}

Value call_sincos(Checker& checker, Builtin, const ast::Call& expr, const Args& args, const BuiltinMatch&,
                  const std::vector<Value>&) {
  Value sine = call_by_signature(checker, Builtin::Sin, args, expr.span);
  Value cosine = call_by_signature(checker, Builtin::Cos, args, expr.span);
  if (is_error(sine) || is_error(cosine)) return error_value(expr.span);
  return tuple_value({sine, cosine}, expr.span);
}

Value call_clamp(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch& match,
                 const std::vector<Value>& values) {
  std::array<Value, 3> args;
  for (const BoundArgument& bound : match.arguments) args[bound.param] = values[*bound.argument];
  auto& [x, low, high] = args;
  Value least = call_by_signature(checker, Builtin::Max, {{x, low}, {}, {}}, expr.span);
  if (is_error(least)) return least;
  return call_by_signature(checker, Builtin::Min, {{least, high}, {}, {}}, expr.span);
}

Value call_sequence(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                    const BuiltinMatch& match, const std::vector<Value>& values) {
  std::optional<Value> items, start;
  for (const BoundArgument& bound : match.arguments)
    if (bound.argument) (bound.param == 0 ? items : start) = values[*bound.argument];
  return call_sequence(checker, builtin, *items, start, expr.span);
}

// ord('-'): strings are UTF-8.
Value call_ord(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
               const std::vector<Value>& values) {
  std::optional<std::uint32_t> code = only_character(values[0]);
  if (code) return int_value(*code, expr.span);
  checker.report(values[0].span, diag::builtin_argument_type,
                 fmt::format("`character` of `ord` must be a string of one character, not {}",
                             values[0].kind == ValueKind::String
                                 ? fmt::format("`{}`", checker.context.source(values[0].span))
                                 : describe(checker, values[0])));
  return error_value(expr.span);
}

Value call_angle(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                 const BuiltinMatch& match, const std::vector<Value>& values) {
  double factor = builtin == Builtin::Degrees ? 180 / 3.141592653589793 : 3.141592653589793 / 180;
  if (is_literal(values[0])) return float_value(*constant_real(values[0]) * factor, expr.span);
  ir::Operand operand = operands_of(checker, builtin, match, values)[0];
  ir::Operand scale = ir::constant_float(operand.type, factor);
  return runtime_value(checker.binary(ir::BinaryOp::Multiply, operand, scale, expr.span), expr.span);
}

Value call_compare_and_swap(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                            const BuiltinMatch& match, const std::vector<Value>& values) {
  const Value& array = values[0];
  std::vector<ir::Operand> operands = operands_of(checker, builtin, match, values);
  ir::Atomic atomic{std::nullopt, Builtin::AtomicCas, array.operand, {}, {operands[1], operands[2]}};
  for (int axis = 0; axis < array.type->rank; ++axis)
    atomic.indices.push_back(
        guarded_index(checker, array.operand, axis, int_value(0, expr.span), *expr.args[0]));
  atomic.slot = checker.new_slot("", element_type(array.type), ir::Slot::Kind::Temp, expr.span);
  ir::SlotId slot = *atomic.slot;
  checker.emit(std::move(atomic), expr.span);
  return runtime_value(checker.slot_operand(slot), expr.span);
}

// print("x =", x): texts between the numbers, a space between any two.
Value call_print(Checker& checker, Builtin, const ast::Call& expr, const Args& args, const BuiltinMatch&,
                 const std::vector<Value>&) {
  ir::Print print{{""}, {}, {}};
  std::vector<Value> parts;
  for (const Value& value : args.positional) {
    if (is_tuple(value))
      parts.insert(parts.end(), value.elements.begin(), value.elements.end());
    else
      parts.push_back(value);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) print.texts.back() += " ";
    const Value& value = parts[i];
    if (is_unknown(value)) continue;
    if (value.kind == ValueKind::String) {
      print.texts.back() += value.text;
      continue;
    }
    if (is_complex_number(value)) {
      ComplexParts number = parts_of(checker, as_operand(checker, value), expr.span);
      print.texts.back() += "(";
      print.args.insert(print.args.end(), {number.real, number.imag});
      print.texts.insert(print.texts.end(), {", ", ")"});
      continue;
    }
    if (!is_number(value)) {
      checker.report(value.span, diag::cannot_print, describe(checker, value));
      return error_value(expr.span);
    }
    print.args.push_back(as_operand(checker, value));
    print.texts.push_back("");
  }
  print.site = checker.site(ir::FaultKind::None, expr.span, "");
  checker.emit(std::move(print), expr.span);
  return plain_value(ValueKind::None, expr.span);
}

Value call_array(Checker& checker, Builtin builtin, const ast::Call& expr, const Args&,
                 const BuiltinMatch& match, const std::vector<Value>& values) {
  return make_array(checker, builtin, expr, match, values);
}

// The text of -D W=@w.npy. The type of a tuple that was an array is that of its elements.
Value typed_elements(Checker& checker, Value value, Type type) {
  if (!is_tuple(value)) return convert_value(checker, value, type, Purpose::Assignment);
  for (Value& element : value.elements) element = typed_elements(checker, std::move(element), type);
  value.type = type;
  return value;
}

Value call_array_constant(Checker& checker, Builtin, const ast::Call&, const Args&, const BuiltinMatch&,
                          const std::vector<Value>& values) {
  std::optional<ScalarKind> kind = find_scalar(values[1].text);
  // A number is the one of an array that is too large for a text.
  const std::vector<ir::ConstantDecl>& arrays = checker.context.options.arrays;
  std::optional<WideInt> number = constant_integer(values[0]);
  if (number && *number >= 0 && *number < static_cast<WideInt>(arrays.size())) {
    const ir::ConstantDecl& array = arrays[static_cast<std::size_t>(*number)];
    Value table = plain_value(ValueKind::Table, values[0].span);
    table.type = types::scalar(array.element);
    table.extents = array.extents;
    table.table = &array;
    return table;
  }
  return typed_elements(checker, values[0], kind ? types::scalar(*kind) : types::f64);
}

Value call_conjugate(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                     const std::vector<Value>& values) {
  if (is_number(values[0])) return conjugate(checker, values[0], expr.span);
  checker.report(values[0].span, diag::builtin_argument_type,
                 fmt::format("`z` of `conj` must be a number, not {}", describe(checker, values[0])));
  return error_value(expr.span);
}

// Numba's group of all threads: what can be done with it stands behind its type's name.
Value call_this_grid(Checker&, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                     const std::vector<Value>&) {
  Value group = plain_value(ValueKind::Prefix, expr.span);
  group.text = "cg.GridGroup";
  return group;
}

// _cache_hint("cg"): of the access that is written next.
Value call_cache_hint(Checker& checker, Builtin, const ast::Call& expr, const Args&, const BuiltinMatch&,
                      const std::vector<Value>& values) {
  for (int i = 1; i <= static_cast<int>(ir::CacheHint::Wt); ++i)
    if (ir::name(static_cast<ir::CacheHint>(i)) == values[0].text)
      checker.hint_next_access(static_cast<ir::CacheHint>(i));
  return plain_value(ValueKind::None, expr.span);
}

constexpr std::pair<Builtin, Handler> handlers[] = {
    {Builtin::Grid, call_grid},
    {Builtin::GridSize, call_grid},
    {Builtin::SharedArray, call_array},
    {Builtin::LocalArray, call_array},
    {Builtin::ConstArrayLike, call_array},
    {Builtin::MatchAllSync, call_match_all},
    {Builtin::ThisGrid, call_this_grid},
    {Builtin::ArrayConstant, call_array_constant},
    {Builtin::AtomicCompareAndSwap, call_compare_and_swap},
    {Builtin::Selp, call_selp},
    {Builtin::Fma, call_fma},
    {Builtin::MathFma, call_fma},
    {Builtin::NpMinimum, call_extreme},
    {Builtin::NpMaximum, call_extreme},
    {Builtin::Pow, call_pow},
    {Builtin::Divmod, call_divmod},
    {Builtin::Round, call_round},
    {Builtin::Int, call_cast},
    {Builtin::Float, call_cast},
    {Builtin::Bool, call_cast},
    {Builtin::Len, call_len},
    {Builtin::Range, call_range},
    {Builtin::Enumerate, call_enumerate},
    {Builtin::Zip, call_zip},
    {Builtin::Unroll, call_unroll},
    {Builtin::Reversed, call_sequence},
    {Builtin::Sum, call_sequence},
    {Builtin::Any, call_sequence},
    {Builtin::All, call_sequence},
    {Builtin::Ord, call_ord},
    {Builtin::Conj, call_conjugate},
    {Builtin::Print, call_print},
    {Builtin::Modf, call_modf},
    {Builtin::Frexp, call_modf},
    {Builtin::Clamp, call_clamp},
    {Builtin::CacheHint, call_cache_hint},
    {Builtin::Sincos, call_sincos},
    {Builtin::MathSincos, call_sincos},
    {Builtin::Degrees, call_angle},
    {Builtin::Radians, call_angle},
};

// Says whether a handler looks at what has no type yet.
bool takes_unknown(Builtin builtin) {
  return builtin == Builtin::Range || builtin == Builtin::Unroll || builtin == Builtin::Enumerate ||
         builtin == Builtin::Zip || builtin == Builtin::Print || builtin == Builtin::Pow ||
         builtin == Builtin::Divmod || builtin == Builtin::SharedArray;
}

} // namespace

Value call_syntax(Checker& checker, Builtin builtin, const ast::Call& expr, const Args& given) {
  Args args = arguments_beside_floats(checker, builtin, given);
  std::vector<Value> values = args.positional;
  for (const auto& [name, value] : args.keywords) values.push_back(value);
  std::optional<BuiltinMatch> match = BuiltinMatch{{}, {types::error, types::error}, types::error};
  // What operators compute has their types, and their errors.
  bool is_operation = (builtin == Builtin::Pow || builtin == Builtin::Divmod) && args.keywords.empty() &&
                      args.positional.size() == 2 && std::ranges::all_of(values, is_number);
  if (builtin != Builtin::Range && !is_operation) match = match_builtin(checker, builtin, args, expr.span);
  if (!match) return error_value(expr.span);
  for (const Value& value : values)
    if (is_unknown(value) && !takes_unknown(builtin)) return unknown_value(expr.span);
  for (const auto& [id, handler] : handlers)
    if (id == builtin) return handler(checker, builtin, expr, args, *match, values);
  return checker.unsupported(expr.span, fmt::format("`{}`", row(builtin).name));
}

} // namespace kern::checker
