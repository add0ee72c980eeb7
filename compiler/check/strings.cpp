// Only what stands for itself is put into a string: strings, integers, truth values and types, whose name is a type in
// a signature. How wide or with which digits something is written is not asked for.
#include "compiler/check/strings.h"

#include <algorithm>

#include "compiler/diagnostics/types.h"
#include "compiler/types/names.h"

namespace kern::checker {

namespace {

// A string that is added to itself again and again must end.
constexpr std::size_t longest = 1 << 16;

Value string_value(Checker& checker, const std::string& text, Span span) {
  if (text.size() > longest) {
    checker.report(span, diag::not_constant, checker.context.source(span))
        .note("a string has at most {} bytes here", longest);
    return error_value(span);
  }
  return text_value(ValueKind::String, checker.context.program.arena->copy(std::string_view(text)), span);
}

// Returns what str(value) is; nothing of a value that has another form.
std::optional<std::string> text_of(const Value& value) {
  if (value.kind == ValueKind::String) return std::string(value.text);
  if (value.kind == ValueKind::None) return "None";
  if (value.kind == ValueKind::Type && is_scalar(value.type))
    return std::string(long_name_of(value.type->scalar));
  if (std::optional<WideInt> integer = constant_integer(value)) {
    if (is_boolean(value.type)) return *integer != 0 ? "True" : "False";
    return fmt::format("{}", *integer);
  }
  return std::nullopt;
}

bool is_text(const Value& value) { return value.kind == ValueKind::String || value.kind == ValueKind::Type; }

Value unknown_text(Checker& checker, const Value& value) {
  checker.report(value.span, diag::not_constant, checker.context.source(value.span))
      .note("a string is made of strings, integers and types of numbers");
  return error_value(value.span);
}

Value wrong_format(Checker& checker, Span span) {
  checker.report(span, diag::not_constant, checker.context.source(span))
      .note("a string is formatted by fields without a width: `{{}}`, `{{0}}`, `{{name}}`, `%s`, `%d`");
  return error_value(span);
}

// "%s and %d" % (a, b)
Value percent(Checker& checker, const Value& format, const Value& values, Span span) {
  const std::span<const Value> all =
      is_tuple(values) ? std::span<const Value>(values.elements) : std::span(&values, 1);
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.text.size(); ++i) {
    if (format.text[i] != '%') {
      result += format.text[i];
      continue;
    }
    const char kind = ++i < format.text.size() ? format.text[i] : '\0';
    if (kind == '%') {
      result += '%';
      continue;
    }
    const bool is_field = kind == 's' || kind == 'd' || kind == 'i';
    if (!is_field || next == all.size()) return wrong_format(checker, span);
    const Value& value = all[next++];
    std::optional<WideInt> integer = constant_integer(value);
    std::optional<std::string> text = kind == 's' ? text_of(value)
                                      : integer   ? std::optional(fmt::format("{}", *integer))
                                                  : std::nullopt;
    if (!text) return unknown_text(checker, value);
    result += *text;
  }
  return next == all.size() ? string_value(checker, result, span) : wrong_format(checker, span);
}

// Returns the value that a field names: "" the next one, a number, or a keyword; null where there is none.
const Value* field_value(std::string_view field, const Checker::Args& args, std::size_t& next) {
  if (field.empty()) return next < args.positional.size() ? &args.positional[next++] : nullptr;
  for (const auto& [keyword, value] : args.keywords)
    if (keyword == field) return &value;
  std::size_t index = 0;
  for (char c : field) {
    if (c < '0' || c > '9' || index > args.positional.size()) return nullptr;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < args.positional.size() ? &args.positional[index] : nullptr;
}

// "{} and {0} and {name}".format(a, name=b)
Value format(Checker& checker, std::string_view text, const Checker::Args& args, Span span) {
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
    if (!value) return wrong_format(checker, span);
    std::optional<std::string> part = text_of(*value);
    if (!part) return is_error(*value) ? error_value(span) : unknown_text(checker, *value);
    result += *part;
    text.remove_prefix(end + 1);
  }
  return string_value(checker, result, span);
}

// ", ".join(strings)
Value join(Checker& checker, const Value& string, const Checker::Args& args, Span span) {
  if (args.positional.size() != 1 || !args.keywords.empty() || !is_tuple(args.positional[0]))
    return unknown_text(checker, args.positional.empty() ? string : args.positional[0]);
  std::string result;
  for (const Value& part : args.positional[0].elements) {
    if (part.kind != ValueKind::String) return unknown_text(checker, part);
    if (&part != args.positional[0].elements.data()) result += string.text;
    result += part.text;
    if (result.size() > longest) break;
  }
  return string_value(checker, result, span);
}

} // namespace

std::optional<Value> string_operation(Checker& checker, ast::BinaryOp op, const Value& left,
                                      const Value& right, Span span) {
  const bool is_left = left.kind == ValueKind::String, is_right = right.kind == ValueKind::String;
  // A type stands for its name where -D gives it for a string.
  std::optional<std::string> front = is_text(left) ? text_of(left) : std::nullopt;
  std::optional<std::string> back = is_text(right) ? text_of(right) : std::nullopt;
  if (op == ast::BinaryOp::Add && front && back) return string_value(checker, *front + *back, span);
  if (op == ast::BinaryOp::Modulo && is_left) return percent(checker, left, right, span);
  if (op != ast::BinaryOp::Multiply || is_left == is_right) return std::nullopt;
  const Value& string = is_left ? left : right;
  std::optional<WideInt> count = constant_integer(is_left ? right : left);
  if (!count) return std::nullopt;
  std::string result;
  for (WideInt i = 0; i < *count && result.size() <= longest && !string.text.empty(); ++i)
    result += string.text;
  return string_value(checker, result, span);
}

std::optional<Value> string_method(const Value& string, std::string_view name, Span span) {
  if (name != "format" && name != "join") return std::nullopt;
  Value method = plain_value(ValueKind::Method, span);
  method.text = name;
  method.elements = {string};
  return method;
}

Value call_string_method(Checker& checker, const Value& method, const Checker::Args& args, Span span) {
  const Value& string = method.elements[0];
  return method.text == "join" ? join(checker, string, args, span) : format(checker, string.text, args, span);
}

} // namespace kern::checker
