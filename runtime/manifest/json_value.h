// JSON that was read, or is to be written. Unlike those of nlohmann::json its destructors take no memory, so that a program which has none left
// gets an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kern {

struct JsonValue {
  enum class Kind : std::uint8_t { Null, Boolean, Unsigned, Negative, Real, Text, List, Object };
  // Returns a member of an object, the last one of that name; null where there is none.
  const JsonValue* find(std::string_view name) const {
    for (std::size_t i = items.size(); kind == Kind::Object && i-- > 0;)
      if (names[i] == name) return &items[i];
    return nullptr;
  }

  Kind kind = Kind::Null;
  bool boolean = false;
  std::uint64_t number = 0; // of Negative, its bits
  std::string text = {};
  std::vector<JsonValue> items = {};   // of a list or an object,
  std::vector<std::string> names = {}; // and their names
};

// Parses a text; nothing where it is no JSON, or is nested deeper than anything that is meant.
std::optional<JsonValue> parse_json(std::string_view text);

} // namespace kern
