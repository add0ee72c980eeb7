// A manifest may come from a file that anybody made: every type, every count and every index is tested here,
// so that whoever uses one need not. Fields that are not known are skipped, so that they can be added.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "runtime/manifest/json.h"
#include "runtime/manifest/json_value.h"

namespace kern {

namespace {

using Json = JsonValue;
using Kind = JsonValue::Kind;

constexpr int deepest_expression = 500;
constexpr std::uint32_t most_rank = 8;

class Reader {
public:
  std::string error;

  void read(const Json& json, std::string& value) {
    if (json.kind == Kind::Text)
      value = json.text;
    else
      fail("text");
  }
  void read(const Json& json, bool& value) {
    if (json.kind == Kind::Boolean)
      value = json.boolean;
    else
      fail("true or false");
  }
  void read(const Json& json, std::uint64_t& value) {
    if (json.kind == Kind::Unsigned)
      value = json.number;
    else
      fail("a number that is not negative");
  }
  void read(const Json& json, std::uint32_t& value) {
    std::uint64_t wide = 0;
    read(json, wide);
    if (wide > UINT32_MAX) fail("a number of 32 bits");
    value = static_cast<std::uint32_t>(wide);
  }
  template <class T> void read(const Json& json, std::vector<T>& values) {
    if (json.kind != Kind::List) return fail("a list");
    for (const Json& item : json.items) read(item, values.emplace_back());
  }
  template <class T> void read(const Json& json, std::array<T, 3>& values) {
    if (json.kind != Kind::List || json.items.size() != values.size()) return fail("a list of three");
    for (std::size_t i = 0; i < values.size(); ++i) read(json.items[i], values[i]);
  }
  template <class T> void read(const Json& json, std::optional<T>& value) {
    if (json.kind != Kind::Null) read(json, value.emplace());
  }
  void read(const Json& json, Expression& expression) {
    if (++depth_ > deepest_expression) fail("a smaller expression");
    if (error.empty()) read_expression(json, expression);
    --depth_;
  }
  template <class T> void read(const Json& json, T& value) {
    if (json.kind != Kind::Object) return fail("an object");
    auto visit = [&](const char* name, auto& field) { member(json, name, field); };
    fields(visit, value, &value);
  }
  template <class T> void member(const Json& json, const char* name, T& field) {
    if (!error.empty()) return;
    const Json* found = json.find(name);
    std::string outer = std::exchange(where_, where_ + "/" + name);
    if (found)
      read(*found, field);
    else if (!may_lack(field))
      fail("a value");
    where_ = outer;
  }
  void fail(const char* wanted) {
    if (error.empty()) error = "the manifest is damaged at " + where_ + ": " + wanted + " is expected";
  }

private:
  // Says whether a manifest may leave a field out: those that were added since the first objects of its
  // version.
  template <class T> static bool may_lack(const T&) { return false; }
  template <class T> static bool may_lack(const std::optional<T>&) { return true; }

  template <std::size_t N>
  std::size_t index(const Json& json, const char* name, const std::string_view (&words)[N]) {
    std::string word;
    member(json, name, word);
    for (std::size_t i = 0; i < N; ++i)
      if (words[i] == word) return i;
    fail("a known word");
    return 0;
  }

  void small(const Json& json, const char* name, std::int32_t& value, std::uint32_t limit) {
    std::uint32_t number = 0;
    member(json, name, number);
    if (number > limit) fail("a smaller number");
    value = static_cast<std::int32_t>(number);
  }

  void slot(const Json& json, Expression& expression) {
    std::uint32_t number = 0;
    member(json, "slot", number);
    expression.value = number;
  }

  void type(const Json& json, Expression& expression) {
    expression.type = static_cast<ExpressionType>(index(json, "type", expression_types));
  }

  void operands(const Json& json, Expression& expression) {
    member(json, "operands", expression.operands);
    if (expression.operands.size() != operand_count(expression.op)) fail("another number of operands");
  }

