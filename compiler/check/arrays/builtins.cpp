// Calls of builtins by their signatures: the arguments are matched and converted, then become one statement.
// Builtins without a statement of their own are in intrinsics.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "compiler/builtins/signature.h"
#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/arrays/elementwise.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/target_casts.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"
#include "compiler/support/split.h"
#include "compiler/values/fold.h"

namespace kern::checker {

static Value fold_variadic(Checker& checker, Builtin builtin, const std::vector<ir::Operand>& operands,
                           const std::vector<Value>& values, Type type, Span span);

// Returns the greatest value of threadIdx.x, gridDim.y, laneid and their kin.
static std::int64_t greatest_place(std::string_view name) {
  auto axis = static_cast<std::size_t>(name.back() - 'x');
  if (name.starts_with("threadIdx.")) return limits::launch_block[axis] - 1;
  if (name.starts_with("blockDim.")) return limits::launch_block[axis];
  if (name.starts_with("blockIdx.")) return limits::launch_grid[axis] - 1;
  if (name.starts_with("gridDim.")) return limits::launch_grid[axis];
  return limits::warp_size - 1;
}

// threadIdx.x, laneid, math.pi: what is written without brackets.
Value builtin_value(Checker& checker, Builtin builtin, Span span) {
  const BuiltinSignature& taken = signature(builtin);
  Type type = taken.result_count == 1 && taken.results[0].type.bits != 0
                  ? types::scalar(ScalarKind(__builtin_ctz(taken.results[0].type.bits)))
                  : types::error;
  if (!taken.value.empty()) {
    std::string text(taken.value);
    if (is_scalar(type) && is_integer(type))
      return runtime_value(ir::constant_int(type, std::atoll(text.c_str())), span);
    return float_value(std::strtod(text.c_str(), nullptr), span);
  }
  Value value = runtime_value(checker.temp(type, ir::CallPure{builtin, {}}, span), span);
  std::string_view name = row(builtin).name;
  value.most = static_cast<std::uint64_t>(greatest_place(name));
  value.positive = name.starts_with("blockDim.") || name.starts_with("gridDim.");
  return value;
}

// Functions of literals are literals: `math.sqrt(2.0)` takes the type that it meets.
static std::optional<double> fold_real(Builtin builtin, double x) {
  if (builtin == Builtin::Sqrt) return std::sqrt(x);
  if (builtin == Builtin::Rsqrt || builtin == Builtin::MathRsqrt) return 1 / std::sqrt(x);
  if (builtin == Builtin::Exp) return std::exp(x);
  if (builtin == Builtin::Exp2) return std::exp2(x);
  if (builtin == Builtin::Log) return std::log(x);
  if (builtin == Builtin::Log2) return std::log2(x);
  if (builtin == Builtin::Log10) return std::log10(x);
  if (builtin == Builtin::Sin) return std::sin(x);
  if (builtin == Builtin::Cos) return std::cos(x);
  if (builtin == Builtin::Tan) return std::tan(x);
  if (builtin == Builtin::Atan) return std::atan(x);
  if (builtin == Builtin::Floor) return std::floor(x);
  if (builtin == Builtin::Ceil) return std::ceil(x);
  if (builtin == Builtin::Trunc) return std::trunc(x);
  if (builtin == Builtin::Rint) return std::nearbyint(x);
  if (builtin == Builtin::Abs || builtin == Builtin::Fabs) return std::fabs(x);
  return std::nullopt;
}

// A float among them makes all of them floats.
static Value literal_extreme(bool greatest, const std::vector<Value>& args, Span span) {
  if (!std::ranges::all_of(args, is_int_literal)) {
    double best = *constant_real(args[0]);
    for (const Value& arg : args) best = extreme(greatest, best, *constant_real(arg));
    return float_value(best, span);
  }
  WideInt best = args[0].integer;
  for (const Value& arg : args) best = greatest ? std::max(best, arg.integer) : std::min(best, arg.integer);
  return int_value(best, span);
}

static std::optional<Value> fold_literals(Builtin builtin, const std::vector<Value>& args, Span span) {
  for (const Value& arg : args)
    if (!is_literal(arg) || is_complex_literal(arg)) return std::nullopt;
  bool picks = builtin == Builtin::Min || builtin == Builtin::Max;
  if (picks && !args.empty()) return literal_extreme(builtin == Builtin::Max, args, span);
  if (args.size() == 2 && builtin == Builtin::MathPow)
    return float_value(std::pow(*constant_real(args[0]), *constant_real(args[1])), span);
  if (args.size() != 1) return std::nullopt;
  if (builtin == Builtin::Abs && is_int_literal(args[0]))
    return int_value(args[0].integer < 0 ? -args[0].integer : args[0].integer, span);
  std::optional<double> folded = fold_real(builtin, *constant_real(args[0]));
  return folded ? std::optional(float_value(*folded, span)) : std::nullopt;
}

// In the order of the call: positional ones, then keywords.
static std::vector<Value> all_values(const Args& args) {
  std::vector<Value> values = args.positional;
  for (const auto& [name, value] : args.keywords) values.push_back(value);
  return values;
}

std::optional<BuiltinMatch> match_builtin(Checker& checker, Builtin builtin, const Args& args, Span span) {
  std::vector<CallArgument> types;
  std::vector<Span> spans;
  auto add = [&](std::string_view keyword, const Value& value, Span where) {
    types.push_back({keyword, type_of(checker, value).value_or(types::none)});
    spans.push_back(where);
  };
  for (const Value& value : args.positional) add("", value, value.span);
  for (std::size_t k = 0; k < args.keywords.size(); ++k)
    add(args.keywords[k].first, args.keywords[k].second, args.keyword_spans[k]);
  BuiltinTyping typing = checker.rules.exact_integers ? BuiltinTyping::Kern : BuiltinTyping::Numba;
  auto result = match_call(builtin, types, typing, checker.context.module.types);
  if (auto* match = std::get_if<BuiltinMatch>(&result)) {
    note_arguments_meet(checker, builtin, *match, all_values(args), span);
    return std::move(*match);
  }
  const auto& mismatch = std::get<BuiltinMismatch>(result);
  bool at_argument = mismatch.argument < spans.size() && mismatch.reason != BuiltinMismatch::Reason::Missing;
  bool is_type = mismatch.reason == BuiltinMismatch::Reason::WrongType ||
                 mismatch.reason == BuiltinMismatch::Reason::Disagree;
  Span where = at_argument ? spans[mismatch.argument] : span;
  Report error = is_type ? checker.report(where, diag::builtin_argument_type, to_string(mismatch, builtin))
                         : checker.report(where, diag::builtin_arguments, to_string(mismatch, builtin));
  error.note("its signature is `{}`", row(builtin).signature);
  bool takes_tuple = is_type && is_tuple(mismatch.got) && row(builtin).effects == Effects::Atomic;
  if (takes_tuple) error.note("{}", packing_advice);
  bool atomic_parts = is_type && is_array(mismatch.got) && is_complex(element_type(mismatch.got)) &&
                      row(builtin).effects == Effects::Atomic;
  if (atomic_parts)
    error.note(
        "the parts are arrays of floats: `{0}(z.real, i, value.real)`, then `{0}(z.imag, i, value.imag)`",
        row(builtin).name);
  bool could_cast = mismatch.reason == BuiltinMismatch::Reason::WrongType && is_scalar(mismatch.got) &&
                    !is_complex(mismatch.got);
  bool is_complex_argument = is_type && is_complex(mismatch.got) && row(builtin).name.starts_with("math.");
  if (is_complex_argument)
    error.note("the functions of complex numbers are those of `cmath`: `cmath.exp(z)`");
  std::optional<ScalarKind> wanted = find_scalar(mismatch.wanted);
  std::string_view cast = mismatch.wanted.starts_with("f") ? "f32"
                          : wanted                         ? std::string_view(mismatch.wanted)
                                                           : "";
  bool wraps = could_cast && wanted && is_integer(types::scalar(*wanted)) && is_integer(mismatch.got);
  bool to_float = cast.starts_with("f") && is_integer(mismatch.got);
  if (could_cast && at_argument && to_float)
    error.note("convert it: `{}`", float_cast(checker, all_values(args)[mismatch.argument],
                                              wanted ? types::scalar(*wanted) : types::float_literal));
  else if (could_cast && at_argument && !cast.empty())
    error.note("convert it: `{}({})`{}", cast, short_text(checker.context.source(where)),
               wraps ? ", which wraps" : "");
  return std::nullopt;
}

static bool is_lanes_or_count(BuiltinParamKind kind) {
  return kind == BuiltinParamKind::Lanes || kind == BuiltinParamKind::Count;
}

// Converts one argument as its parameter wants it.
ir::Operand builtin_operand(Checker& checker, Builtin builtin, const BoundArgument& bound,
                            const std::vector<Value>& values, Span other) {
  const BuiltinParam& param = signature(builtin).params[bound.param];
  if (!bound.argument) return ir::constant_int(types::i32, default_integer(param).value_or(0));
  const Value& value = values[*bound.argument];
  if (is_lanes_or_count(param.kind)) {
    // Any integer: its low 32 bits, so that a mask may be written 0xffffffff.
    std::optional<WideInt> constant = constant_integer(value);
    if (constant) return ir::constant_int(types::i32, static_cast<std::int64_t>(*constant));
    if (is_unknown(value) || is_error(value)) return convert(checker, value, types::i32, Purpose::Argument);
    return cast(checker, as_operand(checker, value), types::i32, value.span);
  }
  if (param.kind == BuiltinParamKind::Condition)
    return as_condition(checker, value).value_or(ir::constant_bool(false));
  return convert(checker, value, bound.type, {Purpose::Argument, other});
}

// min((a, b, c)) is min(a, b, c).
static Args spread(Builtin builtin, const Args& args) {
  bool picks = builtin == Builtin::Min || builtin == Builtin::Max;
  bool is_one = picks && args.positional.size() == 1 && args.keywords.empty();
  if (!is_one || !is_tuple(args.positional[0]) || args.positional[0].elements.empty()) return args;
  Args result = args;
  result.positional = args.positional[0].elements;
  return result;
}

// A shuffle of a complex number, a tuple or a record is one of each number in it; nothing of another call.
static std::optional<Value> shuffled(Checker& checker, Builtin builtin, const Args& given, Span span) {
  bool is_shuffle = builtin == Builtin::ShflSync || builtin == Builtin::ShflUpSync ||
                    builtin == Builtin::ShflDownSync || builtin == Builtin::ShflXorSync;
  if (!is_shuffle) return std::nullopt;
  Args args = given;
  Value* value = args.positional.size() > 1 ? &args.positional[1] : nullptr;
  for (auto& [name, each] : args.keywords)
    if (name == "value") value = &each;
  if (!value) return std::nullopt;
  *value = dereferenced(std::move(*value));
  if (is_record_place(*value)) *value = fields_of_record(checker, *value);
  if (is_complex_number(*value)) {
    ComplexParts parts = parts_of(checker, as_operand(checker, *value), span);
    auto part = [&](ir::Operand number) {
      *value = runtime_value(number, value->span);
      Value result = call_by_signature(checker, builtin, args, span);
      return is_error(result) ? std::nullopt : std::optional(result.operand);
    };
    std::optional<ir::Operand> real = part(parts.real), imag = part(parts.imag);
    if (!real || !imag) return error_value(span);
    return runtime_value(make_complex(checker, {*real, *imag}, span), span);
  }
  if (!is_tuple(*value)) return std::nullopt;
  const Value tuple = *value;
  Value result = tuple_like(is_tuple(tuple.type) ? tuple.type : types::error, span);
  for (const Value& element : tuple.elements) {
    *value = element;
    result.elements.push_back(call_by_signature(checker, builtin, args, span));
    if (is_error(result.elements.back())) return error_value(span);
  }
  return result;
}

// Literals have a type from the start in the Numba dialect, where their functions are those of typed numbers.
Value call_by_signature(Checker& checker, Builtin builtin, const Args& given, Span span) {
  if (std::optional<Value> tuple = shuffled(checker, builtin, given, span)) return *tuple;
  bool is_absolute = builtin == Builtin::Abs && given.positional.size() == 1 && given.keywords.empty();
  if (is_absolute && is_complex_number(given.positional[0]))
    return complex_absolute(checker, given.positional[0], span);
  bool folds = (builtin == Builtin::Min || builtin == Builtin::Max) && given.positional.size() == 1 &&
               given.keywords.empty() && is_array(given.positional[0]);
  if (folds) return fold_array(checker, builtin, given.positional[0], std::nullopt, span);
  Args args = spread(builtin, given);
  const DialectFunctions& functions = *checker.rules.functions;
  std::optional<Type> type = functions.builtin_result(builtin, args.positional);
  args.positional = functions.builtin_arguments(checker, builtin, std::move(args.positional));
  Value result = match_and_call(checker, builtin, args, span);
  return type && is_number(result) ? convert_value(checker, result, *type, Purpose::Operand) : result;
}

// The count of `fshl` is taken modulo the width, so its low bits are enough.
static void take_count(Checker& checker, Builtin builtin, Args& args) {
  if (builtin != Builtin::Fshl || args.positional.size() != 3) return;
  Value &first = args.positional[0], &count = args.positional[2];
  if (is_typed_integer(first) && is_typed_integer(count))
    count = runtime_value(cast(checker, count.operand, first.type, count.span), count.span);
}

// Of bools the least says whether all are true, the greatest whether one is.
static std::optional<Value> extreme_of_bools(Checker& checker, Builtin builtin, const Args& args, Span span) {
  const std::vector<Value>& values = args.positional;
  const bool picks = builtin == Builtin::Min || builtin == Builtin::Max;
  const bool are_bools = values.size() > 1 && args.keywords.empty() &&
                         std::ranges::all_of(values, [](const Value& each) { return is_boolean(each.type); });
  if (!picks || !are_bools) return std::nullopt;
  Value result = values[0];
  for (std::size_t i = 1; i < values.size(); ++i)
    result = binary(checker, builtin == Builtin::Min ? ast::BinaryOp::BitAnd : ast::BinaryOp::BitOr, result,
                    values[i], span);
  return result;
}

// abs, min and max of integers in a .kern file take them in the type of the result; nothing, reported, where they have none.
static std::optional<Args> exact_arguments(Checker& checker, Builtin builtin, Args args, Span span) {
  bool picks = builtin == Builtin::Min || builtin == Builtin::Max;
  if (!picks && builtin != Builtin::Abs) return args;
  std::vector<Value> values = all_values(args);
  auto is_whole = [](const Value& value) { return is_number(value) && is_integral(value.type); };
  if (!std::ranges::all_of(values, is_whole) || std::ranges::all_of(values, is_int_literal)) return args;
  std::optional<Type> type = chosen_type(checker, values);
  if (!picks && type && !is_word(*type)) type = types::i64;
  if (!type) {
    auto word = std::ranges::find_if(values, [](const Value& value) { return is_word(value.type); });
    auto number =
        std::ranges::find_if(values, [&](const Value& value) { return mixes_words(word->type, value.type); });
    report_word_and_number(checker, row(builtin).name, *word, *number, span);
    return std::nullopt;
  }
  bool is_open = is_literal(*type) || std::ranges::any_of(values, [](const Value& value) {
                   return value.kind == ValueKind::Runtime && is_literal(value.type);
                 });
  if (is_open) return args;
  auto convert = [&](Value& value) {
    const bool made = value.is_made || (!picks && is_typed_integer(value) && value.type != types::i64);
    value = convert_value(checker, value, *type, Purpose::Operand);
    value.is_made = made;
  };
  for (Value& value : args.positional) convert(value);
  for (auto& [name, value] : args.keywords) convert(value);
  return args;
}

Args arguments_beside_floats(Checker& checker, Builtin builtin, Args args) {
  const BuiltinSignature& own = signature(builtin);
  bool meet = own.type_param_count == 1 && std::ranges::all_of(own.parameters(), [](const auto& param) {
                return param.kind == BuiltinParamKind::Variable;
              });
  if (!has_exact_integers(checker) || !meet) return args;
  Type real = types::unknown;
  auto find = [&](const Value& value) {
    if (is_number(value) && is_scalar(value.type) && is_float(value.type))
      real = join(real, value.type).value_or(real);
  };
  auto convert = [&](Value& value) {
    bool takes = real != types::unknown && is_number(value) && goes_into(value, real);
    if (takes) value = convert_value(checker, value, real, Purpose::Argument);
  };
  for (const Value& value : args.positional) find(value);
  for (const auto& [name, value] : args.keywords) find(value);
  for (Value& value : args.positional) convert(value);
  for (auto& [name, value] : args.keywords) convert(value);
  return args;
}

Value match_and_call(Checker& checker, Builtin builtin, const Args& written, Span span) {
  std::optional<Args> taken = arguments_beside_floats(checker, builtin, written);
  if (has_exact_integers(checker)) {
    if (std::optional<Value> value = extreme_of_bools(checker, builtin, *taken, span)) return *value;
    take_count(checker, builtin, *taken);
    taken = exact_arguments(checker, builtin, std::move(*taken), span);
  }
  if (!taken) return error_value(span);
  const Args& args = *taken;
  std::vector<Value> values = all_values(args);
  if (is_pure(row(builtin).effects) && !checker.rules.types_literals)
    if (std::optional<Value> folded = fold_literals(builtin, values, span)) return *folded;
  std::optional<BuiltinMatch> match = match_builtin(checker, builtin, args, span);
  if (!match) return error_value(span);
  bool unknown = false;
  for (const Value& value : values) unknown = unknown || is_unknown(value);
  if (unknown && !(is_scalar(match->result) && signature(builtin).type_param_count == 0))
    return unknown_value(span);
  if (std::optional<Value> value = undecided_call(checker, builtin, *match, values, span)) return *value;
  std::vector<ir::Operand> operands;
  auto typed = std::ranges::find_if(values, [](const Value& value) { return !is_literal(value.type); });
  const Span other = typed != values.end() && values.size() > 1 ? typed->span : Span{};
  for (const BoundArgument& bound : match->arguments)
    operands.push_back(builtin_operand(checker, builtin, bound, values, other));
  if (is_pure(row(builtin).effects)) {
    std::vector<const Value*> widened;
    for (const Value& value : values) widened.push_back(&value);
    note_widening(checker, widened, match->result);
    if (builtin == Builtin::Min || builtin == Builtin::Max)
      return fold_variadic(checker, builtin, operands, values, match->result, span);
    Value value = runtime_value(checker.pure(builtin, match->result, std::move(operands), span), span);
    keep_literal_locals(checker, value, widened);
    if (builtin == Builtin::Abs && is_nonnegative(values[0]))
      value.most = most_bits_as(values[0], match->result);
    if (has_exact_integers(checker) && is_integer(match->result)) take_making(value, widened);
    return value;
  }
  ir::CallEffect call{std::nullopt, builtin, std::move(operands)};
  if (match->result == types::none) {
    checker.emit(std::move(call), span);
    return plain_value(ValueKind::None, span);
  }
  call.slot = checker.new_slot("", match->result, ir::Slot::Kind::Temp, span);
  ir::SlotId slot = *call.slot;
  checker.emit(std::move(call), span);
  return runtime_value(checker.slot_operand(slot), span);
}

// Returns what the bits of the least or greatest of some values are at most.
static std::uint64_t most_extremum(bool greatest, const std::vector<Value>& values, Type type) {
  std::uint64_t least_most = any_bits, most = 0;
  for (const Value& value : values) {
    std::uint64_t bits = most_bits_as(value, type);
    least_most = std::min(least_most, bits);
    most = std::max(most, bits);
  }
  std::uint64_t limit = greatest_bits(type);
  if (most <= limit) return greatest ? most : least_most;
  // One that may be negative makes a minimum so, but no maximum with one that may not.
  return greatest && least_most <= limit ? limit : any_bits;
}

// min(a, b, c): two at a time.
static Value fold_variadic(Checker& checker, Builtin builtin, const std::vector<ir::Operand>& operands,
                           const std::vector<Value>& values, Type type, Span span) {
  bool in_turn = checker.rules.functions->compares_in_turn(values, type);
  ir::CompareOp goes_before = builtin == Builtin::Max ? ir::CompareOp::Greater : ir::CompareOp::Less;
  ir::Operand result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i)
    result = in_turn ? checker.select(checker.compare(goes_before, operands[i], result, span), operands[i],
                                      result, span)
                     : checker.pure(builtin, type, {result, operands[i]}, span);
  Value value = runtime_value(result, span);
  if (is_integer(type)) value.most = most_extremum(builtin == Builtin::Max, values, type);
  for (const Value& each : values) keep_literal_locals(checker, value, std::array{&each});
  std::vector<const Value*> chosen;
  for (const Value& each : values) chosen.push_back(&each);
  if (has_exact_integers(checker)) take_making(value, chosen);
  return value;
}

