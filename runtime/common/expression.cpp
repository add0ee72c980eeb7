// Evaluates and prints expressions over the arguments of a launch. An integer is 64 bits and wraps, as in a
// kernel; what is no number (a division by zero, a slot that is not there) is nothing, and whoever asked
// decides.
#include "kern/expression.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "runtime/common/operations.h"

namespace kern {

namespace {

using Value = std::optional<ExpressionValue>;

Value integer(std::int64_t value) { return ExpressionValue{false, value, 0}; }
Value real(double value) { return ExpressionValue{true, 0, value}; }
double as_real(const ExpressionValue& value) {
  return value.is_real ? value.real : static_cast<double>(value.integer);
}
bool as_bool(const ExpressionValue& value) { return value.is_real ? value.real != 0 : value.integer != 0; }

// Returns the slot `offset` after one of the parameter block; nothing where it is too short.
std::optional<std::uint64_t> slot(const ExpressionInput& input, std::int64_t first, std::int64_t offset = 0) {
  std::uint64_t size = input.params.size();
  if (first < 0 || offset < 0 || static_cast<std::uint64_t>(first) >= size) return std::nullopt;
  if (static_cast<std::uint64_t>(offset) >= size - static_cast<std::uint64_t>(first)) return std::nullopt;
  return input.params[static_cast<std::size_t>(first + offset)];
}

Value slot_integer(const ExpressionInput& input, std::int64_t first, std::int64_t offset) {
  std::optional<std::uint64_t> bits = slot(input, first, offset);
  if (!bits) return std::nullopt;
  return integer(static_cast<std::int64_t>(*bits));
}

Value scalar(std::uint64_t bits, ExpressionType type) {
  if (type == ExpressionType::F32) return real(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == ExpressionType::F64) return real(std::bit_cast<double>(bits));
  return integer(operations::integer(bits, type));
}

Value wrap(const ExpressionValue& value, ExpressionType type) {
  if (value.is_real || type >= ExpressionType::F32) return std::nullopt;
  return scalar(static_cast<std::uint64_t>(value.integer), type);
}

double real_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest;
}

Value arithmetic(ExpressionOp op, std::int64_t a, std::int64_t b) {
  std::optional<std::int64_t> value = operations::arithmetic(op, a, b);
  return value ? integer(*value) : std::nullopt;
}

// The operations whose meaning depends on the sign, for numbers without one.
Value unsigned_arithmetic(ExpressionOp op, std::uint64_t a, std::uint64_t b) {
  bool divides = op == ExpressionOp::FloorDivide || op == ExpressionOp::Modulo;
  if (divides && b == 0) return std::nullopt;
  switch (op) {
  case ExpressionOp::FloorDivide: return integer(operations::wrapped(a / b));
  case ExpressionOp::Modulo: return integer(operations::wrapped(a % b));
  case ExpressionOp::Minimum: return integer(operations::wrapped(a < b ? a : b));
  case ExpressionOp::Maximum: return integer(operations::wrapped(a > b ? a : b));
  default: return integer(operations::compare(op, a, b));
  }
}

Value arithmetic(ExpressionOp op, double a, double b) {
  switch (op) {
  case ExpressionOp::Add: return real(a + b);
  case ExpressionOp::Subtract: return real(a - b);
  case ExpressionOp::Multiply: return real(a * b);
  case ExpressionOp::FloorDivide: return real(std::floor(a / b));
  case ExpressionOp::Modulo: return real(real_modulo(a, b));
  case ExpressionOp::Minimum: return real(std::fmin(a, b));
  case ExpressionOp::Maximum: return real(std::fmax(a, b));
  default: return std::nullopt; // not an operator of two numbers
  }
}

// Says whether a value is a u64 scalar that an int64 cannot hold.
bool is_beyond(const Expression& expression, const ExpressionValue& value) {
  return expression.op == ExpressionOp::Scalar && expression.type == ExpressionType::U64 && value.integer < 0;
}

// Compares integers exactly, also where one is beyond an int64.
bool compare_integers(const Expression& expression, const ExpressionValue& a, const ExpressionValue& b) {
  bool a_beyond = is_beyond(expression.operands[0], a), b_beyond = is_beyond(expression.operands[1], b);
  if (a_beyond != b_beyond) return operations::compare(expression.op, a_beyond ? 1 : 0, b_beyond ? 1 : 0);
  return operations::compare(expression.op, a.integer,
                             b.integer); // both beyond: their order is that of their bits
}

// Evaluates the second operand only where the first does not decide, as a kernel does.
Value logical(const Expression& expression, const ExpressionInput& input) {
  Value first = evaluate(expression.operands[0], input);
  if (!first) return std::nullopt;
  if (as_bool(*first) == (expression.op == ExpressionOp::Or)) return integer(as_bool(*first));
  Value second = evaluate(expression.operands[1], input);
  if (!second) return std::nullopt;
  return integer(as_bool(*second));
}

Value binary(const Expression& expression, const ExpressionInput& input) {
  Value a = evaluate(expression.operands[0], input), b = evaluate(expression.operands[1], input);
  if (!a || !b) return std::nullopt;
  bool is_real = a->is_real || b->is_real;
  if (!is_real && has_sign(expression.op) && expression.type == ExpressionType::U64)
    return unsigned_arithmetic(expression.op, static_cast<std::uint64_t>(a->integer),
                               static_cast<std::uint64_t>(b->integer));
  if (operations::is_comparison(expression.op))
    return integer(is_real ? operations::compare(expression.op, as_real(*a), as_real(*b))
                           : compare_integers(expression, *a, *b));
  return is_real ? arithmetic(expression.op, as_real(*a), as_real(*b))
                 : arithmetic(expression.op, a->integer, b->integer);
}

Value unary(const Expression& expression, const ExpressionInput& input) {
  Value operand = evaluate(expression.operands[0], input);
  if (!operand) return std::nullopt;
  if (expression.op == ExpressionOp::Not) return integer(!as_bool(*operand));
  if (expression.op == ExpressionOp::Wrap) return wrap(*operand, expression.type);
  if (operand->is_real) return real(-operand->real);
  return integer(operations::negate(operand->integer));
}

Value dimension(const std::array<std::uint32_t, 3>& sizes, std::int32_t axis) {
  if (axis < 0 || axis > 2) return std::nullopt;
  return integer(sizes[static_cast<std::size_t>(axis)]);
}

} // namespace