  void read_expression(const Json& json, Expression& expression) {
    if (json.kind != Kind::Object) return fail("an object");
    expression.op = static_cast<ExpressionOp>(index(json, "op", expression_ops));
    if (!error.empty()) return;
    switch (expression.op) {
    case ExpressionOp::Constant: {
      const Json* found = json.find("value");
      if (!found || (found->kind != Kind::Unsigned && found->kind != Kind::Negative))
        return fail("a whole number");
      expression.value = static_cast<std::int64_t>(found->number);
      return;
    }
    case ExpressionOp::ConstantReal: {
      std::string text;
      member(json, "value", text);
      expression.real = std::strtod(text.c_str(), nullptr);
      return;
    }
    case ExpressionOp::Scalar: slot(json, expression); return type(json, expression);
    case ExpressionOp::Extent:
    case ExpressionOp::Stride:
      slot(json, expression);
      small(json, "rank", expression.rank, most_rank);
      return small(json, "axis", expression.axis,
                   static_cast<std::uint32_t>(std::max(expression.rank, 1) - 1));
    case ExpressionOp::Address: return slot(json, expression);
    case ExpressionOp::BlockDim:
    case ExpressionOp::GridDim: return small(json, "axis", expression.axis, 2);
    case ExpressionOp::SharedBytes: return;
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
      if (json.find("type")) {
        type(json, expression);
        if (!has_sign(expression.op) || expression.type != ExpressionType::U64) fail("no type, or `u64`");
      }
      return operands(json, expression);
    case ExpressionOp::Wrap:
      type(json, expression);
      if (expression.type >= ExpressionType::F32) fail("an integer type");
      return operands(json, expression);
    }
  }

  std::string where_;
  int depth_ = 0;
};

// Returns the bytes of an element; 0 of no type.
std::uint64_t element_bytes(std::string_view type) {
  if (type == "bool") return 1;
  if (type == "bf16") return 2;
  std::uint64_t bits = 0;
  const char* const end = type.data() + type.size();
  const bool is_known = type.size() > 1 && std::from_chars(type.data() + 1, end, bits).ptr == end;
  return is_known ? bits / 8 : 0;
}

// Says what is wrong with the records that a kernel takes; "" where they are there and consist of the words of their arrays.
std::string wrong_records(const Manifest& manifest, const ManifestKernel& kernel) {
  if (!kernel.record_params) return "";
  for (const ManifestRecordParam& each : *kernel.record_params) {
    if (each.first >= kernel.params.size())
      return "the manifest has records at a parameter that kernel `" + kernel.name + "` does not have";
    const ManifestParam& param = kernel.params[each.first];
    if (param.rank == 0) continue;
    const ManifestRecord* record = record_of(manifest, kernel, each.first);
    const std::uint64_t bytes = element_bytes(param.type);
    if (!record || record->size == 0 || bytes == 0 || record->size % bytes != 0)
      return "the manifest's parameter `" + param.name + "` has no record `" + each.record +
             "` of such words";
  }
  return "";
}

// Says which index or slot is not there, though the text has the right shape; "" where all are.
std::string inconsistency(const Manifest& manifest) {
  for (const ManifestPrint& print : manifest.prints)
    if (print.site >= manifest.sites.size()) return "the manifest prints at a site that it does not have";
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestParam& param : kernel.params) {
      std::uint32_t slots = param.rank > 0 ? 1 + 2 * param.rank : param.type == "c128" ? 2 : 1;
      if (param.rank > most_rank || param.slot >= kernel.slots || kernel.slots - param.slot <= slots)
        return "the manifest's parameter `" + param.name + "` lies outside of its parameter block";
    }
  for (const ManifestKernel& kernel : manifest.kernels)
    if (std::string wrong = wrong_records(manifest, kernel); !wrong.empty()) return wrong;
  return "";
}

} // namespace

const ManifestRecord* record_of(const Manifest& manifest, const ManifestKernel& kernel, std::size_t param) {
  if (!kernel.record_params || kernel.params[param].rank == 0) return nullptr;
  for (const ManifestRecordParam& each : *kernel.record_params) {
    if (each.first != param || !manifest.records) continue;
    for (const ManifestRecord& record : *manifest.records)
      if (record.name == each.record) return &record;
  }
  return nullptr;
}

std::optional<Manifest> parse_manifest(std::string_view json, std::string& error) {
  const Json parsed = parse_json(json).value_or(Json());
  Manifest manifest;
  Reader reader;
  std::uint32_t version = 0;
  if (parsed.kind != Kind::Object) reader.error = "the manifest is no JSON object";
  reader.member(parsed, "kern_manifest", version);
  if (reader.error.empty() && version != manifest_version)
    reader.error = "the manifest is of version " + std::to_string(version) +
                   ", and this runtime reads version " + std::to_string(manifest_version);
  if (reader.error.empty()) reader.read(parsed, manifest);
  if (reader.error.empty()) reader.error = inconsistency(manifest);
  error = reader.error;
  if (!error.empty()) return std::nullopt;
  return manifest;
}

} // namespace kern
