// Operators on numbers. What type an operation has is asked of types/convert.h, by the rules of the file's
// dialect.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/advice/advice.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/number_as.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/stored_sums.h"
#include "compiler/check/core/target_casts.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/limits.h"
#include "compiler/support/split.h"
#include "compiler/values/arithmetic.h"

namespace kern::checker {

namespace {

bool is_half(Type type) { return type == types::f16 || type == types::bf16; }

// Returns the cast that would help: of the integer that meets a float, of the signed integer that meets a
// u64. Of an augmented assignment the target keeps its type, and cannot be converted where it stands.
std::string suggested_cast(Checker& checker, const Value& left, const Value& right, Span span) {
  const std::optional<StoredSum> sum = stored_sum(checker, span);
  if (is_complex(left.type) || is_complex(right.type)) {
    bool is_left = is_complex(left.type);
    Type type = is_left ? left.type : right.type;
    return cast_text(checker, is_left ? right : left, is_literal(type) ? types::f64 : part_type(type));
  }
  Type type = is_float(left.type) ? left.type : right.type;
  if (type == types::float_literal) type = types::f32;
  bool needs_f64 = is_integer(left.type) && bit_width(left.type->scalar) > 16 && is_literal(right.type);
  if (sum && needs_f64) type = types::f64;
  if (sum && !is_float(left.type)) return sum->assigned(advice::cast(sum->text_in(type), left.type));
  const Value& integer = is_float(left.type) ? right : left;
  if (!is_integer(integer.type) || is_literal(integer)) return cast_text(checker, integer, type);
  return float_operand(checker, integer, is_float(left.type) ? left.type : right.type, span);
}

// Return what to write instead of `/` of two integers, which could be meant two ways; of an augmented assignment the whole.
std::string floored_text(const Checker& checker, const Value& left, const Value& right,
                         const std::optional<StoredSum>& sum) {
  if (sum) return fmt::format("{} //= {}", sum->target, sum->operand);
  return advice::binary(short_text(checker.context.source(left.span)), ast::BinaryOp::FloorDivide,
                        short_text(checker.context.source(right.span)));
}

std::string divided_text(Checker& checker, const Value& left, const Value& right, Span span,
                         const std::optional<StoredSum>& sum) {
  std::optional<Target> target = target_of(checker, span);
  bool goes_back = target ? is_integer(target->type) : sum.has_value();
  // A quotient that goes back into an integer must not be rounded on the way.
  bool is_wide = goes_back || (target && target->type == types::f64);
  Type type = is_wide ? types::f64 : types::f32;
  auto text = [&](const Value& value) {
    return is_literal(value) ? short_text(checker.context.source(value.span))
                             : cast_text(checker, value, type);
  };
  std::string quotient = advice::binary(text(left), ast::BinaryOp::Divide, text(right));
  return sum ? sum->assigned(advice::cast(quotient, left.type)) : quotient;
}

Value report_mismatch(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  std::string_view spelled = spelling(op);
  std::string a = describe(checker, left), b = describe(checker, right);
  bool numbers = is_number(left) && is_number(right);
  if (numbers && op == ast::BinaryOp::Divide && is_integral(left.type) && is_integral(right.type)) {
    Report error = checker.report(span, diag::integer_division, a, b);
    note_operands(checker, error, left, right);
    const std::optional<StoredSum> sum = stored_sum(checker, span);
    error.note("write `{}` for the quotient rounded down, or `{}`", floored_text(checker, left, right, sum),
               divided_text(checker, left, right, span, sum));
    return error_value(span);
  }
  bool integers = is_integral(left.type) && is_integral(right.type);
  if (mixes_words(left.type, right.type)) {
    report_word_and_number(checker, spelled, left, right, span);
    return error_value(span);
  }
  bool both_complex = is_complex(left.type) && is_complex(right.type);
  bool mixed = numbers && !both_complex && !is_shift(op) && op != ast::BinaryOp::MatrixMultiply &&
               (!is_bitwise(op) || integers) && !(is_float(left.type) && is_float(right.type));
  if (mixed) {
    Report error = checker.report(span, diag::operands_need_cast, spelled, a, b,
                                  suggested_cast(checker, left, right, span));
    note_operands(checker, error, left, right);
    return error_value(span);
  }
  Report error = checker.report(span, diag::operand_type_mismatch, spelled, a, b);
  if (is_array(left) || is_array(right))
    error.note(
        "an array of the results would need memory; write a loop, `a[:] {}= x`, or one of NumPy's functions "
        "with the array for the results: `np.add(x, y, out)`",
        spelled);
  advise_operator(checker, error, op, left, right);
  return error_value(span);
}

bool divides(ast::BinaryOp op) {
  return op == ast::BinaryOp::Divide || op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
}

// Says whether a literal is what a name stands for.
bool is_named(const Value& value) { return !(value.written == Span{}); }

} // namespace

// Notes the literal without which operands would be computed in less than the f64 that `type` is.
void note_widening(Checker& checker, std::span<const Value* const> operands, Type type) {
  if (!checker.final || type != types::f64) return;
  const Value* literal = nullptr;
  bool has_narrow = false;
  for (const Value* operand : operands) {
    bool is_narrow = is_float(operand->type) && operand->type != types::f64;
    if (takes_type(*operand))
      literal = literal ? literal : operand;
    else if (is_narrow)
      has_narrow = true;
    else
      return;
  }
  bool widens = literal && has_narrow;
  if (widens && std::ranges::find(checker.widening, literal->span) == checker.widening.end())
    checker.widening.push_back(literal->span);
}

void report_widening(Checker& checker) {
  if (checker.widening.empty()) return;
  Report warning =
      checker.report(checker.widening.front(), diag::widen, checker.context.source(checker.widening.front()));
  if (checker.widening.size() > 1)
    warning.note("places in this function with the same cause: {}", checker.widening.size());
}

// Converts an operand to the type of an operation, then to the one in which it is computed: a literal that
// meets an f16 is an f16.
ir::Operand convert_through(Checker& checker, const Value& value, Type type, Type computed, Span other) {
  return cast(checker, convert(checker, value, type, {Purpose::Operand, other}), computed, value.span);
}

static bool has_floats(ast::BinaryOp op) {
  return op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract || op == ast::BinaryOp::Multiply ||
         divides(op);
}

// Says whether a value is a float that has no type yet but that of a literal.
static bool is_open_real(const Value& value) {
  return value.kind == ValueKind::Runtime && value.type == types::float_literal;
}

Value arithmetic(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (!is_number(left) || !is_number(right)) return report_mismatch(checker, op, left, right, span);
  if (op == ast::BinaryOp::MatrixMultiply) return report_mismatch(checker, op, left, right, span);
  const bool typed = checker.rules.types_literals;
  const DialectFunctions& functions = *checker.rules.functions;
  std::optional<Type> type = functions.operator_type(op, left, right);
  // A local of float literals beside an integer: what the two go into says which float it is.
  const Value* open = typed                                           ? nullptr
                      : is_open_real(left) && is_integer_value(right) ? &left
                      : is_open_real(right) && is_integer_value(left) ? &right
                                                                      : nullptr;
  if (open && has_floats(op))
    if (std::optional<Value> value = undecided(checker, types::float_literal, std::array{open}, span))
      return *value;
  bool waits = checker.instance && !typed && (meets_integer(left, right) || meets_integer(right, left));
  if (waits && has_floats(op)) return deferred_value(op, left, right, span);
  if (!type) return report_mismatch(checker, op, left, right, span);
  bool defers = left.kind == ValueKind::Deferred || right.kind == ValueKind::Deferred;
  if (defers && *type == types::float_literal && takes_type(left) && takes_type(right))
    return deferred_value(op, left, right, span);
  if (!is_shift(op)) note_operands_meet(checker, left, right);
  if (std::optional<Value> value = undecided_operation(checker, op, *type, left, right, span)) return *value;
  type = default_type(*type);
  if (functions.integer_arithmetic && is_integer(*type))
    return functions.integer_arithmetic(checker, op, *type, left, right, span);
  if (is_complex(*type)) return complex_arithmetic(checker, op, *type, left, right, span);
  // f16 and bf16 are for storage: their arithmetic is that of f32.
  Type computed = is_half(*type) ? types::f32 : *type;
  note_widening(checker, std::array{&left, &right}, computed);
  bool shift = is_shift(op), floors = op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
  if (shift) check_shift_count(checker, op, left, right, computed, span);
  ir::Operand a = convert_through(checker, left, *type, computed, right.span);
  Type count_type = is_integer(right.type) && !is_literal(right.type) ? right.type : computed;
  ir::Operand b = shift ? convert(checker, right, count_type, {Purpose::Operand, left.span})
                        : convert_through(checker, right, *type, computed, left.span);
  bool may_wrap = !has_opposite(left) && !is_nonnegative(right);
  ir::Operand result = shift ? shift_out(checker, ir_op(op), a, b, span)
                       : floors && functions.divide
                           ? functions.divide(checker, ir_op(op), a, b, may_wrap, span)
                           : checker.binary(ir_op(op), a, b, span);
  Value value = runtime_value(cast(checker, result, *type, span), span);
  if (is_integer(*type)) value.most = most_result(op, left, right, *type);
  keep_literal_locals(checker, value, std::array{&left, shift ? &left : &right});
  return value;
}

static std::optional<Value> tuple_operation(Checker& checker, ast::BinaryOp op, const Value& left,
                                            const Value& right, Span span) {
  if (is_constant_array(left) || is_constant_array(right)) return std::nullopt;
  auto is_any_record = [](const Value& value) { return is_tuple(value) && is_record(value.type); };
  if (is_any_record(left) || is_any_record(right)) {
    checker.report(span, diag::operand_type_mismatch, spelling(op), describe(checker, left),
                   describe(checker, right));
    return error_value(span);
  }
  if (op == ast::BinaryOp::Add && is_tuple(left) && is_tuple(right)) {
    Value result = tuple_value(left.elements, span);
    result.elements.insert(result.elements.end(), right.elements.begin(), right.elements.end());
    return bounded(checker, std::move(result));
  }
  bool repeats = op == ast::BinaryOp::Multiply && is_tuple(left) != is_tuple(right);
  const Value& tuple = is_tuple(left) ? left : right;
  std::optional<WideInt> count = repeats ? constant_integer(is_tuple(left) ? right : left) : std::nullopt;
  if (!count) return std::nullopt;
  Value result = tuple_value({}, span);
  const std::size_t leaves = leaf_count(tuple);
  for (WideInt k = 0; k < *count && !tuple.elements.empty(); ++k) {
    // The rest of a tuple that is too long is not needed: bounded() refuses it below.
    if (static_cast<std::size_t>(k) * leaves > limits::table_elements) break;
    result.elements.insert(result.elements.end(), tuple.elements.begin(), tuple.elements.end());
  }
  return bounded(checker, std::move(result));
}

// In a .py file Python itself computes what is written with literals alone; names, and what Python would
// raise an exception for, are left to Numba.
static bool folds_as_literals(const Checker& checker, ast::BinaryOp op, const Value& left,
                              const Value& right) {
  if (!is_literal(left) || !is_literal(right)) return false;
  if (!checker.rules.types_literals) return true;
  if (!is_int_literal(left) || !is_int_literal(right)) {
    if (op == ast::BinaryOp::Power) return !is_named(left) && !is_named(right);
    bool floors = op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
    return !floors || std::isfinite(*constant_real(right));
  }
  bool raises = (divides(op) && right.integer == 0) || (is_shift(op) && right.integer < 0);
  return !raises && !is_named(left) && !is_named(right);
}

// An integer literal beyond i64 is a u64 in the Numba dialect.
static Value settled(const Checker& checker, const Value& value) {
  bool wide =
      checker.rules.types_literals && is_int_literal(value) && !literal_fits(value.integer, types::i64);
  if (!wide) return value;
  return runtime_value(ir::constant_int(types::u64, static_cast<std::int64_t>(value.integer)), value.span);
}

// A constant of the type that a literal has, as a literal.
static Value as_literal(const Value& value) {
  if (!is_constant_number(value)) return value;
  if (value.type == types::i64) return int_value(*constant_integer(value), value.span);
  return value.type == types::f64 ? float_value(*constant_real(value), value.span) : value;
}

static Value typed_binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                          Span span) {
  if (std::optional<Value> tuple = tuple_operation(checker, op, left, right, span)) return *tuple;
  if (op == ast::BinaryOp::Power) return power(checker, left, right, span);
  return arithmetic(checker, op, left, right, span);
}

