// Only brackets, parentheses and commas count here; the checker reads the types.
#include "compiler/driver/signature.h"

#include <string_view>

namespace kern {

// signature = name "(" [type ("," type)*] ")"; commas inside brackets and parentheses belong to the type.
std::optional<Signature> parse_signature(const std::string& text) {
  std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || open == 0 || close == std::string::npos || close < open)
    return std::nullopt;
  auto trimmed = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return std::string(part);
  };
  if (!trimmed(std::string_view(text).substr(close + 1)).empty()) return std::nullopt;
  Signature signature{trimmed(std::string_view(text).substr(0, open)), {}};
  std::string part;
  int depth = 0;
  for (char c : text.substr(open + 1, close - open - 1)) {
    depth += c == '[' || c == '(';
    depth -= c == ']' || c == ')';
    if (c == ',' && depth == 0) {
      signature.params.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) signature.params.push_back(trimmed(part));
  for (const std::string& param : signature.params)
    if (param.empty()) return std::nullopt;
  return signature;
}

} // namespace kern
