// Parses JSON by nlohmann's events, without its values: their destructors take memory. Nesting is limited, so
// that no text overflows the stack.
#include "runtime/manifest/json_value.h"

#include <nlohmann/json.hpp>

namespace kern {

namespace {

using Kind = JsonValue::Kind;
constexpr std::size_t most_levels = 4000;

// Is told of the parts of a text, in its order; false ends the parser.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
public:
  bool null() override { return add({}); }
  bool boolean(bool value) override { return add({.kind = Kind::Boolean, .boolean = value}); }
  bool number_integer(number_integer_t value) override {
    return add(
        {.kind = value < 0 ? Kind::Negative : Kind::Unsigned, .number = static_cast<std::uint64_t>(value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add({.kind = Kind::Unsigned, .number = value});
  }
  bool number_float(number_float_t, const string_t&) override { return add({.kind = Kind::Real}); }
  bool string(string_t& value) override { return add({.kind = Kind::Text, .text = std::move(value)}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open({.kind = Kind::Object}); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open({.kind = Kind::List}); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    name_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  JsonValue top;

private:
  bool add(JsonValue value) {
    if (open_.empty()) {
      top = std::move(value);
      return true;
    }
    JsonValue& outer = *open_.back();
    if (outer.kind == Kind::Object) outer.names.push_back(std::move(name_));
    outer.items.push_back(std::move(value));
    return true;
  }
  bool open(JsonValue value) {
    if (open_.size() == most_levels) return false;
    add(std::move(value));
    // It stays where it is until it is closed: only the innermost open value grows.
    open_.push_back(open_.empty() ? &top : &open_.back()->items.back());
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  std::vector<JsonValue*> open_;
  std::string name_;
};

} // namespace

std::optional<JsonValue> parse_json(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text, &builder)) return std::nullopt;
  return std::move(builder.top);
}

} // namespace kern