// Converts what an atomic stores to the type of its element, where that holds it.
static Args stored_arguments(Checker& checker, Args args) {
  if (args.positional.empty() || !is_array(args.positional[0])) return args;
  Type element = element_type(args.positional[0].type);
  const Span array = args.positional[0].span;
  auto convert = [&](Value& value) {
    bool is_other = is_number(value) && !is_literal(value.type) && value.type != element;
    bool goes = is_other && (goes_into(value, element) || goes_by_check(checker, value, element));
    if (goes) value = convert_value(checker, value, element, {Purpose::Store, array});
  };
  for (std::size_t i = 2; i < args.positional.size(); ++i) convert(args.positional[i]);
  for (auto& [name, value] : args.keywords)
    if (name != "index") convert(value);
  return args;
}

// atomic.add(array, index, value): the element is guarded, then read, changed and written at once.
static Value call_atomic(Checker& checker, Builtin builtin, const ast::Call& expr, const Args& given) {
  Args args = has_exact_integers(checker) ? stored_arguments(checker, given) : given;
  std::vector<Value> values = all_values(args);
  std::optional<BuiltinMatch> match = match_builtin(checker, builtin, args, expr.span);
  if (!match) return error_value(expr.span);
  for (const Value& value : values)
    if (is_unknown(value)) return unknown_value(expr.span);
  const ast::Expr* array_expr = expr.args.empty() ? expr.callee : expr.args[0];
  ir::Atomic atomic{std::nullopt, builtin, {}, {}, {}};
  Value array;
  for (const BoundArgument& bound : match->arguments) {
    const BuiltinParam& param = signature(builtin).params[bound.param];
    const Value& value = values[bound.argument.value_or(0)];
    if (param.kind == BuiltinParamKind::ArrayOf) {
      array = value;
      atomic.array = value.operand;
    } else if (param.kind == BuiltinParamKind::Index) {
      std::vector<Value> indices = is_tuple(value) ? value.elements : std::vector<Value>{value};
      for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        if (!check_constant_index(checker, array, static_cast<int>(axis), indices[axis], *array_expr))
          return error_value(expr.span);
        atomic.indices.push_back(
            guarded_index(checker, array.operand, static_cast<int>(axis), indices[axis], *array_expr));
      }
    } else {
      ir::Operand stored = convert(checker, value, bound.type, {Purpose::Store, array.span});
      atomic.args.push_back(checker.rules.functions->atomic_value(checker, builtin, stored, expr.span));
    }
  }
  if (array.type->space == AddressSpace::Constant) {
    checker.report(expr.span, diag::constant_array);
    return error_value(expr.span);
  }
  if (match->result == types::none) {
    checker.emit(std::move(atomic), expr.span);
    return plain_value(ValueKind::None, expr.span);
  }
  // The old element is dropped where the call is a statement; a temporary that nobody reads costs nothing.
  atomic.slot = checker.new_slot("", element_type(array.type), ir::Slot::Kind::Temp, expr.span);
  ir::SlotId slot = *atomic.slot;
  checker.emit(std::move(atomic), expr.span);
  return runtime_value(checker.slot_operand(slot), expr.span);
}

