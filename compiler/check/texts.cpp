// Cuts source texts for messages.
#include "compiler/check/texts.h"

#include "compiler/check/brackets.h"

namespace kern::checker {

static constexpr std::size_t longest_text = 100;

std::string short_text(std::string_view text) {
  std::string result;
  bool in_break = false;
  for (char c : text) {
    if (c == '#' || c == '\\') return "...";
    if (c == '\n') in_break = true;
    if (in_break && (c == '\n' || c == ' ' || c == '\t' || c == '\r')) continue;
    if (in_break && !result.empty() && result.back() != ' ' && result.back() != '(' && c != ')')
      result += ' ';
    in_break = false;
    result += c;
  }
  return result.empty() || result.size() > longest_text ? "..." : result;
}

std::string replaced_text(const Checker& checker, Span whole, Span part, std::string_view text) {
  auto source = [&](std::uint32_t begin, std::uint32_t end) {
    return checker.context.source({whole.file, begin, end});
  };
  return short_text(
      fmt::format("{}{}{}", source(whole.begin, part.begin), text, source(part.end, whole.end)));
}

std::string cast_text(const Checker& checker, const Value& value, Type type) {
  return cast_text(short_text(checker.source_of(value)), type);
}

std::string cast_text(std::string_view text, Type type) {
  if (is_boolean(type)) return fmt::format("{} != 0", bracketed(text, Binding::BitOr));
  return fmt::format("{}({})", is_scalar(type) ? to_string(type) : "...", text);
}

} // namespace kern::checker
