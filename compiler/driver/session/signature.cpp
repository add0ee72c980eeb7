// Only brackets, parentheses and commas count here; the checker reads the types.
#include "compiler/driver/session/signature.h"

#include <string_view>

#include "compiler/support/split.h"

namespace kern {

// signature = name "(" [type ("," type)*] ")"; commas inside brackets and parentheses belong to the type.
std::optional<Signature> parse_signature(const std::string& text) {
  std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || open == 0 || close == std::string::npos || close < open)
    return std::nullopt;
  const std::string_view view = text;
  if (!trimmed(view.substr(close + 1)).empty()) return std::nullopt;
  const std::vector<std::string_view> params = split_at_commas(view.substr(open + 1, close - open - 1));
  Signature signature{std::string(trimmed(view.substr(0, open))), {params.begin(), params.end()}};
  if (signature.params.back().empty()) signature.params.pop_back();
  for (const std::string& param : signature.params)
    if (param.empty()) return std::nullopt;
  return signature;
}

} // namespace kern