// Reports an array of records, or one whose elements are read and written in parts; false where there is none.
static bool report_records(Checker& checker, Builtin builtin, const Args& args) {
  bool is_shuffle = row(builtin).effects == Effects::Warp;
  for (const Value& value : args.positional) {
    if (!is_record_array(value) || (is_shuffle && is_record_reference(value))) continue;
    if (is_unaligned(record_type(value.type)))
      checker.report(value.span, diag::unaligned_view, checker.context.source(value.span), row(builtin).name);
    else
      checker.report(value.span, diag::array_of_records, row(builtin).name,
                     to_string(held_type(record_type(value.type))));
    return true;
  }
  return false;
}

Value call_builtin(Checker& checker, Builtin builtin, const ast::Call& expr, const Args& args) {
  const bool is_syntax = row(builtin).effects == Effects::Syntax;
  if (!is_syntax && report_records(checker, builtin, args)) return error_value(expr.span);
  if (has_exact_integers(checker) && checker.final)
    for (const Value& value : args.positional)
      if (report_width(checker, builtin, value)) return error_value(expr.span);
  switch (row(builtin).effects) {
  case Effects::Pure:
  case Effects::PerBlock:
  case Effects::Thread:
  case Effects::Block:
  case Effects::Grid:
  case Effects::Warp:
  case Effects::Fence:
  case Effects::Effect: return call_by_signature(checker, builtin, args, expr.span);
  case Effects::Atomic: return call_atomic(checker, builtin, expr, args);
  case Effects::Syntax: return call_syntax(checker, builtin, expr, args);
  }
  return error_value(expr.span);
}

} // namespace kern::checker
