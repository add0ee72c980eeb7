// Methods of texts, lists and dicts.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

static std::optional<std::string> formatted(std::string_view format, const Interpreter::Arguments& args) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool doubled = i + 1 < format.size() && format[i + 1] == format[i];
    if ((format[i] == '{' || format[i] == '}') && doubled)
      result += format[i++];
    else if (format[i] == '{') {
      const std::size_t end = format.find('}', i);
      if (end == format.npos) return std::nullopt;
      const std::string_view field = format.substr(i + 1, end - i - 1);
      const Value* value = nullptr;
      std::size_t index = next;
      const bool is_number =
          !field.empty() && field.find_first_not_of("0123456789") == field.npos && field.size() < 3;
      if (is_number) index = static_cast<std::size_t>(std::stoul(std::string(field)));
      if (field.empty()) ++next;
      if ((field.empty() || is_number) && index < args.positional.size()) value = &args.positional[index];
      for (const values::NamedValue& each : args.keywords)
        if (each.name == field) value = &each.value;
      if (!value) return std::nullopt;
      if (const auto* inner = as<values::Text>(*value))
        result += inner->text;
      else if (as<WideInt>(*value))
        result += values::print(*value);
      else
        return std::nullopt;
      i = end;
    } else {
      result += format[i];
    }
  }
  return result;
}

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
      if (!part) return unknown(Why::NotComputed, span);
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
  std::vector<Value> held(content(id).elements.begin(), content(id).elements.end());
  auto keep = [&] {
    Content changed;
    changed.elements = arena.copy(held);
    set_content(id, changed);
    return Value(values::None{});
  };
  if (name == "copy" && given.empty()) return list ? new_list(held) : new_dict(held);
  if (list && name == "append" && given.size() == 1) {
    held.push_back(given[0]);
    return keep();
  }
  if (list && name == "extend" && given.size() == 1)
    if (const auto more = iterate(given[0])) {
      held.insert(held.end(), more->begin(), more->end());
      return keep();
    }
  if (list && name == "reverse") {
    std::ranges::reverse(held);
    return keep();
  }
  if (dict && name == "get" && !given.empty()) {
    for (std::size_t i = 0; i < held.size(); i += 2)
      if (values::compare(ast::CompareOp::Equal, held[i], given[0]) == true) return held[i + 1];
    return unknown(Why::NotComputed, span);
  }
  if (dict && (name == "keys" || name == "values" || name == "items") && given.empty()) {
    std::vector<Value> parts;
    for (std::size_t i = 0; i < held.size(); i += 2)
      parts.push_back(name == "keys"     ? held[i]
                      : name == "values" ? held[i + 1]
                                         : tuple({held[i], held[i + 1]}));
    return tuple(parts);
  }
  if (name == "index" || name == "count") return unknown(Why::NotComputed, span);
  return std::nullopt;
}

} // namespace kern::python
