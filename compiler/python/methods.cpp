// Methods of texts, lists and dicts.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

std::optional<Value> Interpreter::call_method(const Value& object, std::string_view name,
                                              const Arguments& args, Span span) {
  const std::vector<Value>& given = args.positional;
  if (const auto* string = as<values::Text>(object)) {
    if (name == "format" && args.is_whole) {
      const auto result = formatted(string->text, args);
      return result ? text(*result) : unknown(Why::NotComputed, span);
    }
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
  const auto* array = as<values::Array>(object);
  if (array && (name == "resize" || name.starts_with("__"))) forget(array->object, span, /*has_forms=*/false);
  if (array) return array_method(*array, name, args, span);
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
    return place && *place < held.size() ? held[*place] : unknown(Why::NotComputed, span);
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
