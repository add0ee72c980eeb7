// What is known of an integer by its type and value: between which numbers it lies, and what it goes into by that.
#include <algorithm>
#include <bit>

#include "compiler/check/core/integers.h"
#include "compiler/values/arithmetic.h"

namespace kern::checker {

namespace {

// Visits the literals that a value may be.
void widen_over(const Value& value, std::optional<Interval>& interval) {
  if (std::optional<WideInt> number = constant_integer(value))
    interval = interval ? Interval{std::min(interval->least, *number), std::max(interval->greatest, *number)}
                        : Interval{*number, *number};
  for (const Value& element : value.elements) widen_over(element, interval);
}

// Says whether an i64 is one by itself: it was declared, stored or cast.
bool is_plain_wide(const Value& value) {
  return value.type == types::i64 && !value.is_made && !is_of_literals(value);
}

} // namespace

bool is_of_literals(const Value& value) {
  return value.type == types::int_literal || (value.kind == ValueKind::Runtime && value.of_literals);
}

bool is_arithmetic(ast::BinaryOp op) {
  return op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract || op == ast::BinaryOp::Multiply ||
         op == ast::BinaryOp::Power || op == ast::BinaryOp::ShiftLeft;
}

Interval interval_of(Type type) {
  if (is_boolean(type)) return {0, 1};
  return {least_value(type->scalar), greatest_value(type->scalar)};
}

Interval interval_of(const Value& value) {
  std::optional<Interval> constants;
  if (value.kind == ValueKind::Choice || value.kind == ValueKind::Element || is_constant_number(value))
    widen_over(value, constants);
  if (constants) return *constants;
  return interval_of(is_scalar(value.type) && is_integral(value.type) ? value.type : types::i64);
}

Interval exact_interval(Type type) {
  if (is_integral(type)) return interval_of(type);
  int digits = type == types::f16 ? 11 : type == types::bf16 ? 8 : type == types::f32 ? 24 : 53;
  WideInt most = WideInt(1) << digits;
  return {-most, most};
}

bool is_integral(Type type) { return is_integer(type) || is_boolean(type); }

bool is_narrow(Type type) { return is_scalar(type) && is_integer(type) && bit_width(type->scalar) < 32; }

bool is_integer_value(const Value& value) {
  return value.kind == ValueKind::Runtime && is_scalar(value.type) && is_integral(value.type);
}

bool is_typed_integer(const Value& value) { return is_integer_value(value) && is_integer(value.type); }

bool is_made_wider(const Value& value) { return value.type == types::i64 && value.is_made; }

Type operand_type(const Value& value, Type other) {
  if (!is_number(value)) return value.type;
  bool is_real = is_scalar(other) && (is_float(other) || is_complex(other));
  if (is_real && goes_into(value, other)) return other;
  if (!is_of_literals(value) || is_real) return value.type;
  bool is_open = value.kind == ValueKind::Runtime && is_literal(value.type);
  if (is_open || is_word(other) || is_literal(other) || is_boolean(other)) return types::int_literal;
  bool takes = value.type == types::int_literal && is_scalar(other) && is_integer(other) &&
               holds(interval_of(other), interval_of(value));
  return takes ? types::int_literal : types::i64;
}

std::optional<Type> integer_type(ast::BinaryOp op, Type left, Type right) {
  bool literals = is_literal(left) && is_literal(right);
  if (op == ast::BinaryOp::ShiftRight && !is_boolean(left) && !is_literal(left)) return left;
  if (is_shift(op) || op == ast::BinaryOp::Power) {
    if (literals) return types::int_literal;
    return is_word(left) ? left : types::i64;
  }
  if (op == ast::BinaryOp::Divide) return std::nullopt;
  if (literals) return types::int_literal;
  if (mixes_words(left, right)) {
    bool keeps =
        op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo || op == ast::BinaryOp::BitAnd;
    return keeps && left != types::u64 && right != types::u64 ? std::optional(types::i64) : std::nullopt;
  }
  return is_word(left) || is_word(right) || is_bitwise(op) ? join(left, right) : types::i64;
}

void take_making(Value& result, std::span<const Value* const> operands, bool computes) {
  if (result.kind != ValueKind::Runtime) return;
  auto is_made = [](const Value* value) { return value->is_made; };
  auto is_plain = [](const Value* value) { return is_plain_wide(*value); };
  result.of_literals = result.type == types::i64 && std::ranges::all_of(operands, [](const Value* value) {
                         return is_of_literals(*value);
                       });
  // A number is made of narrower ones unless one is an i64 by itself.
  result.is_made = !result.of_literals && std::ranges::none_of(operands, is_plain) &&
                   (computes || std::ranges::any_of(operands, is_made));
}

std::uint64_t most_result(ast::BinaryOp op, const Value& left, const Value& right, Type type) {
  std::uint64_t a = most_bits_as(left, type), b = most_bits_as(right, type), result = 0;
  std::uint64_t greatest = greatest_bits(type);
  std::uint64_t limit = bit_width(type->scalar) == 64 ? any_bits : greatest;
  bool left_nonnegative = a <= greatest, right_nonnegative = b <= greatest;
  switch (op) {
  case ast::BinaryOp::Add: return __builtin_add_overflow(a, b, &result) || result > limit ? any_bits : result;
  case ast::BinaryOp::Multiply:
    return __builtin_mul_overflow(a, b, &result) || result > limit ? any_bits : result;
  case ast::BinaryOp::FloorDivide: return left_nonnegative && right_nonnegative ? a : any_bits;
  case ast::BinaryOp::ShiftRight: return left_nonnegative ? a : any_bits;
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor: return (a | b) == 0 ? 0 : any_bits >> std::countl_zero(a | b);
  case ast::BinaryOp::Modulo: return right_nonnegative ? b - (b > 0) : any_bits;
  case ast::BinaryOp::BitAnd: return std::min(a, b);
  case ast::BinaryOp::Subtract:
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::Power:
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::MatrixMultiply: return any_bits;
  }
  return any_bits;
}

bool meets_integer(const Value& real, const Value& integer) {
  bool is_open = takes_type(real) && real.type == types::float_literal;
  return is_open && is_number(integer) && !takes_type(integer) && is_integer(integer.type) &&
         goes_into(integer, types::f64);
}

bool fits_by_type(const Value& value, Type type) {
  bool is_real = is_scalar(type) && (is_integer(type) || is_float(type));
  if (!is_integer_value(value) || !is_real) return false;
  if (is_integer(type)) return holds(interval_of(type), interval_of(value));
  return is_narrow(value.type) && holds(exact_interval(type), interval_of(value.type));
}

bool goes_into(const Value& value, Type type) {
  if (is_scalar(type) && is_complex(type)) return goes_into(value, part_type(type));
  if (type == types::f32 || type == types::f64) return is_integer_value(value);
  return fits_by_type(value, type);
}

bool goes_by_check(const Checker& checker, const Value& value, Type type) {
  bool integers = is_typed_integer(value) && is_scalar(type) && is_integer(type);
  // A constant that does not fit is an error.
  return has_exact_integers(checker) && integers && value.operand.slot.has_value();
}

Type holding_literals(const Local& local, Type type) {
  bool is_number = is_scalar(type) && is_integer(type) && !is_literal(type) && !is_word(type);
  bool fits =
      literal_fits(local.literal.least.value, type) && literal_fits(local.literal.greatest.value, type);
  return is_number && !fits ? types::i64 : type;
}

} // namespace kern::checker
