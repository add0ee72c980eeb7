// What is computed in a .kern file in its own way (docs/language.md, "Integers").
#include "compiler/check/core/integers.h"
#include "compiler/values/arithmetic.h"

namespace kern::checker {

namespace {

// Returns the type in which an operator computes; nothing where it has no meaning for the two.
std::optional<Type> operator_type(ast::BinaryOp op, const Value& left, const Value& right) {
  Type a = operand_type(left, right.type), b = operand_type(right, left.type);
  if (is_integral(a) && is_integral(b)) return integer_type(op, a, b);
  if (is_bitwise(op) || is_shift(op)) return std::nullopt;
  return join_arithmetic(a, b);
}

bool is_exact(const Value& integer, Type type) { return holds(exact_interval(type), interval_of(integer)); }

// Returns the float type in which a literal and an integer are compared as the numbers that they are.
std::optional<Type> exact_type(const Value& left, const Value& right) {
  const bool is_first = meets_integer(left, right);
  if (!is_first && !meets_integer(right, left)) return std::nullopt;
  const Value &real = is_first ? left : right, &integer = is_first ? right : left;
  const bool is_f32 = is_literal(real) && static_cast<double>(static_cast<float>(real.real())) == real.real();
  return is_f32 && is_exact(integer, types::f32) ? types::f32 : types::f64;
}

std::optional<Type> comparison_type(const Value& left, const Value& right) {
  std::optional<Type> type = join_arithmetic(operand_type(left, right.type), operand_type(right, left.type));
  if (!type) type = exact_type(left, right);
  const Value* integer = is_typed_integer(left) ? &left : is_typed_integer(right) ? &right : nullptr;
  return type == types::f32 && integer && !is_exact(*integer, types::f32) ? types::f64 : type;
}

std::vector<Value> builtin_arguments(Checker&, Builtin, std::vector<Value> args) { return args; }
std::optional<Type> builtin_result(Builtin, const std::vector<Value>&) { return std::nullopt; }
ir::Operand atomic_value(Checker&, Builtin, ir::Operand value, Span) { return value; }
bool compares_in_turn(const std::vector<Value>&, Type) { return false; }

} // namespace

const DialectFunctions kern_functions{
    .join = join,
    .operator_type = operator_type,
    .comparison_type = comparison_type,
    .compare_types = nullptr,
    .integer_unary = integer_unary,
    .integer_arithmetic = integer_arithmetic,
    .divide = nullptr,
    .integer_power = nullptr,
    .float_to_integer = nullptr,
    .range_type = nullptr,
    .builtin_arguments = builtin_arguments,
    .builtin_result = builtin_result,
    .atomic_value = atomic_value,
    .compares_in_turn = compares_in_turn,
};

} // namespace kern::checker
