// Methods of texts, lists and dicts.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

// What is the same in Python and C of texts of ASCII.
static std::optional<Value> text_method(Interpreter& run, std::string_view text, std::string_view name,
                                        const std::vector<Value>& given) {
  const auto* part = given.size() == 1 ? as<values::Text>(given[0]) : nullptr;
  if (part && name == "startswith") return text.starts_with(part->text);
  if (part && name == "endswith") return text.ends_with(part->text);
  if (!given.empty() || std::ranges::any_of(text, [](char c) { return c & 0x80; })) return std::nullopt;
  std::string result(text);
  if (name == "lower") std::ranges::transform(result, result.begin(), [](char c) { return std::tolower(c); });
  if (name == "upper") std::ranges::transform(result, result.begin(), [](char c) { return std::toupper(c); });
  constexpr std::string_view blanks = " \t\n\r\v\f\x1c\x1d\x1e\x1f";
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  if (name == "strip") result = text.substr(first, text.find_last_not_of(blanks) + 1 - first);
  const bool is_known = name == "lower" || name == "upper" || name == "strip";
  return is_known ? std::optional(run.text(result)) : std::nullopt;
}

std::optional<Value> Interpreter::call_method(const Value& object, std::string_view name,
                                              const Arguments& args, Span span) {
  const std::vector<Value>& given = args.positional;
  if (const auto* string = as<values::Text>(object)) {
    if (name == "format" && args.is_whole) {
      const auto result = formatted(string->text, args);
      return result ? text(*result) : unknown(Why::NotComputed, span);
    }
    if (const auto result = text_method(*this, string->text, name, given)) return *result;
    const auto parts = name == "join" && given.size() == 1 ? iterate(given[0]) : std::nullopt;
    if (!parts) return unknown(Why::NotComputed, span);
    std::string joined;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      const auto* part = as<values::Text>((*parts)[i]);
      if (!part || joined.size() > longest_text) return unknown(Why::NotComputed, span);
      joined += (i > 0 ? std::string(string->text) : "") + std::string(part->text);
    }
    return text(joined);
  }
  if (const auto* array = as<values::Array>(object)) return array_method(*array, name, args, span);
  if (values::is_number(object)) return number_method(object, name, args);
  const auto* list = as<values::List>(object);
  const auto* dict = as<values::Dict>(object);
  const ObjectId id = list ? list->object : dict ? dict->object : ObjectId{};
  if ((!list && !dict) || !content(id).is_known) return std::nullopt;
  if (list && name == "append" && given.size() == 1) {
    append(id, given);
    return values::None{};
  }
  if (list && name == "extend" && given.size() == 1)
    if (const auto more = iterate(given[0])) {
      append(id, *more);
      return values::None{};
    }
  std::vector<Value> held(content(id).elements.begin(), content(id).elements.end());
  if (name == "copy" && given.empty()) return list ? new_list(held) : new_dict(held);
  if (list && name == "reverse") {
    std::ranges::reverse(held);
    set_elements(id, held);
    return values::None{};
  }
  if (dict && name == "get" && !given.empty()) {
    const std::optional<std::size_t> place = place_of_key(held, given[0]);
    if (place) held.push_back(values::None{}), held.push_back(given.size() > 1 ? given[1] : values::None{});
    if (place) return held[*place];
  }
  // What they return shows what the dict holds whenever it is asked.
  if (dict && (name == "keys" || name == "values" || name == "items") && given.empty()) {
    auto* view = arena.make<values::TermData>();
    view->callee = values::Path{arena.copy(std::string_view("dict." + std::string(name)))};
    view->args = arena.copy(std::vector{object});
    return values::Term{view};
  }
  if (name == "index" || name == "count") return unknown(Why::NotComputed, span);
  return std::nullopt;
}

} // namespace kern::python
