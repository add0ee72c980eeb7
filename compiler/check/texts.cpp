// Cuts source texts for messages.
#include "compiler/check/texts.h"

#include "compiler/check/brackets.h"

namespace kern::checker {

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
