// Fields keep the order of json.h and nothing depends on a map's, so equal manifests are equal text.
#include <nlohmann/json.hpp>

#include "runtime/manifest/json.h"
#include "runtime/manifest/json_value.h"

namespace kern {

using Kind = JsonValue::Kind;

static JsonValue value_of(const Expression& expression);
static JsonValue value_of(std::string_view text) { return {.kind = Kind::Text, .text = std::string(text)}; }
static JsonValue value_of(const std::string& text) { return value_of(std::string_view(text)); }
static JsonValue value_of(bool value) { return {.kind = Kind::Boolean, .boolean = value}; }
static JsonValue value_of(std::uint64_t value) { return {.kind = Kind::Unsigned, .number = value}; }
static JsonValue value_of(std::uint32_t value) { return value_of(std::uint64_t(value)); }
static JsonValue value_of(std::int64_t value) {
  return {.kind = value < 0 ? Kind::Negative : Kind::Unsigned, .number = static_cast<std::uint64_t>(value)};
}
static JsonValue value_of(std::int32_t value) { return value_of(std::int64_t(value)); }

static void add(JsonValue& object, const char* name, JsonValue value) {
  object.names.emplace_back(name);
  object.items.push_back(std::move(value));
}

template <class T> static JsonValue value_of(const T& value);
template <class T> static JsonValue list_of(const T& values) {
  JsonValue list{.kind = Kind::List};
  for (const auto& value : values) list.items.push_back(value_of(value));
  return list;
}
template <class T> static JsonValue value_of(const std::vector<T>& values) { return list_of(values); }
template <class T> static JsonValue value_of(const std::array<T, 3>& values) { return list_of(values); }
template <class T> static JsonValue value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : JsonValue();
}

template <class T> static JsonValue value_of(const T& value) {
  JsonValue object{.kind = Kind::Object};
  auto visit = [&](const char* name, const auto& field) { add(object, name, value_of(field)); };
  fields(visit, value, &value);
  return object;
}

static std::string_view type_word(const Expression& expression) {
  return expression_types[static_cast<std::size_t>(expression.type)];
}

static JsonValue value_of(const Expression& expression) {
  JsonValue object{.kind = Kind::Object};
  add(object, "op", value_of(expression_ops[static_cast<std::size_t>(expression.op)]));
  switch (expression.op) {
  case ExpressionOp::Constant: add(object, "value", value_of(expression.value)); break;
  // Text: JSON has no infinity, and a double must come back bit by bit.
  case ExpressionOp::ConstantReal: {
    char text[32];
    std::snprintf(text, sizeof text, "%a", expression.real);
    add(object, "value", value_of(std::string_view(text)));
    break;
  }
  case ExpressionOp::Scalar:
    add(object, "slot", value_of(expression.value));
    add(object, "type", value_of(type_word(expression)));
    break;
  case ExpressionOp::Extent:
  case ExpressionOp::Stride:
    add(object, "slot", value_of(expression.value));
    add(object, "axis", value_of(expression.axis));
    add(object, "rank", value_of(expression.rank));
    break;
  case ExpressionOp::Address: add(object, "slot", value_of(expression.value)); break;
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim: add(object, "axis", value_of(expression.axis)); break;
  case ExpressionOp::SharedBytes: break;
  case ExpressionOp::Add:
  case ExpressionOp::Subtract:
  case ExpressionOp::Multiply:
  case ExpressionOp::FloorDivide:
  case ExpressionOp::Modulo:
  case ExpressionOp::Minimum:
  case ExpressionOp::Maximum:
  case ExpressionOp::Negate:
  case ExpressionOp::Equal:
  case ExpressionOp::NotEqual:
  case ExpressionOp::Less:
  case ExpressionOp::LessEqual:
  case ExpressionOp::Greater:
  case ExpressionOp::GreaterEqual:
  case ExpressionOp::And:
  case ExpressionOp::Or:
  case ExpressionOp::Not:
  case ExpressionOp::BitAnd:
  case ExpressionOp::BitOr:
  case ExpressionOp::BitXor:
  case ExpressionOp::Select:
    if (has_sign(expression.op) && expression.type == ExpressionType::U64)
      add(object, "type", value_of(type_word(expression)));
    add(object, "operands", list_of(expression.operands));
    break;
  case ExpressionOp::Wrap:
    add(object, "type", value_of(type_word(expression)));
    add(object, "operands", list_of(expression.operands));
    break;
  }
  return object;
}

// Bytes of a source that are no UTF-8 are replaced: a manifest is always readable.
static void print_text(std::string& out, const std::string& text) {
  using Text = nlohmann::json; // of one text only: lists and objects of it take memory when they go
  out += Text(text).dump(-1, ' ', false, Text::error_handler_t::replace);
}

// Prints a value with one blank for each level that it is nested.
static void print(std::string& out, const JsonValue& value, std::size_t depth) {
  const bool is_object = value.kind == Kind::Object;
  switch (value.kind) {
  case Kind::Null: out += "null"; return;
  case Kind::Boolean: out += value.boolean ? "true" : "false"; return;
  case Kind::Unsigned: out += std::to_string(value.number); return;
  case Kind::Negative: out += std::to_string(static_cast<std::int64_t>(value.number)); return;
  case Kind::Text: print_text(out, value.text); return;
  case Kind::Real: return; // a manifest writes them as text
  case Kind::List:
  case Kind::Object: break;
  }
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    out += i > 0 ? ",\n" : "\n";
    out.append(depth + 1, ' ');
    if (is_object) {
      print_text(out, value.names[i]);
      out += ": ";
    }
    print(out, value.items[i], depth + 1);
  }
  if (!value.items.empty()) out.append("\n").append(depth, ' ');
  out += is_object ? '}' : ']';
}

std::string to_json(const Manifest& manifest) {
  JsonValue object{.kind = Kind::Object};
  add(object, "kern_manifest", value_of(std::uint64_t(manifest_version)));
  auto visit = [&](const char* name, const auto& field) { add(object, name, value_of(field)); };
  fields(visit, manifest, &manifest);
  std::string text;
  print(text, object, 0);
  return text + "\n";
}

} // namespace kern
