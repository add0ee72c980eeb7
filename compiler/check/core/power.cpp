// x ** y: products for small constant exponents, otherwise the builtin for integers or floats.
#include <array>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/operators.h"

namespace kern::checker {

static constexpr WideInt products_up_to = 4;

// A float that is no literal decides alone: an integer that is an exponent needs no cast.
static bool takes_integer_exponent(const Value& left, const Value& right) {
  return is_float(left.type) && !is_literal(left) && is_integer(right.type) && !is_literal(right);
}

// Says whether a float literal is raised to a power that the running program decides: the literal takes the float type
// that it meets behind the power.
static bool waits_for_type(const Checker& checker, const Value& left, const Value& right) {
  bool is_base = takes_type(left) && left.type == types::float_literal;
  return checker.instance && is_base && !takes_type(right) && is_integer(right.type);
}

ir::Operand convert_deferred(Checker& checker, const Value& value, Type type, Purpose purpose) {
  if (is_complex(type))
    return cast(checker, convert_deferred(checker, value, part_type(type), purpose), type, value.span);
  const Value &first = value.elements[0], &second = value.elements[1];
  // In the rounds of inference an integer may have no type yet.
  for (const Value& part : value.elements)
    if (part.kind == ValueKind::Runtime && is_literal(part.type)) return checker.variable(type, value.span);
  Value left = runtime_value(convert(checker, first, type, purpose), first.span);
  bool counts = value.op == ast::BinaryOp::Power && is_integer(second.type);
  Value right = counts ? second : runtime_value(convert(checker, second, type, purpose), second.span);
  return as_operand(checker, binary(checker, value.op, left, right, value.span));
}

static std::optional<Type> power_type(Checker& checker, const Value& left, const Value& right) {
  if (!checker.rules.exact_integers) return numba_power(left.type, right.type);
  if (takes_integer_exponent(left, right)) return left.type;
  bool counts = is_complex(left.type) && is_integer(right.type) && !is_literal(right);
  if (counts) return left.type;
  Type a = operand_type(left, right.type), b = operand_type(right, left.type);
  if (is_integral(a) && is_integral(b)) return integer_type(ast::BinaryOp::Power, a, b);
  return join_arithmetic(a, b);
}

// x ** n for n from 1 to 4.
static ir::Operand product(Checker& checker, ir::Operand base, WideInt exponent, Span span) {
  if (exponent == 1) return base;
  ir::Operand square = checker.binary(ir::BinaryOp::Multiply, base, base, span);
  if (exponent == 2) return square;
  return checker.binary(ir::BinaryOp::Multiply, square, exponent == 3 ? base : square, span);
}

// An integer to a negative power is no integer: a fault.
static void check_exponent(Checker& checker, const Value& exponent, Span span) {
  if (is_nonnegative(exponent)) return;
  ir::Operand power = as_operand(checker, exponent);
  if (!is_signed(power.type)) return;
  ir::Operand zero = ir::constant_int(power.type, 0);
  ir::Operand ok = checker.compare(ir::CompareOp::GreaterEqual, power, zero, span);
  checker.check_condition(ok, ir::FaultKind::NegativeExponent, exponent.span, "");
}

Value power(Checker& checker, const Value& left, const Value& right, Span span) {
  if (!is_number(left) || !is_number(right))
    return arithmetic(checker, ast::BinaryOp::Power, left, right, span);
  const bool exact = checker.rules.exact_integers;
  if (exact && waits_for_type(checker, left, right))
    return deferred_value(ast::BinaryOp::Power, left, right, span);
  std::optional<Type> type = power_type(checker, left, right);
  if (!type) return arithmetic(checker, ast::BinaryOp::Power, left, right, span);
  note_operands_meet(checker, left, right);
  if (std::optional<Value> value =
          undecided_operation(checker, ast::BinaryOp::Power, *type, left, right, span))
    return *value;
  type = default_type(*type);
  if (is_complex(*type)) return complex_power(checker, *type, left, right, span);
  note_widening(checker, std::array{&left, &right}, *type);
  bool half = *type == types::f16 || *type == types::bf16;
  Type computed = half ? types::f32 : *type;
  ir::Operand base = convert_through(checker, left, *type, computed, right.span);
  WideInt exponent = is_int_literal(right) ? right.integer : 0;
  bool as_product = exponent >= 1 && exponent <= products_up_to;
  if (auto* own = checker.rules.functions->integer_power; own && is_integer(computed) && !as_product)
    return own(checker, base, right, span);
  ir::Operand result;
  if (as_product) {
    result = product(checker, base, exponent, span);
  } else {
    Builtin builtin = is_integer(computed) ? Builtin::IntegerPower : Builtin::MathPow;
    bool counts = exact && is_integer(computed);
    bool casts = counts || (exact && takes_integer_exponent(left, right));
    if (counts) check_exponent(checker, right, span);
    // An exponent that the base's type does not hold is raised to in u64s: the low bits of a power are those of
    // the power of the base's low bits.
    bool is_wide = is_typed_integer(right) && bit_width(right.type->scalar) == 64 &&
                   (right.type == types::u64 || computed == types::u32);
    bool is_far = is_int_literal(right) && exponent > 0 && !literal_fits(exponent, computed);
    Type raised = counts && (is_wide || is_far) ? types::u64 : computed;
    ir::Operand power = is_far && counts ? convert_through(checker, right, raised, raised, left.span)
                        : casts          ? cast(checker, as_operand(checker, right), raised, right.span)
                                         : convert_through(checker, right, *type, computed, left.span);
    result = checker.pure(builtin, raised, {cast(checker, base, raised, left.span), power}, span);
  }
  Value value = runtime_value(cast(checker, result, *type, span), span);
  keep_literal_locals(checker, value, std::array{&left, &right});
  if (exact && is_integer(*type)) value.is_made = is_word(*type) || left.type != types::i64 || left.is_made;
  return value;
}

} // namespace kern::checker
