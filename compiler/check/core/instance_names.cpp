// The arguments of an instance as text: its key, which tells instances apart, and its symbol.
#include "compiler/check/core/instance_names.h"

namespace kern::checker {

static void add_key(std::string& key, const Value& value) {
  switch (value.kind) {
  case ValueKind::Runtime:
    key += is_fixed(value) ? fmt::format("={}", value.operand.bits != 0) : to_string(value.type);
    break;
  case ValueKind::Literal:
    key += is_int_literal(value)       ? fmt::format("={}", std::int64_t(value.integer))
           : is_complex_literal(value) ? fmt::format("={:a}+{:a}j", value.real(), value.imaginary())
                                       : fmt::format("={:a}", value.real());
    break;
  case ValueKind::Tuple:
    if (is_tuple(value.type)) key += value.type->record->name;
    key += "(";
    for (const Value& element : value.elements) add_key(key, element);
    key += ")";
    break;
  case ValueKind::Function: key += fmt::format("@{}", static_cast<const void*>(value.function)); break;
  case ValueKind::Table: key += fmt::format("@{}", static_cast<const void*>(value.table)); break;
  case ValueKind::Type: key += "type " + to_string(value.type); break;
  case ValueKind::String:
  case ValueKind::Prefix:
  case ValueKind::Method:
  case ValueKind::Host:
    for (const Value& element : value.elements) add_key(key, element);
    key += fmt::format("{}'{}'", static_cast<int>(value.kind), value.text);
    break;
  case ValueKind::Builtin: key += row(value.builtin).identifier; break;
  case ValueKind::HostClass: key += fmt::format("class {}", std::int64_t(value.integer)); break;
  case ValueKind::File: key += fmt::format("@{}", static_cast<const void*>(value.file)); break;
  case ValueKind::Error:
  case ValueKind::Unknown:
  case ValueKind::Choice:
  case ValueKind::Deferred:
  case ValueKind::Element:
  case ValueKind::Rows:
  case ValueKind::Record:
  case ValueKind::None:
  case ValueKind::Dict:
  case ValueKind::Ellipsis:
  case ValueKind::Range:
  case ValueKind::Enumerate:
  case ValueKind::Reversed:
  case ValueKind::TypeMaker:
  case ValueKind::Zip:
    key += fmt::format("<{}", static_cast<int>(value.kind));
    for (const Value& element : value.elements) add_key(key, element);
    break;
  }
  key += ",";
}

std::string key_of(std::span<const Value> args) {
  std::string key;
  for (const Value& value : args) add_key(key, value);
  return key;
}

static std::string symbol_part(const Value& value) {
  switch (value.kind) {
  case ValueKind::Runtime:
    if (is_fixed(value)) return value.operand.bits != 0 ? "True" : "False";
    return mangle(value.type);
  case ValueKind::Literal:
    return is_int_literal(value)       ? fmt::format("{}", std::int64_t(value.integer))
           : is_complex_literal(value) ? fmt::format("{}_{}j", value.real(), value.imaginary())
                                       : fmt::format("{}", value.real());
  case ValueKind::Function: return std::string(value.function->def->name);
  case ValueKind::Tuple: {
    if (is_record(value.type)) return mangle(value.type);
    std::string text = is_tuple(value.type) ? value.type->record->name : "";
    for (const Value& element : value.elements) text += (text.empty() ? "" : "_") + symbol_part(element);
    return text;
  }
  case ValueKind::Type: return mangle(value.type);
  case ValueKind::Builtin: return std::string(row(value.builtin).identifier);
  case ValueKind::Error:
  case ValueKind::Unknown:
  case ValueKind::Choice:
  case ValueKind::Deferred:
  case ValueKind::Element:
  case ValueKind::Rows:
  case ValueKind::Table:
  case ValueKind::Record:
  case ValueKind::None:
  case ValueKind::String:
  case ValueKind::Ellipsis:
  case ValueKind::File:
  case ValueKind::HostClass:
  case ValueKind::Host:
  case ValueKind::Prefix:
  case ValueKind::Method:
  case ValueKind::Dict:
  case ValueKind::Range:
  case ValueKind::Enumerate:
  case ValueKind::Reversed:
  case ValueKind::TypeMaker:
  case ValueKind::Zip: return "x";
  }
  return "x";
}

// Writes the bytes that a symbol may not hold as `$` and two hex digits.
static std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    result += plain ? std::string(1, c) : fmt::format("${:02x}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string instance_symbol(const Instance& instance) {
  std::string symbol = escaped(instance.function->def->name);
  for (const Value& value : instance.args) symbol += "$" + escaped(symbol_part(value));
  return symbol;
}

} // namespace kern::checker