// Constants, at least one of them complex: literals, and what no program would compute.
static Value fold_binary_complex(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                                 Span span) {
  std::optional<std::complex<double>> result = fold_complex(checker, op, left, right);
  bool literals = is_literal(left) && is_literal(right);
  if (!literals && op != ast::BinaryOp::Power) return typed_binary(checker, op, left, right, span);
  if (result && literals) return complex_value(*result, span);
  bool divides_by_zero = op == ast::BinaryOp::Divide || op == ast::BinaryOp::Power;
  if (result || (divides_by_zero && checker.instance)) {
    // The code of a kernel gives what its rules say.
    Type type = join(default_type(left.type), default_type(right.type)).value_or(types::c128);
    if (!is_complex(type)) type = types::c128;
    if (result) return runtime_value(ir::constant_complex(type, result->real(), result->imag()), span);
    return op == ast::BinaryOp::Power ? complex_power(checker, type, left, right, span)
                                      : complex_arithmetic(checker, op, type, left, right, span);
  }
  if (divides_by_zero)
    checker.report(span, diag::not_constant, checker.context.source(span));
  else
    report_mismatch(checker, op, left, right, span);
  return error_value(span);
}

Value binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (is_error(left) || is_error(right)) return error_value(span);
  if (is_unknown(left) || is_unknown(right)) return unknown_value(span);
  bool complex = is_complex_number(left) || is_complex_number(right);
  bool folds = (is_literal(left) && is_literal(right)) ||
               (!checker.instance && is_constant_number(left) && is_constant_number(right));
  if (complex && folds) return fold_binary_complex(checker, op, left, right, span);
  bool by_zero =
      !checker.rules.faults_by_zero && checker.final && divides(op) && constant_complex(right) == 0.0;
  if (by_zero && is_number(left)) checker.report(span, diag::zero_division, checker.context.source(span));
  if (folds_as_literals(checker, op, left, right)) return literal_operation(checker, op, left, right, span);
  if (is_literal(left) && is_literal(right)) {
    Value a = settled(checker, left), b = settled(checker, right);
    return as_literal(op == ast::BinaryOp::Power ? power(checker, a, b, span)
                                                 : arithmetic(checker, op, a, b, span));
  }
  bool settles = (is_int_literal(left) || is_int_literal(right)) && checker.rules.types_literals;
  if (settles) return typed_binary(checker, op, settled(checker, left), settled(checker, right), span);
  return typed_binary(checker, op, left, right, span);
}

