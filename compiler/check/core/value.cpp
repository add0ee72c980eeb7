// Values are made and asked here, so that no one else writes their fields by hand.
#include "compiler/check/core/value.h"

#include <algorithm>
#include <bit>

#include "compiler/support/utf8.h"

namespace kern::checker {

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value plain_value(ValueKind kind, Span span) {
  Value value;
  value.kind = kind;
  value.span = span;
  return value;
}

Value text_value(ValueKind kind, std::string_view text, Span span) {
  Value value = plain_value(kind, span);
  value.text = text;
  return value;
}

Value function_value(const FunctionSymbol* function, Span span) {
  Value value = plain_value(ValueKind::Function, span);
  value.function = function;
  return value;
}

Value file_value(FileScope* file, Span span) {
  Value value = plain_value(ValueKind::File, span);
  value.file = file;
  return value;
}

Value error_value(Span span) { return plain_value(ValueKind::Error, span); }

Value unknown_value(Span span) {
  Value value = plain_value(ValueKind::Unknown, span);
  value.type = types::unknown;
  return value;
}

Value runtime_value(ir::Operand operand, Span span) {
  if (operand.type == types::unknown) return unknown_value(span);
  Value value = plain_value(ValueKind::Runtime, span);
  value.type = operand.type;
  value.operand = operand;
  return value;
}

Value int_value(WideInt integer, Span span) {
  Value value = plain_value(ValueKind::Literal, span);
  value.type = types::int_literal;
  value.integer = integer;
  return value;
}

Value float_value(double real, Span span) {
  Value value = plain_value(ValueKind::Literal, span);
  value.type = types::float_literal;
  value.operand.bits = std::bit_cast<std::uint64_t>(real);
  return value;
}

Value complex_value(std::complex<double> number, Span span) {
  Value value = plain_value(ValueKind::Literal, span);
  value.type = types::complex_literal;
  value.operand.bits = std::bit_cast<std::uint64_t>(number.real());
  value.operand.imag = std::bit_cast<std::uint64_t>(number.imag());
  return value;
}

Value bool_value(bool value, Span span) {
  Value result = runtime_value(ir::constant_bool(value), span);
  result.is_written = true;
  return result;
}

Value tuple_value(std::vector<Value> elements, Span span) {
  Value value = plain_value(ValueKind::Tuple, span);
  value.elements = std::move(elements);
  return value;
}

Value tuple_like(Type type, Span span) {
  Value value = plain_value(ValueKind::Tuple, span);
  if (type->record) value.type = type;
  return value;
}

Value type_value(Type type, Span span) {
  Value value = plain_value(ValueKind::Type, span);
  value.type = type;
  return value;
}

static void forget_words(Value& value) {
  value.from_end = false;
  for (Value& element : value.elements) forget_words(element);
}

Value deferred_value(ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  Value value = plain_value(ValueKind::Deferred, span);
  value.type = types::float_literal;
  value.op = op;
  value.elements = {left, right};
  for (Value& element : value.elements) element.reading = 0;
  return value;
}

Value read_at(Value value, Span span) {
  forget_words(value);
  if (is_literal(value) && value.written == Span{}) value.written = value.span;
  value.span = span;
  return value;
}

bool is_number(const Value& value) {
  switch (value.kind) {
  case ValueKind::Runtime: return !is_array(value.type);
  case ValueKind::Literal:
  case ValueKind::Choice:
  case ValueKind::Deferred:
  case ValueKind::Element: return true;
  case ValueKind::Error:
  case ValueKind::Unknown:
  case ValueKind::Rows:
  case ValueKind::Table:
  case ValueKind::Record:
  case ValueKind::Tuple:
  case ValueKind::None:
  case ValueKind::String:
  case ValueKind::Ellipsis:
  case ValueKind::Type:
  case ValueKind::Function:
  case ValueKind::File:
  case ValueKind::HostClass:
  case ValueKind::Host:
  case ValueKind::Prefix:
  case ValueKind::Dict:
  case ValueKind::Builtin:
  case ValueKind::Method:
  case ValueKind::Range:
  case ValueKind::Enumerate:
  case ValueKind::Reversed:
  case ValueKind::TypeMaker:
  case ValueKind::Zip: return false;
  }
  return false;
}

bool is_array(const Value& value) {
  return value.kind == ValueKind::Runtime && is_array(value.type) && !is_record_array(value.type);
}

bool is_constant_number(const Value& value) {
  if (is_literal(value)) return true;
  return value.kind == ValueKind::Runtime && !value.operand.slot && is_scalar(value.type);
}

bool is_fixed(const Value& value) {
  return value.kind == ValueKind::Runtime && !value.operand.slot && value.type == types::boolean &&
         value.is_written;
}

bool is_constant(const Value& value) {
  if (value.kind == ValueKind::Runtime || value.kind == ValueKind::Literal) return is_constant_number(value);
  if (value.kind == ValueKind::Unknown || value.kind == ValueKind::Choice ||
      value.kind == ValueKind::Deferred || value.kind == ValueKind::Element ||
      value.kind == ValueKind::Rows || value.kind == ValueKind::Record)
    return false;
  return std::all_of(value.elements.begin(), value.elements.end(), is_constant);
}

bool is_storable(const Value& value) {
  if (is_tuple(value)) return std::all_of(value.elements.begin(), value.elements.end(), is_storable);
  return value.kind == ValueKind::Unknown || value.kind == ValueKind::Runtime || is_number(value);
}

bool has_unknown(const Value& value) {
  return is_unknown(value) || std::any_of(value.elements.begin(), value.elements.end(), has_unknown);
}

std::size_t leaf_count(const Value& value) {
  if (!is_tuple(value) || value.elements.empty()) return 1;
  std::size_t count = 0;
  for (const Value& element : value.elements) count += leaf_count(element);
  return count;
}

std::size_t tuple_depth(const Value& value) {
  if (!is_tuple(value)) return 0;
  std::size_t deepest = 0;
  for (const Value& element : value.elements) deepest = std::max(deepest, tuple_depth(element));
  return deepest + 1;
}

bool same_constant(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.type != b.type || a.elements.size() != b.elements.size()) return false;
  if (a.integer != b.integer || !(a.operand == b.operand) || a.text != b.text || a.builtin != b.builtin)
    return false;
  if (a.function != b.function || a.file != b.file || a.table != b.table) return false;
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), same_constant);
}

