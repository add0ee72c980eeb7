// Only brackets, parentheses and commas count here; the checker reads the types.
#include "compiler/driver/signature.h"

#include <string_view>

#include "compiler/support/split.h"

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
  for (std::string_view part : split_at_commas(std::string_view(text).substr(open + 1, close - open - 1)))
    signature.params.push_back(trimmed(part));
  if (signature.params.back().empty()) signature.params.pop_back();
  for (const std::string& param : signature.params)
    if (param.empty()) return std::nullopt;
  return signature;
}

} // namespace kern