static Value negate(Checker& checker, const Value& operand, Type type, Span span) {
  ir::Operand value = convert(checker, operand, type, Purpose::Operand);
  return runtime_value(checker.unary(ir::UnaryOp::Negate, value, span), span);
}

static Value typed_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Type type, Span span) {
  if (op == ast::UnaryOp::Positive) return convert_value(checker, operand, type, Purpose::Operand);
  if (op == ast::UnaryOp::Negative) {
    if (!is_half(type)) return negate(checker, operand, type, span);
    Value wide = negate(checker, operand, types::f32, span);
    return runtime_value(cast(checker, wide.operand, type, span), span);
  }
  ir::Operand value = convert(checker, operand, type, Purpose::Operand);
  return runtime_value(checker.unary(ir::UnaryOp::BitNot, value, span), span);
}

Value unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  if (is_error(operand)) return operand;
  if (op == ast::UnaryOp::Not) {
    if (is_unknown(operand)) return unknown_value(span);
    std::optional<ir::Operand> truth = as_condition(checker, operand);
    if (!truth) return error_value(span);
    if (!truth->slot) return bool_value(truth->bits == 0, span);
    return runtime_value(checker.unary(ir::UnaryOp::Not, *truth, span), span);
  }
  if (is_unknown(operand)) return operand;
  if (operand.kind == ValueKind::Deferred && op == ast::UnaryOp::Negative)
    return deferred_value(ast::BinaryOp::Multiply, float_value(-1, span), operand, span);
  if (is_complex_number(operand)) return complex_unary(checker, op, operand, span);
  bool is_wide = is_int_literal(operand) && (operand.integer <= least_value(ScalarKind::I64) ||
                                             operand.integer > greatest_value(ScalarKind::I64));
  bool wraps = is_wide && is_named(operand) && checker.rules.types_literals;
  if (is_literal(operand) && !wraps) return literal_unary(checker, op, operand, span);
  if (wraps) return unary(checker, op, runtime_value(as_operand(checker, operand), operand.span), span);
  bool inverts = op == ast::UnaryOp::Invert;
  bool is_bool = inverts && is_boolean(operand.type) && !checker.rules.inverts_bools;
  bool fits = is_number(operand) && (!inverts || is_integral(operand.type)) && !is_bool;
  if (!fits) {
    Report error = checker.report(span, diag::unary_operand, spelling(op), describe(checker, operand));
    if (is_bool)
      error.note("write `{}`", advice::unary(ast::UnaryOp::Not, checker.context.source(operand.span)));
    advise_operator(checker, error, op, operand);
    return error_value(span);
  }
  Type type = operand.type;
  if (is_integral(type) && !is_literal(type))
    return checker.rules.functions->integer_unary(checker, op, operand, span);
  if (std::optional<Value> value = undecided(checker, type, std::array{&operand}, span)) return *value;
  Value result = typed_unary(checker, op, operand, default_type(type), span);
  keep_literal_locals(checker, result, std::array{&operand});
  return result;
}

} // namespace kern::checker