std::optional<WideInt> constant_integer(const Value& value) {
  if (is_int_literal(value)) return value.integer;
  if (!is_constant_number(value) || is_literal(value)) return std::nullopt;
  if (is_boolean(value.type)) return value.operand.bits;
  if (!is_integer(value.type)) return std::nullopt;
  if (is_signed(value.type)) return static_cast<std::int64_t>(value.operand.bits);
  return value.operand.bits;
}

std::uint64_t greatest_bits(Type type) { return static_cast<std::uint64_t>(greatest_value(type->scalar)); }

std::uint64_t most_bits(const Value& value) {
  if (std::optional<WideInt> constant = constant_integer(value))
    return *constant > WideInt(any_bits) ? any_bits : static_cast<std::uint64_t>(*constant);
  if (value.kind == ValueKind::Choice)
    return std::max(most_bits(value.elements[0]), most_bits(value.elements[1]));
  if (value.kind == ValueKind::Runtime && value.type == types::int_literal) return value.most;
  if (value.kind != ValueKind::Runtime || !is_scalar(value.type)) return any_bits;
  if (is_boolean(value.type)) return 1;
  if (!is_integer(value.type)) return any_bits;
  return !is_signed(value.type) ? std::min(value.most, greatest_bits(value.type)) : value.most;
}

std::uint64_t most_bits_as(const Value& value, Type type) {
  if (!is_scalar(type) || !is_integer(type)) return any_bits;
  std::uint64_t most = most_bits(value);
  bool keeps_bits = bit_width(type->scalar) == 64 || most <= greatest_bits(type);
  return keeps_bits ? most : any_bits;
}

bool has_opposite(const Value& value) {
  std::optional<WideInt> constant = constant_integer(value);
  if (constant) return *constant > least_value(ScalarKind::I64);
  bool is_narrow = is_scalar(value.type) && is_integer(value.type) && bit_width(value.type->scalar) < 64;
  return is_narrow || is_nonnegative(value);
}

std::optional<double> constant_real(const Value& value) {
  if (std::optional<WideInt> integer = constant_integer(value)) return static_cast<double>(*integer);
  if (is_complex_literal(value)) return std::nullopt;
  if (is_literal(value)) return value.real();
  if (is_constant_number(value) && is_float(value.type)) return std::bit_cast<double>(value.operand.bits);
  return std::nullopt;
}

std::optional<std::complex<double>> constant_complex(const Value& value) {
  if (is_complex_literal(value)) return std::complex(value.real(), value.imaginary());
  if (std::optional<double> real = constant_real(value)) return std::complex(*real, 0.0);
  if (!is_constant_number(value) || !is_complex(value.type)) return std::nullopt;
  return std::complex(std::bit_cast<double>(value.operand.bits), std::bit_cast<double>(value.operand.imag));
}

std::optional<std::uint32_t> only_character(const Value& value) {
  if (value.kind != ValueKind::String || value.text.empty()) return std::nullopt;
  CodePoint first = decode_utf8(value.text);
  bool is_one = first.valid && first.length == value.text.size();
  return is_one ? std::optional<std::uint32_t>(first.value) : std::nullopt;
}

} // namespace kern::checker
