// Fields keep the order of json.h and nothing depends on a map's, so equal manifests are equal text.
#include <nlohmann/json.hpp>

#include "runtime/manifest/json.h"

namespace kern {

using Json = nlohmann::ordered_json;

static Json value_of(const Expression& expression);
static Json value_of(const std::string& text) { return text; }
static Json value_of(bool value) { return value; }
static Json value_of(std::uint32_t value) { return value; }
static Json value_of(std::uint64_t value) { return value; }

template <class T> static Json value_of(const T& value);
template <class T> static Json list_of(const T& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value_of(value));
  return list;
}
template <class T> static Json value_of(const std::vector<T>& values) { return list_of(values); }
template <class T> static Json value_of(const std::array<T, 3>& values) { return list_of(values); }
template <class T> static Json value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : Json(nullptr);
}

template <class T> static Json value_of(const T& value) {
  Json object = Json::object();
  auto visit = [&](const char* name, const auto& field) { object[name] = value_of(field); };
  fields(visit, value, &value);
  return object;
}

static std::string_view type_word(const Expression& expression) {
  return expression_types[static_cast<std::size_t>(expression.type)];
}

static Json value_of(const Expression& expression) {
  Json object = Json::object();
  object["op"] = expression_ops[static_cast<std::size_t>(expression.op)];
  switch (expression.op) {
  case ExpressionOp::Constant: object["value"] = expression.value; break;
  // Text: JSON has no infinity, and a double must come back bit by bit.
  case ExpressionOp::ConstantReal: {
    char text[32];
    std::snprintf(text, sizeof text, "%a", expression.real);
    object["value"] = text;
    break;
  }
  case ExpressionOp::Scalar:
    object["slot"] = expression.value;
    object["type"] = type_word(expression);
    break;
  case ExpressionOp::Extent:
  case ExpressionOp::Stride:
    object["slot"] = expression.value;
    object["axis"] = expression.axis;
    object["rank"] = expression.rank;
    break;
  case ExpressionOp::Address: object["slot"] = expression.value; break;
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim: object["axis"] = expression.axis; break;
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
      object["type"] = type_word(expression);
    object["operands"] = list_of(expression.operands);
    break;
  case ExpressionOp::Wrap:
    object["type"] = type_word(expression);
    object["operands"] = list_of(expression.operands);
    break;
  }
  return object;
}

std::string to_json(const Manifest& manifest) {
  Json object = Json::object();
  object["kern_manifest"] = manifest_version;
  auto visit = [&](const char* name, const auto& field) { object[name] = value_of(field); };
  fields(visit, manifest, &manifest);
  // Bytes of a source that are no UTF-8 are replaced: a manifest is always readable.
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace kern
