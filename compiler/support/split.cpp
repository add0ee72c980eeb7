// One pass that counts the open brackets is enough: the parts are parsed by whoever asks for them, and a
// bracket that is missing is found there.
#include "compiler/support/split.h"

namespace kern {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_at_commas(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    depth += list[i] == '(' || list[i] == '[';
    depth -= list[i] == ')' || list[i] == ']';
    if (list[i] != ',' || depth != 0) continue;
    parts.push_back(trimmed(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trimmed(list.substr(begin)));
  return parts;
}

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

} // namespace kern