std::optional<ExpressionValue> evaluate(const Expression& expression, const ExpressionInput& input) {
  if (expression.operands.size() != operand_count(expression.op)) return std::nullopt;
  switch (expression.op) {
  case ExpressionOp::Constant: return integer(expression.value);
  case ExpressionOp::ConstantReal: return real(expression.real);
  case ExpressionOp::Scalar: {
    std::optional<std::uint64_t> bits = slot(input, expression.value);
    return bits ? scalar(*bits, expression.type) : std::nullopt;
  }
  case ExpressionOp::Extent: return slot_integer(input, expression.value, 1 + std::int64_t(expression.axis));
  case ExpressionOp::Stride:
    return slot_integer(input, expression.value, 1 + std::int64_t(expression.rank) + expression.axis);
  case ExpressionOp::Address: {
    std::optional<std::uint64_t> address = slot(input, expression.value);
    return address ? integer(static_cast<std::int64_t>(*address % 16)) : std::nullopt;
  }
  case ExpressionOp::BlockDim: return dimension(input.block_dim, expression.axis);
  case ExpressionOp::GridDim: return dimension(input.grid_dim, expression.axis);
  case ExpressionOp::SharedBytes: return integer(static_cast<std::int64_t>(input.shared_bytes));
  case ExpressionOp::And:
  case ExpressionOp::Or: return logical(expression, input);
  case ExpressionOp::Select: {
    Value condition = evaluate(expression.operands[0], input);
    if (!condition) return std::nullopt;
    return evaluate(expression.operands[as_bool(*condition) ? 1 : 2], input);
  }
  case ExpressionOp::Negate:
  case ExpressionOp::Not:
  case ExpressionOp::Wrap: return unary(expression, input);
  case ExpressionOp::Add:
  case ExpressionOp::Subtract:
  case ExpressionOp::Multiply:
  case ExpressionOp::FloorDivide:
  case ExpressionOp::Modulo:
  case ExpressionOp::Minimum:
  case ExpressionOp::Maximum:
  case ExpressionOp::Equal:
  case ExpressionOp::NotEqual:
  case ExpressionOp::Less:
  case ExpressionOp::LessEqual:
  case ExpressionOp::Greater:
  case ExpressionOp::GreaterEqual:
  case ExpressionOp::BitAnd:
  case ExpressionOp::BitOr:
  case ExpressionOp::BitXor: return binary(expression, input);
  }
  return std::nullopt;
}

// ---- As source text ----

