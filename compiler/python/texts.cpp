// Texts that are made of values: `+`, `%`, format. How wide or with which digits something is written is not asked for.
#include "compiler/python/interpreter.h"
#include "compiler/types/names.h"

namespace kern::python {

using values::as;

std::optional<ScalarKind> scalar_named(const Value& value) {
  const std::string_view path = path_name(value);
  return find_numba_scalar(path.substr(path.rfind('.') + 1));
}

// Returns what `str(value)` is, and of a type its name in a signature; nothing of a value that has another form.
std::optional<std::string> text_of(const Value& value) {
  if (const auto* string = as<values::Text>(value)) return std::string(string->text);
  if (as<values::None>(value) || as<WideInt>(value)) return values::print(value);
  if (const auto* truth = as<bool>(value)) return *truth ? "True" : "False";
  const std::optional<ScalarKind> scalar = scalar_named(value);
  return scalar ? std::optional(std::string(long_name_of(*scalar))) : std::nullopt;
}

// Returns the value that a field names: "" the next one, a number, or a keyword; null where there is none.
static const Value* field_value(std::string_view field, const Interpreter::Arguments& args,
                                std::size_t& next) {
  if (field.empty()) return next < args.positional.size() ? &args.positional[next++] : nullptr;
  for (const values::NamedValue& each : args.keywords)
    if (each.name == field) return &each.value;
  std::size_t index = 0;
  for (char c : field) {
    if (c < '0' || c > '9' || index > args.positional.size()) return nullptr;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < args.positional.size() ? &args.positional[index] : nullptr;
}

std::optional<std::string> formatted(std::string_view text, const Interpreter::Arguments& args) {
  std::string result;
  std::size_t next = 0;
  while (!text.empty()) {
    const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
    result += text.substr(0, brace);
    text.remove_prefix(brace);
    if (text.empty()) break;
    if (text.size() > 1 && text[1] == text[0]) {
      result += text[0];
      text.remove_prefix(2);
      continue;
    }
    const std::size_t end = text.find('}');
    const Value* value =
        text[0] == '{' && end != text.npos ? field_value(text.substr(1, end - 1), args, next) : nullptr;
    const std::optional<std::string> part = value ? text_of(*value) : std::nullopt;
    if (!part || result.size() > longest_text) return std::nullopt;
    result += *part;
    text.remove_prefix(end + 1);
  }
  return result;
}

// "%s and %d" % (a, b)
std::optional<std::string> percent(std::string_view format, const Value& value) {
  const auto* tuple = as<values::Tuple>(value);
  const std::span<const Value> all = tuple ? tuple->elements : std::span(&value, 1);
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    const char kind = ++i < format.size() ? format[i] : '\0';
    if (kind == '%') {
      result += '%';
      continue;
    }
    const bool is_field = kind == 's' || kind == 'd' || kind == 'i';
    if (!is_field || next == all.size()) return std::nullopt;
    const Value& each = all[next++];
    const std::optional<WideInt> integer = values::integer_of(each);
    if (kind != 's' && !integer) return std::nullopt;
    const std::optional<std::string> part = kind == 's' ? text_of(each) : text_of(*integer);
    if (!part || result.size() > longest_text) return std::nullopt;
    result += *part;
  }
  return next == all.size() ? std::optional(result) : std::nullopt;
}

} // namespace kern::python
