#include "compiler/driver/session/extents.h"

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/data/array.h"

namespace kern {

std::string to_string(const Extents& extents) {
  return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
}

// extents = number ["," number ["," number]]
std::optional<Extents> parse_extents(std::string_view option, const std::string& text, bool zero_allowed,
                                     Diagnostics& diagnostics) {
  Extents extents = {1, 1, 1};
  std::size_t axis = 0, begin = 0;
  while (begin <= text.size()) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    Result<Number> number = parse_number(part);
    bool whole = number && number->kind == Number::Kind::Signed &&
                 number->integer >= (zero_allowed ? 0 : 1) && part[0] >= '0' && part[0] <= '9';
    if (!whole || axis == 3) {
      diagnostics.report({}, diag::bad_extents, option,
                         fmt::format("`{}` is not one to three positive numbers, as in 64 or 64,32", text));
      return std::nullopt;
    }
    extents[axis++] = static_cast<std::uint64_t>(number->integer);
    begin = end + 1;
  }
  return extents;
}

} // namespace kern