namespace {

// How tightly an operator binds, as in Python; operands that bind less are put in brackets.
int precedence(ExpressionOp op) {
  switch (op) {
  case ExpressionOp::Select: return 0;
  case ExpressionOp::Or: return 1;
  case ExpressionOp::And: return 2;
  case ExpressionOp::Not: return 3;
  case ExpressionOp::Equal:
  case ExpressionOp::NotEqual:
  case ExpressionOp::Less:
  case ExpressionOp::LessEqual:
  case ExpressionOp::Greater:
  case ExpressionOp::GreaterEqual: return 4;
  case ExpressionOp::BitOr: return 5;
  case ExpressionOp::BitXor: return 6;
  case ExpressionOp::BitAnd: return 7;
  case ExpressionOp::Add:
  case ExpressionOp::Subtract: return 8;
  case ExpressionOp::Multiply:
  case ExpressionOp::FloorDivide:
  case ExpressionOp::Modulo: return 9;
  case ExpressionOp::Negate: return 10;
  default: return 11;
  }
}

const char* spelling(ExpressionOp op) {
  switch (op) {
  case ExpressionOp::Add: return " + ";
  case ExpressionOp::Subtract: return " - ";
  case ExpressionOp::Multiply: return " * ";
  case ExpressionOp::FloorDivide: return " // ";
  case ExpressionOp::Modulo: return " % ";
  case ExpressionOp::Equal: return " == ";
  case ExpressionOp::NotEqual: return " != ";
  case ExpressionOp::Less: return " < ";
  case ExpressionOp::LessEqual: return " <= ";
  case ExpressionOp::Greater: return " > ";
  case ExpressionOp::GreaterEqual: return " >= ";
  case ExpressionOp::And: return " and ";
  case ExpressionOp::Or: return " or ";
  case ExpressionOp::BitAnd: return " & ";
  case ExpressionOp::BitOr: return " | ";
  case ExpressionOp::BitXor: return " ^ ";
  default: return "";
  }
}

std::string real_text(double value) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  std::string result = text;
  bool is_plain = result.find_first_of(".einf") == std::string::npos;
  return is_plain ? result + ".0" : result;
}

std::string slot_name(std::int64_t slot, std::span<const std::string> names) {
  bool is_known = slot >= 0 && static_cast<std::uint64_t>(slot) < names.size();
  return is_known ? names[static_cast<std::size_t>(slot)] : "slot " + std::to_string(slot);
}

const char* axis_name(std::int32_t axis) { return axis == 0 ? "x" : axis == 1 ? "y" : axis == 2 ? "z" : "?"; }

// A wrap is what an operation does without saying so.
const Expression& as_written(const Expression& expression) {
  bool is_wrap = expression.op == ExpressionOp::Wrap && expression.operands.size() == 1;
  return is_wrap ? as_written(expression.operands[0]) : expression;
}

std::string operand_text(const Expression& expression, std::size_t index,
                         std::span<const std::string> names) {
  const Expression& operand = as_written(expression.operands[index]);
  std::string text = to_string(operand, names);
  int outer = precedence(expression.op), inner = precedence(operand.op);
  bool needs_brackets = inner < outer || (inner == outer && (index == 1 || outer == 4 || outer == 0));
  return needs_brackets ? "(" + text + ")" : text;
}

} // namespace

std::string to_string(const Expression& expression, std::span<const std::string> names) {
  if (expression.operands.size() != operand_count(expression.op)) return "?";
  switch (expression.op) {
  case ExpressionOp::Constant:
    if (expression.type == ExpressionType::Bool) return expression.value != 0 ? "True" : "False";
    return std::to_string(expression.value);
  case ExpressionOp::ConstantReal: return real_text(expression.real);
  case ExpressionOp::Scalar: return slot_name(expression.value, names);
  case ExpressionOp::Extent:
    return slot_name(expression.value, names) + ".shape[" + std::to_string(expression.axis) + "]";
  case ExpressionOp::Stride:
    return slot_name(expression.value, names) + ".strides[" + std::to_string(expression.axis) + "]";
  case ExpressionOp::Address: return "address(" + slot_name(expression.value, names) + ") % 16";
  case ExpressionOp::BlockDim: return std::string("blockDim.") + axis_name(expression.axis);
  case ExpressionOp::GridDim: return std::string("gridDim.") + axis_name(expression.axis);
  case ExpressionOp::SharedBytes: return "dynamic_shared_bytes";
  case ExpressionOp::Minimum:
  case ExpressionOp::Maximum:
    return (expression.op == ExpressionOp::Minimum ? "min(" : "max(") +
           to_string(expression.operands[0], names) + ", " + to_string(expression.operands[1], names) + ")";
  case ExpressionOp::Negate: return "-" + operand_text(expression, 0, names);
  case ExpressionOp::Not: return "not " + operand_text(expression, 0, names);
  case ExpressionOp::Wrap: return to_string(as_written(expression), names);
  case ExpressionOp::Select:
    return operand_text(expression, 1, names) + " if " + operand_text(expression, 0, names) + " else " +
           operand_text(expression, 2, names);
  default:
    return operand_text(expression, 0, names) + spelling(expression.op) + operand_text(expression, 1, names);
  }
}

} // namespace kern
