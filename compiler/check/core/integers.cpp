// Arithmetic of integers of a .kern file; what is known of them by their types alone is in intervals.cpp.
#include "compiler/check/core/integers.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"

#include <array>

#include "compiler/values/arithmetic.h"

namespace kern::checker {

std::optional<Type> chosen_type(Checker& checker, std::span<const Value> values) {
  Type type = types::unknown;
  auto take = [&](Type own) {
    std::optional<Type> joined = join_types(checker, type, own);
    if (joined) type = *joined;
    return joined.has_value();
  };
  for (const Value& value : values) {
    std::optional<Type> own = type_of(checker, value);
    if (!own || *own == types::none) return std::nullopt;
    if (!is_of_literals(value) && !take(*own)) return std::nullopt;
  }
  for (const Value& value : values)
    if (is_of_literals(value) &&
        !take(operand_type(value, type == types::unknown ? types::int_literal : type)))
      return std::nullopt;
  return type;
}

ir::Operand shift_out(Checker& checker, ir::BinaryOp op, ir::Operand value, ir::Operand count, Span span) {
  int width = bit_width(value.type->scalar);
  auto is_inside = [&] {
    ir::Operand wide = cast(checker, count, types::u64, span);
    return checker.compare(ir::CompareOp::Less, wide, ir::constant_int(types::u64, width), span);
  };
  if (op == ir::BinaryOp::ShiftRight && is_signed(value.type)) {
    ir::Operand most = ir::constant_int(count.type, width - 1);
    return checker.binary(op, value, checker.select(is_inside(), count, most, span), span);
  }
  ir::Operand shifted = checker.binary(op, value, count, span);
  return checker.select(is_inside(), shifted, ir::constant_int(value.type, 0), span);
}

// x // 0 and x % 0 are faults.
static void check_divisor(Checker& checker, ir::Operand divisor, Span span) {
  if (!divisor.slot && divisor.bits != 0) return;
  ir::Operand zero = ir::constant_int(divisor.type, 0);
  ir::Operand ok = checker.compare(ir::CompareOp::NotEqual, divisor, zero, span);
  checker.check_condition(ok, ir::FaultKind::DivisionByZero, span, "");
}

Value integer_arithmetic(Checker& checker, ast::BinaryOp op, Type type, const Value& left, const Value& right,
                         Span span) {
  const bool shift = is_shift(op);
  // The least type of a shift has 32 bits, whatever stands above those of a narrower number.
  const Type computed = shift && is_narrow(type) ? types::i32 : type;
  if (shift) check_shift_count(checker, op, left, right, computed, span);
  const std::size_t errors_before = checker.errors();
  const ir::Operand a = convert_through(checker, left, type, computed, right.span);
  const Type count_type = is_typed_integer(right) ? right.type : types::i64;
  const ir::Operand b = shift ? convert(checker, right, count_type, {Purpose::Operand, left.span})
                              : convert_through(checker, right, type, computed, left.span);
  // A literal that no type of the operation holds is the cause of whatever does not fit then.
  if (checker.final && checker.errors() != errors_before) return error_value(span);
  if (op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo) check_divisor(checker, b, span);
  const bool leaves = shift && most_bits(right) >= static_cast<std::uint64_t>(bit_width(computed->scalar));
  ir::Operand result =
      leaves ? shift_out(checker, ir_op(op), a, b, span) : checker.binary(ir_op(op), a, b, span);
  Value value = runtime_value(cast(checker, result, type, span), span);
  value.most = most_result(op, left, right, type);
  const std::array<const Value*, 2> operands{&left, shift ? &left : &right};
  // Of words an operator makes one that may wrap.
  bool computes = is_word(type) ? is_arithmetic(op) : !is_bitwise(op) && op != ast::BinaryOp::ShiftRight;
  take_making(value, operands, computes);
  keep_literal_locals(checker, value, operands);
  return value;
}

Value integer_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  const bool inverts = op == ast::UnaryOp::Invert;
  const Type type = inverts || is_word(operand.type) ? operand.type : types::i64;
  if (op == ast::UnaryOp::Positive) return operand;
  ir::Operand value = convert(checker, operand, type, Purpose::Operand);
  ir::UnaryOp applied = inverts ? ir::UnaryOp::BitNot : ir::UnaryOp::Negate;
  Value result = runtime_value(checker.unary(applied, value, span), span);
  take_making(result, std::array{&operand}, !inverts);
  return result;
}

} // namespace kern::checker
